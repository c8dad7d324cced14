// Package lib reads what lives, of whatever table its constructor is given.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Viewer looks at pages and values.
type Viewer struct{ tbl *bigtable.Table }

// View makes a Viewer.
func View(tbl *bigtable.Table) *Viewer { return &Viewer{tbl} }

// Count counts cells of both.
func (v *Viewer) Count(ctx context.Context, key string) (int, error) {
	row, err := v.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return len(row["page"]) + len(row["val"]), err
}

// Pages counts pages.
type Pages struct{ tbl *bigtable.Table }

// Only makes Pages.
func Only(tbl *bigtable.Table) *Pages { return &Pages{tbl} }

// Count counts them.
func (v *Pages) Count(ctx context.Context, key string) (int, error) {
	row, err := v.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return len(row["page"]), err
}

// A Reader reads what lives: which families are wanted, who calls it says.
type Reader struct{ tbl *bigtable.Table }

// New makes a Reader.
func New(tbl *bigtable.Table) *Reader { return &Reader{tbl} }

// Load reads a row.
func (r *Reader) Load(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}
