package testclock

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

// A store is given a clock.
type store struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newStore(tbl *bigtable.Table, now func() time.Time) *store { return &store{tbl, now} }

func openStore(c *bigtable.Client) *store { return newStore(c.Open("tickets"), clock.System{}.Now) }

func (s *store) put(ctx context.Context, ttl time.Duration) error {
	return s.putAt(ctx, bigtable.Time(s.now().Add(15*time.Minute)))
}

func (s *store) putAt(ctx context.Context, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", ts, nil)
	return s.tbl.Apply(ctx, "k", mut)
}

func (s *store) get(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(s.now(), time.Time{})))
}
