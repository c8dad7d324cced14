// Package viewfilter has readers that add a filter to each read, which a literal of them
// gives.
package viewfilter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockdecorated/clock"
)

type reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

type view struct {
	reader
	with func() bigtable.Filter
}

func (v view) ReadRow(ctx context.Context, k string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return v.reader.ReadRow(ctx, k, append(opts, bigtable.RowFilter(v.with()))...)
}

// Engine reads by a clock and by a stamp, which may be none.
type Engine struct {
	c     *bigtable.Client
	stamp clock.Stamp
}

// New returns an engine.
func New(c *bigtable.Client, stamp clock.Stamp) *Engine { return &Engine{c, stamp} }

// Good reads what lives.
func (e *Engine) Good(ctx context.Context) (int, error) {
	v := view{e.c.Open("sessions"), func() bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(e.stamp.Of(), time.Time{}))
	}}
	row, err := v.ReadRow(ctx, "k")
	return len(row["token"]), err
}

// Bad reads everything.
func (e *Engine) Bad(ctx context.Context) (int, error) {
	v := view{e.c.Open("sessions"), func() bigtable.Filter { return bigtable.FamilyFilter("token") }}
	row, err := v.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(row["token"]), err
}
