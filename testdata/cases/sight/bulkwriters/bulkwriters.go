// Package bulkwriters applies mutations in bulk once there are more of them than some
// number. The family "val" is of several tables, with several strategies.
package bulkwriters

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type bulk struct {
	tbl  *bigtable.Table
	max  int
	keys []string
	muts []*bigtable.Mutation
}

func newBulk(t *bigtable.Table, n int) *bulk { return &bulk{tbl: t, max: n} }

// add applies what there is.
func (b *bulk) add(ctx context.Context, key string, m *bigtable.Mutation) {
	if b.keys, b.muts = append(b.keys, key), append(b.muts, m); len(b.muts) > b.max {
		b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	}
}

// put is add that leaves the rest to flush.
func (b *bulk) put(ctx context.Context, key string, m *bigtable.Mutation) {
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
	if len(b.keys) > b.max {
		b.flush(ctx)
	}
}

func (b *bulk) flush(ctx context.Context) {
	keys, muts := b.keys, b.muts
	b.keys, b.muts = nil, nil
	b.tbl.ApplyBulk(ctx, keys, muts)
}

func scan(ctx context.Context, c *bigtable.Client) {
	out := newBulk(c.Open("history"), 5)
	c.Open("old").ReadRows(ctx, bigtable.PrefixRange("p"), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.Set("val", "i", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
		out.add(ctx, row.Key(), m)
		return true
	})
}

func loop(ctx context.Context, c *bigtable.Client, keys []string) {
	out := newBulk(c.Open("cache"), 5)
	for _, key := range keys {
		m := bigtable.NewMutation()
		m.Set("val", "i", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
		out.add(ctx, key, m)
	}
}

// okOnce adds one, which is never applied.
func okOnce(ctx context.Context, c *bigtable.Client) {
	out := newBulk(c.Open("cache"), 5)
	m := bigtable.NewMutation()
	m.Set("val", "i", bigtable.Now(), nil)
	out.add(ctx, "k", m)
}

// okEach has another writer in each turn.
func okEach(ctx context.Context, c *bigtable.Client, keys []string) {
	for _, key := range keys {
		out := newBulk(c.Open("cache"), 5)
		m := bigtable.NewMutation()
		m.Set("val", "i", bigtable.Now(), nil)
		out.add(ctx, key, m)
	}
}

// Options are a job's.
type Options struct {
	Batch int
	Cache bool
}

// Copy puts as many as the options say.
func Copy(ctx context.Context, c *bigtable.Client, o Options) {
	out := newBulk(c.Open("history"), o.Batch)
	c.Open("old").ReadRows(ctx, bigtable.PrefixRange("p"), func(row bigtable.Row) bool {
		for i, it := range row["val"] {
			m := bigtable.NewMutation()
			m.Set("val", "i", bigtable.Timestamp(i+1), it.Value) // want `unscaled-sequence: .*"val" of table "history"`
			out.put(ctx, row.Key(), m)
		}
		return true
	})
	out.flush(ctx)
}

// OkEither puts into one of two tables, which the options say.
func OkEither(ctx context.Context, c *bigtable.Client, o Options) {
	history, cache := newBulk(c.Open("history"), o.Batch), newBulk(c.Open("cache"), o.Batch)
	c.Open("old").ReadRows(ctx, bigtable.PrefixRange("p"), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.Set("val", "i", bigtable.Now(), nil)
		if o.Cache {
			cache.put(ctx, row.Key(), m)
		} else {
			history.put(ctx, row.Key(), m)
		}
		return true
	})
}
