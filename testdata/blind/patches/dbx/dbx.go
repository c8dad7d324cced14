// Package dbx is the third Bigtable helper (2023), with generics. Half of the code uses it.
package dbx

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

var ErrNoRow = errors.New("dbx: no such row")

// Reader is what Find needs.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Find reads a row and decodes it.
func Find[T any](ctx context.Context, r Reader, key string, dec func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := r.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, err
	}
	if len(row) == 0 {
		return zero, ErrNoRow
	}
	return dec(row)
}

// LiveFilter passes what has not expired in a one-second family.
func LiveFilter(fam string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1))
}

// Live is LiveFilter as an option.
func Live(fam string) bigtable.ReadOption { return bigtable.RowFilter(LiveFilter(fam)) }

// Young passes the cells of a family whose timestamps are at most d old.
func Young(fam string, d time.Duration) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})))
}

// Newest passes n versions.
func Newest(fam string, n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.LatestNFilter(n)))
}

// Cell is one value to write.
type Cell struct {
	Fam, Col string
	TS       bigtable.Timestamp
	Val      []byte
}

// Save writes cells into one row.
func Save(ctx context.Context, tbl *bigtable.Table, key string, cells ...Cell) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(c.Fam, c.Col, c.TS, c.Val)
	}
	return tbl.Apply(ctx, key, m)
}

// Seq is the timestamp of a sequence number.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// ShiftTS is the timestamp for a lifetime other than the family's default.
func ShiftTS(def, want time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(want - def))
}
