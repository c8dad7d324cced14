// Package clientvar reads and writes by packages that keep the client, or tables,
// in variables which functions assign.
package clientvar

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clientvar/carried"
	"example.com/cases/sight/clientvar/deps"
	"example.com/cases/sight/clientvar/given"
	"example.com/cases/sight/clientvar/held"
	"example.com/cases/sight/clientvar/inits"
	"example.com/cases/sight/clientvar/lazy"
	"example.com/cases/sight/clientvar/registry"
)

func assigned(ctx context.Context) {
	fmt.Println(inits.Get(ctx, "sessions", "k", "token"))                // want `missing-filter: .*"token"`
	fmt.Println(inits.GetDirect(ctx, "sessions", "k", "token"))          // want `missing-filter: .*"token"`
	fmt.Println(inits.GetFrom(ctx, inits.T("sessions"), "k", "token"))   // want `missing-filter: .*"token"`
	fmt.Println(inits.Incr(ctx, "history", "k", "val"))                  // want `read-modify-write: .*"val" of table "history"`
	fmt.Println(inits.Put(ctx, "history", "k", "val"))                   // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(inits.Put(ctx, "cache", "k", "val"))                     // want `write-time: .*"val" of table "cache"`
	fmt.Println(inits.PutAll(ctx, "history", "val", []string{"a", "b"})) // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(inits.PutIf(ctx, "cache", "k", "val"))                   // want `write-time: .*"val" of table "cache"`
}

func okAssigned(ctx context.Context) {
	fmt.Println(inits.Get(ctx, "sessions", "k", "profile"))
	fmt.Println(inits.GetFrom(ctx, inits.T("metrics"), "k", "sample"))
	fmt.Println(inits.Incr(ctx, "metrics", "k", "sample"))
	fmt.Println(inits.Put(ctx, "sessions", "k", "profile"))
	fmt.Println(inits.Put(ctx, "elsewhere", "k", "val"))
}

func directly(ctx context.Context, key string) (bigtable.Row, error) {
	return inits.Client.Open("sessions").ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

func supplied(ctx context.Context, c *bigtable.Client) {
	given.Setup(c, "-v2", given.WithProfile("batch"))
	fmt.Println(given.Get(ctx, "sessions", "k", "token"))      // want `missing-filter: .*"token"`
	fmt.Println(given.Put(ctx, "history", "k", "val"))         // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(given.PutNamed(ctx, "sessions", "k", "token")) // want `write-time: .*"token"`
}

func okSupplied(ctx context.Context) {
	fmt.Println(given.Get(ctx, "sessions", "k", "profile"))
	fmt.Println(given.Put(ctx, "metrics", "k", "sample"))
}

func kept(ctx context.Context) {
	fmt.Println(deps.Number(ctx, "k", "val", bigtable.Now()))                            // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(deps.Keep(ctx, "k", "val", bigtable.Now()))                              // want `write-time: .*"val" of table "cache"`
	fmt.Println(deps.Recount(ctx, "k", "val"))                                           // want `read-modify-write: .*"val" of table "history"`
	fmt.Println(deps.Session(ctx, "k", "token"))                                         // want `missing-filter: .*"token"`
	fmt.Println(deps.Named(ctx, "history", "k", "val"))                                  // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(deps.Sessions.ReadRow(ctx, "k"))                                         // want `missing-filter: .*"token"`
	fmt.Println(inits.GetFrom(ctx, deps.Sessions, "k", "token"))                         // want `missing-filter: .*"token"`
	fmt.Println(deps.Keep(ctx, "k", "val", bigtable.Time(time.Now().Add(-2*time.Hour)))) // want `already-expired: .*"val" of table "cache"`
}

func okKept(ctx context.Context, number int64) {
	fmt.Println(deps.Number(ctx, "k", "val", bigtable.Timestamp(number*1000)))
	fmt.Println(deps.Keep(ctx, "k", "val", bigtable.Time(time.Now().Add(time.Minute))))
	fmt.Println(deps.Session(ctx, "k", "profile"))
	fmt.Println(deps.Named(ctx, "metrics", "k", "sample"))
	fmt.Println(deps.Metrics.ReadRow(ctx, "k"))
}

func lazily(ctx context.Context) {
	fmt.Println(lazy.Put(ctx, "history", "k", "val"))       // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(lazy.PutOnce(ctx, "cache", "k", "val"))     // want `write-time: .*"val" of table "cache"`
	fmt.Println(lazy.PutShared(ctx, "history", "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
}

func okLazily(ctx context.Context) {
	fmt.Println(lazy.Put(ctx, "metrics", "k", "sample"))
	fmt.Println(lazy.PutOnce(ctx, "sessions", "k", "profile"))
}

func inObjects(ctx context.Context) error {
	fmt.Println(held.Put(ctx, "history", "k", "val"))       // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(held.Default.Put(ctx, "cache", "k", "val")) // want `write-time: .*"val" of table "cache"`
	fmt.Println(held.PutStd(ctx, "history", "k", "val"))    // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(held.PutReady(ctx, "cache", "k", "val"))    // want `write-time: .*"val" of table "cache"`
	db, err := held.New(ctx, "p")
	if err != nil {
		return err
	}
	return db.Put(ctx, "history", "k", "val") // want `clock-in-sequence: .*"val" of table "history"`
}

func okInObjects(ctx context.Context) {
	fmt.Println(held.Put(ctx, "metrics", "k", "sample"))
	fmt.Println(held.PutStd(ctx, "sessions", "k", "profile"))
}

func inMaps(ctx context.Context) {
	fmt.Println(registry.Put(ctx, "history", "k", "val"))     // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(registry.PutOpened(ctx, "cache", "k", "val")) // want `write-time: .*"val" of table "cache"`
}

func inContexts(ctx context.Context, c *bigtable.Client) {
	ctx = carried.With(ctx, c)
	fmt.Println(carried.Put(ctx, "history", "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(carried.PutHistory(ctx, "k", "val"))     // want `clock-in-sequence: .*"val" of table "history"`
}
