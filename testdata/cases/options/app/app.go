// Package app puts options of another package together.
package app

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/options/store"
)

func okDefaults(ctx context.Context, c *bigtable.Client) error {
	return store.New(c, "sessions").Put(ctx, "k")
}

func family(ctx context.Context, c *bigtable.Client) error {
	return store.New(c, "sessions", store.WithFamily("token")).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func declaredOption(ctx context.Context, c *bigtable.Client) error {
	return store.New(c, "sessions", store.Sessions).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func okBoth(ctx context.Context, c *bigtable.Client) error {
	return store.New(c, "sessions", store.WithFamily("token"), store.WithTTL(time.Hour)).Put(ctx, "k")
}

func past(ctx context.Context, c *bigtable.Client) error {
	s := store.New(c, "sessions", store.WithFamily("token"), store.WithTTL(-time.Hour)) // want `already-expired: .*"token"`
	return s.Put(ctx, "k")
}

func appended(ctx context.Context, c *bigtable.Client) error {
	opts := []store.Option{store.WithFamily("token")}
	if os.Getenv("EXPIRE") != "" {
		opts = append(opts, store.WithTTL(time.Hour))
	}
	return store.New(c, "sessions", opts...).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func open(ctx context.Context, c *bigtable.Client) error {
	if err := store.Open(c, store.WithTTL(time.Hour)).Put(ctx, "k"); err != nil {
		return err
	}
	return store.Open(c).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func cache(ctx context.Context, tbl *bigtable.Table) error {
	c, err := store.NewCache(tbl, store.TTL(0)) // want `write-time: .*"token"`
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

func okCache(ctx context.Context, tbl *bigtable.Table) error {
	c, err := store.NewCache(tbl, store.TTL(0), store.Family("profile"))
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

func chosen(mut *bigtable.Mutation) {
	store.NewLog(store.ChooseNow()).Put(mut)                                       // want `write-time: .*"token"`
	store.NewLog(store.ChooseTTL(time.Hour), store.ChooseFamily("entry")).Put(mut) // want `clock-in-sequence: .*"entry"`
	store.NewLog(store.ChooseTTL(time.Hour)).Put(mut)
	store.NewLog(store.ChooseNow(), store.ChooseFamily("profile")).Put(mut)
}

// An option of one's own.
func mine(s *store.Store) {}

func okMine(ctx context.Context, c *bigtable.Client, more ...store.Option) error {
	if err := store.New(c, "sessions", mine, store.WithFamily("token"), store.WithTTL(time.Hour)).Put(ctx, "k"); err != nil {
		return err
	}
	return store.New(c, "sessions", append(more, store.WithFamily("token"))...).Put(ctx, "k")
}
