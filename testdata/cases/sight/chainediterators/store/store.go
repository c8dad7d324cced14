// Package store yields rows and cells, and has a type of its own for the time of a cell.
package store

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// Rows yields the rows of a set.
func Rows(ctx context.Context, tbl *bigtable.Table, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		err := tbl.ReadRows(ctx, set, func(r bigtable.Row) bool { return yield(r, nil) }, opts...)
		if err != nil {
			yield(nil, err)
		}
	}
}

// Items yields the cells of a family.
func Items(row bigtable.Row, family string) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(it) {
				return
			}
		}
	}
}

// Expiry is when a cell dies.
type Expiry bigtable.Timestamp

// Time is the moment as a time.
func (e Expiry) Time() time.Time { return bigtable.Timestamp(e).Time() }

// Dead says whether the moment has passed.
func (e Expiry) Dead(now time.Time) bool { return e.Time().Before(now) }

// IsZero says whether there is no moment.
func (e Expiry) IsZero() bool { return e == 0 }
