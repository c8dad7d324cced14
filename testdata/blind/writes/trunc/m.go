package m_trunc

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func hot(ctx context.Context, t *bigtable.Table, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("hot", "c", bigtable.Time(at.UTC()), nil)
	return t.Apply(ctx, "k", m)
}

func hot2(ctx context.Context, t *bigtable.Table, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("hot", "c", bigtable.Time(at.Truncate(time.Millisecond)), nil)
	return t.Apply(ctx, "k", m)
}

func hot3(ctx context.Context, t *bigtable.Table, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("hot", "c", bigtable.Time(at).TruncateToMilliseconds(), nil)
	return t.Apply(ctx, "k", m)
}

func hot4(ctx context.Context, t *bigtable.Table, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("hot", "c", bigtable.Timestamp(at.UnixMilli()*1000), nil)
	return t.Apply(ctx, "k", m)
}

func Bad(ctx context.Context, c *bigtable.Client) {
	t := c.Open("mixed")
	d := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	_ = hot(ctx, t, d)            // want `already-expired: .*"hot"`
	_ = hot2(ctx, t, d)           // want `already-expired: .*"hot"`
	_ = hot3(ctx, t, d)           // want `already-expired: .*"hot"`
	_ = hot4(ctx, t, d)           // want `already-expired: .*"hot"`
	_ = hot(ctx, t, time.Time{})  // want `already-expired: .*"hot"`
	_ = hot2(ctx, t, time.Time{}) // want `already-expired: .*"hot"`
	_ = hot3(ctx, t, time.Time{}) // want `out-of-range: `
	_ = hot4(ctx, t, time.Time{})
	n := time.Now()
	_ = hot(ctx, t, n)  // want `write-time: .*"hot"`
	_ = hot2(ctx, t, n) // want `write-time: .*"hot"`
	_ = hot3(ctx, t, n) // want `write-time: .*"hot"`
	_ = hot4(ctx, t, n) // want `write-time: .*"hot"`
}
