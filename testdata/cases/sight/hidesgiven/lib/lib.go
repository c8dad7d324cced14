// Package lib reads what lives, of whatever table its constructor is given.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Reader reads what lives.
type Reader struct{ tbl *bigtable.Table }

// New makes a Reader.
func New(tbl *bigtable.Table) *Reader { return &Reader{tbl} }

// Load reads a row.
func (r *Reader) Load(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}
