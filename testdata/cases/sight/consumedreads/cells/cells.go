// Package cells reads: from Bigtable, or from memory.
package cells

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Cells reads one table.
type Cells struct{ tbl *bigtable.Table }

// New wraps a table.
func New(tbl *bigtable.Table) *Cells { return &Cells{tbl} }

// Get reads a row.
func (c *Cells) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return c.tbl.ReadRow(ctx, key, opts...)
}

// Find reads a row through a filter.
func (c *Cells) Find(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return c.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Token reads a token through a filter.
func (c *Cells) Token(ctx context.Context, key string, f bigtable.Filter) (string, error) {
	row, err := c.Find(ctx, key, f)
	if err != nil || len(row["token"]) == 0 {
		return "", err
	}
	return string(row["token"][0].Value), nil
}

// Each reads rows.
func (c *Cells) Each(ctx context.Context, f bigtable.Filter, do func(bigtable.Row) bool) error {
	return c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), do, bigtable.RowFilter(f))
}

// Live reads what lives, whatever else is asked.
type Live struct{ Cells }

// NewLive wraps a table.
func NewLive(tbl *bigtable.Table) *Live { return &Live{Cells{tbl}} }

// Find reads a row through a filter, what lives of it.
func (l *Live) Find(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return l.Cells.Find(ctx, key, bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), f))
}

// Fake reads nothing.
type Fake struct{ Row bigtable.Row }

// Get returns the row.
func (f *Fake) Get(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.Row, nil
}

// Find returns the row.
func (f *Fake) Find(context.Context, string, bigtable.Filter) (bigtable.Row, error) {
	return f.Row, nil
}
