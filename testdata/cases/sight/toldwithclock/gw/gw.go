// Package gw reports how old sessions are, by a clock that tests set.
package gw

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Clock reads the system's clock unless it is given another.
type Clock struct{ Read func() time.Time }

// Now is the current time.
func (c *Clock) Now() time.Time {
	if c.Read == nil {
		return time.Now()
	}
	return c.Read()
}

// Sessions are in a table that the package opens.
type Sessions struct {
	tbl *bigtable.Table
	clk *Clock
}

// Init opens the table.
func (s *Sessions) Init(c *bigtable.Client, clk *Clock) { s.tbl, s.clk = c.Open("cache"), clk }

// A Report tells how old sessions are.
type Report struct {
	sess *Sessions
	Age  time.Duration
}

// Init says of which sessions.
func (r *Report) Init(s *Sessions) { r.sess = s }

// Collect reads them.
func (r *Report) Collect(ctx context.Context) error {
	now := r.sess.clk.Now()
	return r.sess.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["val"] {
			r.Age = now.Sub(it.Timestamp.Time()) // want `not-write-time: .*"val" of table "cache"`
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.TimestampRangeFilter(now, time.Time{}))))
}

// Values are in a table that the package is given.
type Values struct {
	tbl *bigtable.Table
	clk *Clock
}

// Init says in which.
func (v *Values) Init(tbl *bigtable.Table, clk *Clock) { v.tbl, v.clk = tbl, clk }

// Age reads one. In which table val is, and what its timestamp is, its callers say.
func (v *Values) Age(ctx context.Context, key string) (age time.Duration, err error) {
	now := v.clk.Now()
	row, err := v.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.TimestampRangeFilter(now, time.Time{}))))
	if err != nil {
		return 0, err
	}
	for _, it := range row["val"] {
		age = now.Sub(it.Timestamp.Time())
	}
	return age, nil
}

// Oldest reads them by a filter of its own clock.
func (r *Report) Oldest(ctx context.Context, key string) error {
	row, err := r.sess.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	if err != nil {
		return err
	}
	now := r.sess.clk.Now()
	for _, it := range row["val"] {
		r.Age = now.Sub(it.Timestamp.Time()) // want `not-write-time: .*"val" of table "cache"`
	}
	return nil
}
