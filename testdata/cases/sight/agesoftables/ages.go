// Package agesoftables opens the tables of stores that use timestamps as dates.
package agesoftables

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/agesoftables/store"
)

func expiring(ctx context.Context, c *bigtable.Client) {
	s := store.New(c.Open("cache")) // want `not-write-time: .*"val" of table "cache" is when the cell expires, but is stored as the write time.*reached at sight/agesoftables/store/store.go:35` `not-write-time: .*treats it as the write time.*reached at sight/agesoftables/store/store.go:40`
	fmt.Println(s.Get(ctx, "k"))
	fmt.Println(s.List(ctx))
}

func okReal(ctx context.Context, c *bigtable.Client) {
	fmt.Println(store.New(c.Open("wallets")).Get(ctx, "k"))
}

func okUnknown(ctx context.Context, c *bigtable.Client, name string) {
	fmt.Println(store.New(c.Open(name)).Get(ctx, "k"))
}

// What it is called is another package's matter.
func okNamed(ctx context.Context, c *bigtable.Client) {
	created := store.NewDates(c.Open("cache"))
	fmt.Println(created.Written(ctx, "k"))
}

func one(ctx context.Context, c *bigtable.Client) {
	fmt.Println(store.NewBoth(c.Open("cache"), c.Open("wallets")).Get(ctx, "k")) // want `not-write-time: .*"val" of table "cache"`
}

func okOther(ctx context.Context, c *bigtable.Client) {
	fmt.Println(store.NewBoth(c.Open("wallets"), c.Open("cache")).Get(ctx, "k"))
}

func okToldThere(ctx context.Context, c *bigtable.Client) {
	fmt.Println(store.NewKnown(c).Get(ctx, "k"))
}
