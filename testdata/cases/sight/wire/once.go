package wire

import (
	"context"
	"sync"

	"cloud.google.com/go/bigtable"
)

// lazy opens its tables when they are first asked for.
type lazy struct {
	open    func() *bigtable.Table
	history func() *bigtable.Table
}

func newLazy(c *bigtable.Client) *lazy {
	return &lazy{
		open:    sync.OnceValue(func() *bigtable.Table { return c.Open("cache") }),
		history: sync.OnceValue(func() *bigtable.Table { return c.Open("history") }),
	}
}

func (l *lazy) put(ctx context.Context, key string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), v) // want `write-time: .*"val" of table "cache"`
	if err := l.open().Apply(ctx, key, m); err != nil {
		return err
	}
	h := bigtable.NewMutation()
	h.Set("val", "v", bigtable.Now(), v) // want `clock-in-sequence: .*"val" of table "history"`
	return l.history().Apply(ctx, key, h)
}

func (l *lazy) get(ctx context.Context, key string) (bigtable.Row, error) {
	return l.open().ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
}

func (l *lazy) last(ctx context.Context, key string) (bigtable.Row, error) {
	return l.history().ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}
