// Package app makes what lib has, and calls its methods, or does not.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/methoddecides/lib"
)

func ok(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("cache"), time.Hour, time.Now)
	_ = s.Put(ctx, "k", false)
	_ = s.PutAt(ctx, "k", time.Now().Add(time.Hour))
}

func raw(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("cache"), time.Hour, time.Now)
	_ = s.Put(ctx, "k", true) // want `write-time: .*"val" of table "cache"`
}

func never(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("cache"), time.Hour, time.Now)
	_ = s.PutAt(ctx, "k", time.Time{}) // want `write-time: .*"val" of table "cache"`
}

func touch(ctx context.Context, c *bigtable.Client) {
	t := lib.NewT(c.Open("cache"), time.Now) // want `write-time: .*"val" of table "cache"`
	_ = t.Touch(ctx, "k", true)
}
