// Package baseoptions appends to lists of options that package variables hold.
package baseoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/baseoptions/base"
)

var newest = []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}

var limits = []bigtable.ReadOption{bigtable.LimitRows(10)}

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func here(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", append(newest, live())...) // want `overridden-filter: read has 2`
}

func okHere(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", append(limits, live())...)
}

func okThere(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", append(base.Limits, live())...)
}

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("tickets")} }

func (s *store) read(ctx context.Context, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", append(newest, opts...)...)
}

// okLive overrules the default of read.
func (s *store) okLive(ctx context.Context) (bigtable.Row, error) {
	return s.read(ctx, live())
}
