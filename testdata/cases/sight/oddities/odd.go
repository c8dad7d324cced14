// Package odd applies what others build.
package odd

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/oddities/lib"
)

type app struct{ cache, history *bigtable.Table }

func newApp(c *bigtable.Client) *app {
	return &app{cache: c.Open("cache"), history: c.Open("history")}
}

func (a *app) builder(ctx context.Context, key string) error {
	m := lib.New("val").Put("a", nil).Done() // want `write-time: .*"val" of table "cache"`
	return a.cache.Apply(ctx, key, m)
}

func (a *app) builderAt(ctx context.Context, key string) error {
	m := lib.New("val").At(bigtable.Time(time.Now().Add(time.Hour))).Put("a", nil).Done()
	return a.cache.Apply(ctx, key, m)
}

func (a *app) builderSteps(ctx context.Context, key string, n int64) error {
	b := lib.New("val")
	b = b.At(bigtable.Timestamp(n * 1000))
	b = b.Put("a", nil)
	if n > 0 {
		b = b.Put("b", nil)
	}
	return a.history.Apply(ctx, key, b.Done())
}

func (a *app) builderWrong(ctx context.Context, key string) error {
	b := lib.New("val") // want `clock-in-sequence: .*"val" of table "history"`
	b = b.Put("a", nil)
	return a.history.Apply(ctx, key, b.Done())
}

func (a *app) keyed(ctx context.Context, key string) error {
	k := lib.ForKey(key)
	return a.cache.Apply(ctx, k.Key, k.Mutation) // want `write-time: .*"val" of table "cache"`
}

func (a *app) optionsWrong(ctx context.Context, key string) error {
	return a.cache.Apply(ctx, key, lib.Mutation(lib.Body(nil))) // want `write-time: .*"val" of table "cache"`
}

func (a *app) options(ctx context.Context, key string) error {
	return a.cache.Apply(ctx, key, lib.Mutation(lib.Fresh(nil, time.Hour)))
}

// The timestamp is given here, the rest is not.
func (a *app) conditional(ctx context.Context, key string, wide bool) error {
	m := lib.Cell2("val", bigtable.ServerTime) // want `server-timestamp: .*"val" of table "cache"`
	if wide {
		m.DeleteCellsInColumn("val", "other")
	}
	return a.cache.Apply(ctx, key, m)
}
