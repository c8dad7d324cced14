// Package variables uses what packages keep in variables: repositories, tables
// by getters, names.
package variables

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/variables/config"
	"example.com/cases/sight/variables/getters"
	"example.com/cases/sight/variables/stores"
)

func repositories(ctx context.Context) {
	fmt.Println(stores.Numbers.PutIn(ctx, "k", "val"))                  // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(stores.Notes.PutIn(ctx, "k", "val"))                    // want `write-time: .*"val" of table "cache"`
	fmt.Println(stores.PutOpened(ctx, "cache", "k", "val"))             // want `write-time: .*"val" of table "cache"`
	fmt.Println(stores.PutNamed(ctx, "history", "k", "val"))            // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(stores.PutUntil(ctx, "cache", "k", "val", -time.Hour))  // want `already-expired: .*"val" of table "cache"`
	fmt.Println(stores.PutUntil(ctx, "history", "k", "val", time.Hour)) // want `clock-in-sequence: .*"val" of table "history"`
}

func okRepositories(ctx context.Context) {
	fmt.Println(stores.Numbers.Put(ctx, "k"))
	fmt.Println(stores.Notes.Get(ctx, "k"))
	fmt.Println(stores.PutOpened(ctx, "metrics", "k", "sample"))
	fmt.Println(stores.PutNamed(ctx, "metrics", "k", "sample"))
	fmt.Println(stores.PutUntil(ctx, "cache", "k", "val", time.Minute))
}

func byGetters(ctx context.Context) error {
	fmt.Println(getters.Put(ctx, "k", "val"))        // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(getters.PutCache(ctx, "k", "val"))   // want `write-time: .*"val" of table "cache"`
	fmt.Println(getters.PutByValue(ctx, "k", "val")) // want `write-time: .*"val" of table "cache"`
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	if err := getters.MustGet(ctx).Cache.Apply(ctx, "k", m); err != nil {
		return err
	}
	t, err := getters.Get(ctx, "q")
	if err != nil {
		return err
	}
	row, err := t.Sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	fmt.Println(row)
	return err
}

func okByGetters(ctx context.Context) {
	fmt.Println(getters.Put(ctx, "k", "other"))
}

func configured(ctx context.Context, c *bigtable.Client) {
	config.Start(config.WithClient(c))
	fmt.Println(config.PutHistory(ctx, "k", "val"))   // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(config.Put(ctx, "cache", "k", "val")) // want `write-time: .*"val" of table "cache"`
	fmt.Println(config.Put(ctx, "metrics", "k", "sample"))
}
