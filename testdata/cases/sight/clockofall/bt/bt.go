// Package bt has the clock and the iterator of all stores.
package bt

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock func() time.Time

// System is the system's clock.
var System Clock = time.Now

// TS is the time as a timestamp.
func (c Clock) TS() bigtable.Timestamp { return bigtable.Time(c()) }

// Reader is what is read.
type Reader interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Rows ranges over rows.
func Rows(ctx context.Context, t Reader, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		_ = t.ReadRows(ctx, set, func(r bigtable.Row) bool { return yield(r, nil) }, opts...)
	}
}
