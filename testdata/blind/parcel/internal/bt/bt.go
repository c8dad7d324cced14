// Package bt has what all our tables share: filters, timestamps, small wrappers of the client.
package bt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reader is what most stores need to read.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Writer is what most stores need to write.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Table is both.
type Table interface {
	Reader
	Writer
}

// ErrNotFound is what stores return for a row that is not there.
var ErrNotFound = errors.New("not found")

// Live lets pass what has not expired at now, for families whose timestamps are expiries.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{}) // ok ttlread/missing-filter
}

// LiveFamily is Live for one family.
func LiveFamily(family string, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live(now)) // ok ttlread/missing-filter
}

// Within lets pass what is at most d old, for families with a default lifetime.
func Within(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// WithinFamily is Within for one family.
func WithinFamily(family string, now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Within(now, d))
}

// LatestOf lets pass the n newest values of each column of a family.
func LatestOf(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Column lets pass one column of one family.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// NowTS is the current time as a timestamp.
func NowTS() bigtable.Timestamp {
	return bigtable.Now()
}

// ExpiresIn is the timestamp of a value that lives for ttl.
func ExpiresIn(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl))
}

// Seq is the timestamp of the n-th value.
func Seq(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000) // ok ttlwrite/unscaled-sequence
}

// SeqNumber undoes Seq.
func SeqNumber(ts bigtable.Timestamp) int64 {
	return int64(ts) / 1000
}

// Ordinal was Seq before the incident in March; the importer still has it.
func Ordinal(n int) bigtable.Timestamp {
	return bigtable.Timestamp(n)
}

// Seconds is the timestamp of an instant.
func Seconds(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.Unix()) // want ttlunit/wrong-unit
}

// Micros is the timestamp of an instant.
func Micros(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMicro()) // ok ttlunit/wrong-unit
}

// Put writes one cell.
func Put(ctx context.Context, w Writer, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, value)
	if err := w.Apply(ctx, key, m); err != nil {
		return fmt.Errorf("put %s %s:%s: %w", key, family, column, err)
	}
	return nil
}

// PutNow writes one cell that becomes visible at once and is dated by the client.
func PutNow(ctx context.Context, w Writer, key, family, column string, value []byte) error {
	return Put(ctx, w, key, family, column, bigtable.Now(), value)
}

// First returns the first value of a column.
func First(items []bigtable.ReadItem, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range items {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Bulk collects mutations for ApplyBulk.
type Bulk struct {
	keys []string
	muts []*bigtable.Mutation
	max  int
}

// NewBulk returns a Bulk that is full at max mutations.
func NewBulk(max int) *Bulk {
	return &Bulk{max: max}
}

// Add appends a mutation.
func (b *Bulk) Add(key string, m *bigtable.Mutation) {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
}

// Full says that it is time to Flush.
func (b *Bulk) Full() bool { return len(b.keys) >= b.max }

// Flush writes what was collected.
func (b *Bulk) Flush(ctx context.Context, w Writer) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := w.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
