package ttl_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Declared once, for all writers, readers and the schema.
var (
	Token    = ttl.OneSecond("token", 30*time.Minute)
	Profile  = ttl.RealTime("profile")
	Sessions = ttl.NewTable("sessions", Token, Profile)
)

func Example() {
	ctx := context.Background()
	client, admin, stop := connect(ctx) // to an emulator
	defer stop()

	// The table gets the GC policies that the strategies need.
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	mut := bigtable.NewMutation()
	must(Token.Set(mut, "jwt", []byte("eyJhbGciOi")))                      // for 30 minutes
	must(Token.SetFor(mut, "otp", []byte("271828"), 2*time.Millisecond))   // for a moment
	must(Profile.Set(mut, "name", []byte("Ada")))                          // for good
	fmt.Println(Token.SetUntil(mut, "csrf", []byte("x"), time.Unix(0, 0))) // never
	must(tbl.Apply(ctx, "user#1", mut))

	time.Sleep(5 * time.Millisecond)
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	for _, item := range append(row["token"], row["profile"]...) {
		fmt.Printf("%s: %s\n", item.Column, item.Value)
	}

	// Output:
	// ttl: family "token", column "csrf": deadline has passed: 1970-01-01T00:00:00Z
	// token:jwt: eyJhbGciOi
	// profile:name: Ada
}

func ExampleTable_LiveAnd() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	mut := bigtable.NewMutation()
	must(Token.Set(mut, "jwt", []byte("eyJhbGciOi")))
	must(Token.Set(mut, "refresh", []byte("c2VjcmV0")))
	must(Profile.Set(mut, "name", []byte("Ada")))
	must(tbl.Apply(ctx, "user#1", mut))

	row, err := tbl.ReadRow(ctx, "user#1", Sessions.LiveAnd(bigtable.ColumnFilter("jwt")))
	must(err)
	fmt.Println(values(row))
	// Output: token:jwt=eyJhbGciOi
}

func ExampleTable_Verify() {
	ctx := context.Background()
	_, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	fmt.Println(Sessions.Verify(ctx, admin))

	must(admin.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxVersionsPolicy(1)))
	fmt.Println(Sessions.Verify(ctx, admin))
	// Output:
	// <nil>
	// ttl: table "sessions": schema differs from its declaration: family "token" has max versions 1, declared is max age 1s
}

func ExampleTable_Migrate() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	// The family has cells with the times at which they were written.
	old := ttl.NewTable("sessions", ttl.RealTime("token"), Profile)
	must(admin.CreateTableFromConf(ctx, old.Conf()))
	mut := bigtable.NewMutation()
	must(ttl.RealTime("token").Set(mut, "jwt", []byte("eyJhbGciOi")))
	must(client.Open("sessions").Apply(ctx, "user#1", mut))

	err := Sessions.Migrate(ctx, client, admin, Token)
	var refused *ttl.MigrationError
	fmt.Println(errors.As(err, &refused), refused.Cells)
	fmt.Println(err)
	// Output:
	// true 1
	// ttl: table "sessions", family "token": the new GC policy would delete 1 cell(s), at once or early
}

func ExampleOneSecondFamily_Replace() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	// With Set, the value that expires later would stay the most recent.
	for _, write := range []struct {
		value    string
		lifetime time.Duration
	}{{"long", 24 * time.Hour}, {"short", time.Minute}} {
		mut := bigtable.NewMutation()
		must(Token.Replace(mut, "jwt", []byte(write.value), write.lifetime))
		must(tbl.Apply(ctx, "user#1", mut))
	}
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	item := row["token"][0]
	fmt.Printf("%s, expires within the minute: %v\n", item.Value, time.Until(Token.Expiry(item)) <= time.Minute)
	// Output: short, expires within the minute: true
}

func ExampleSequence() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	entry := ttl.Sequence("entry", 2)
	ledger := ttl.NewTable("ledger", entry)
	must(admin.CreateTableFromConf(ctx, ledger.Conf()))
	tbl := client.Open(ledger.Name())

	mut := bigtable.NewMutation()
	for n := range int64(4) {
		must(entry.Set(mut, "balance", fmt.Appendf(nil, "%d EUR", 10*n), n))
	}
	must(tbl.Apply(ctx, "account#1", mut))

	row, err := tbl.ReadRow(ctx, "account#1", ledger.Live())
	must(err)
	for _, item := range row["entry"] {
		fmt.Printf("%d: %s\n", entry.Number(item), item.Value)
	}
	// Output:
	// 3: 30 EUR
	// 2: 20 EUR
}

func ExampleWrittenAt() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	// A companion of column jwt, written like it: both live for a day.
	issued := ttl.WrittenAt(Token, "jwt-issued")
	mut := bigtable.NewMutation()
	must(Token.SetFor(mut, "jwt", []byte("eyJhbGciOi"), 24*time.Hour))
	must(Token.SetFor(mut, issued.Column(), issued.Value(), 24*time.Hour))
	must(tbl.Apply(ctx, "user#1", mut))

	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	at, ok := issued.Time(row)
	fmt.Println(ok, "written before now:", !at.After(time.Now()))
	// Output: true written before now: true
}

func ExampleCounter() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	// Failed logins of the last half hour.
	failures := ttl.NewCounter(Token, "failures")
	for range 3 {
		mut := bigtable.NewMutation()
		must(failures.Add(mut, 1))
		must(tbl.Apply(ctx, "user#1", mut))
	}
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.LiveAnd(failures.Filter()))
	must(err)
	fmt.Println(failures.Sum(row))
	// Output: 3 <nil>
}
