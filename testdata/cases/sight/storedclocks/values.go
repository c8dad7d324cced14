package storedclocks

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/storedclocks/clocks"
)

// Method values of interfaces, of which other types than a clock's are known.

type ticking struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newTicking(tbl *bigtable.Table, clk clocks.Ticker) *ticking {
	return &ticking{tbl: tbl, now: clk.Now}
}

func (s *ticking) write(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.now()), nil) // want `uses the current time`
	m.Set("token", "w", bigtable.Time(s.now().Add(time.Hour)), nil)
	return s.tbl.Apply(ctx, key, m)
}

func (s *ticking) live(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.now(), time.Time{}))))
}

type dated struct {
	tbl *bigtable.Table
	day func() time.Time
}

func newDated(tbl *bigtable.Table, d clocks.Dated) *dated { return &dated{tbl: tbl, day: d.Day} }

// Whatever day it is, it is not known to be now.
func (s *dated) write(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("profile", "v", bigtable.Time(s.day()), nil)
	m.Set("ticket", "v", bigtable.Time(s.day().Add(time.Hour)), nil) // want `already-expired`
	return s.tbl.Apply(ctx, key, m)
}
