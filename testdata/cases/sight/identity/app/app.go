// Package app has mutations of its own beside those of another package.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/identity/lib"
)

type app struct {
	cache, history, sessions, metrics *bigtable.Table
}

func newApp(c *bigtable.Client) *app {
	return &app{cache: c.Open("cache"), history: c.Open("history"), sessions: c.Open("sessions"), metrics: c.Open("metrics")}
}

// The package's first mutations go elsewhere.
func (a *app) own(ctx context.Context, key string, n int64) error {
	first := bigtable.NewMutation()
	first.Set("meta", "n", bigtable.Now(), nil)
	if err := a.metrics.Apply(ctx, key, first); err != nil {
		return err
	}
	second := bigtable.NewMutation()
	second.Set("val", "n", bigtable.Timestamp(5000), nil)
	if err := a.history.Apply(ctx, key, second); err != nil {
		return err
	}
	third := bigtable.NewMutation()
	third.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
	return a.cache.Apply(ctx, key, third)
}

// What is wrong in the library is the library's.
func (a *app) session(ctx context.Context, key string, jwt []byte) error {
	return a.sessions.Apply(ctx, key, lib.Session(jwt))
}

func (a *app) put(ctx context.Context, c *bigtable.Client, key string, b []byte) error {
	return lib.Put(ctx, c, key, b)
}

// The table makes it wrong, and the table is given here.
func (a *app) cached(ctx context.Context, key string, b []byte) error {
	mut := lib.Cached(b)
	return a.cache.Apply(ctx, key, mut) // want `write-time: .*"val" of table "cache"`
}

func (a *app) historic(ctx context.Context, key string, b []byte) error {
	return a.history.Apply(ctx, key, lib.Cached(b)) // want `clock-in-sequence: .*"val" of table "history"`
}

func (a *app) chained(ctx context.Context, key string, b []byte) error {
	mut := lib.NewChain().Body(b).Mutation()
	return a.cache.Apply(ctx, key, mut) // want `write-time: .*"val" of table "cache"`
}

func (a *app) chainedHistory(ctx context.Context, key string, b []byte) error {
	return a.history.Apply(ctx, key, lib.NewChain().Body(b).Mutation()) // want `clock-in-sequence: .*"val" of table "history"`
}

func (a *app) chainedRight(ctx context.Context, key string, b []byte, n int64) error {
	if err := a.history.Apply(ctx, key, lib.NewChain().Numbered(b, n).Mutation()); err != nil {
		return err
	}
	return a.cache.Apply(ctx, key, lib.NewChain().Until(b, time.Minute).Mutation())
}

func (a *app) chainedWrong(ctx context.Context, key string, b []byte) error {
	chain := lib.NewChain()
	chain.Until(b, time.Minute) // want `clock-in-sequence: .*"val" of table "history"`
	return a.history.Apply(ctx, key, chain.Mutation())
}
