// Package each gives iterators over rows.
package each

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Reader reads rows.
type Reader interface {
	ReadRows(ctx context.Context, set bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Rows ranges over the rows of a table.
func Rows(ctx context.Context, t Reader, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := t.ReadRows(ctx, set, func(r bigtable.Row) bool {
			stopped = !yield(r, nil)
			return !stopped
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Keyed ranges over keys and rows.
func Keyed(ctx context.Context, t *bigtable.Table, prefix string, f bigtable.Filter) (iter.Seq2[string, bigtable.Row], func() error) {
	var err error
	return func(yield func(string, bigtable.Row) bool) {
		err = t.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { return yield(r.Key(), r) }, bigtable.RowFilter(f))
	}, func() error { return err }
}

// Scan is Rows with a limit.
func Scan(ctx context.Context, t Reader, limit int64) iter.Seq2[bigtable.Row, error] {
	return Rows(ctx, t, bigtable.InfiniteRange(""), bigtable.LimitRows(limit))
}

// Good leaves out the rows that could not be read.
func Good(rows iter.Seq2[bigtable.Row, error]) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		for r, err := range rows {
			if err == nil && !yield(r) {
				return
			}
		}
	}
}

// Alive says which cells live.
func Alive(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

// Filled says which cells have a value.
func Filled(n int) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return len(it.Value) > n }
}
