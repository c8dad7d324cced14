// Package bt holds the few things that every store here needs from Bigtable:
// interfaces as small as their users, timestamps, filters, generic reads.
package bt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reader reads one row.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Scanner reads many.
type Scanner interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Applier writes one row.
type Applier interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// BulkApplier writes many.
type BulkApplier interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Counter adds on the server.
type Counter interface {
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// ReadWriter is what most stores want.
type ReadWriter interface {
	Reader
	Scanner
	Applier
}

// ErrNotFound is returned where a row or a column is missing.
var ErrNotFound = errors.New("bt: not found")

// Live lets pass what has not expired at now.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Since lets pass what is younger than d.
func Since(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Newest is LatestN under a name that reads better in options.
func Newest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// In restricts fs to a family.
func In(family string, fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...)
}

// Expiry is the timestamp of something that lives for d from now on.
func Expiry(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// Stamp is the timestamp of something written now.
func Stamp() bigtable.Timestamp { return bigtable.Time(time.Now()) }

// Seq turns a sequence number into a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Raw is Seq from before anybody looked at the granularity.
func Raw(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// SeqOf is the inverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Decode makes a T of a row.
type Decode[T any] func(bigtable.Row) (T, error)

// One reads a row and decodes it.
func One[T any](ctx context.Context, r Reader, key string, dec Decode[T], opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := r.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, fmt.Errorf("read %q: %w", key, err)
	}
	if len(row) == 0 {
		return zero, ErrNotFound
	}
	return dec(row)
}

// Each scans set and hands every decoded row to yield, until that returns false.
func Each[T any](ctx context.Context, s Scanner, set bigtable.RowSet, dec Decode[T], yield func(T) bool, opts ...bigtable.ReadOption) error {
	var bad error
	err := s.ReadRows(ctx, set, func(row bigtable.Row) bool {
		v, err := dec(row)
		if err != nil {
			bad = fmt.Errorf("decode %q: %w", row.Key(), err)
			return false
		}
		return yield(v)
	}, opts...)
	return errors.Join(err, bad)
}

// Value is the first value of family:column in row.
func Value(row bigtable.Row, family, column string) ([]byte, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value, true
		}
	}
	return nil, false
}

// Put is a column to be written.
type Put struct {
	Column string
	Value  []byte
}

// SetAll writes puts at one timestamp.
func SetAll(m *bigtable.Mutation, family string, ts bigtable.Timestamp, puts ...Put) *bigtable.Mutation {
	for _, p := range puts {
		m.Set(family, p.Column, ts, p.Value)
	}
	return m
}
