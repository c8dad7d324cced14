package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
)

// NowTS is the timestamp of cells in ordinary families.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// StampOf is the clock's time as a timestamp.
func StampOf(c clock.Clock) bigtable.Timestamp { return bigtable.Time(c.Now()) }

// ExpiresIn is the timestamp of a cell that lives for ttl.
func ExpiresIn(c clock.Clock, ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(ttl))
}

// ExpiresAt is the timestamp of a cell that lives until t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t.Truncate(time.Millisecond))
}

// Seq is the timestamp of a sequence number.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// RawSeq was Seq before somebody read the manual; the importer still uses it.
func RawSeq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Number is Seq's inverse.
func Number(it bigtable.ReadItem) int64 { return int64(it.Timestamp) / 1000 }

// Put sets one addressed cell.
func Put(mut *bigtable.Mutation, a schema.Address, ts bigtable.Timestamp, value []byte) {
	mut.Set(string(a.Family), string(a.Column), ts, value) // ok ttlwrite/server-timestamp
}

// PutString is Put for strings.
func PutString(mut *bigtable.Mutation, a schema.Address, ts bigtable.Timestamp, value string) {
	Put(mut, a, ts, []byte(value))
}

// Int encodes a counter.
func Int(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// ParseInt decodes a counter.
func ParseInt(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("store: counter of %d bytes", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Newest returns the first cell of an address.
func Newest(row bigtable.Row, a schema.Address) (bigtable.ReadItem, bool) {
	for _, it := range row[string(a.Family)] {
		if it.Column == a.Qualified() {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Text returns the first cell of an address as a string.
func Text(row bigtable.Row, a schema.Address) string {
	it, _ := Newest(row, a)
	return string(it.Value)
}

// LiveFilter passes what has not expired by now, in one-second families.
func LiveFilter(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// LiveFamily is LiveFilter for one family, newest cell per column.
func LiveFamily(f schema.Family, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), bigtable.TimestampRangeFilter(now, time.Time{}), bigtable.LatestNFilter(1))
}

// Within passes cells of the last d.
func Within(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// LatestOf passes the newest n cells of one family.
func LatestOf(f schema.Family, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), bigtable.LatestNFilter(n))
}

// WholeFamily passes one family, whatever its cells.
func WholeFamily(f schema.Family) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.FamilyFilter(string(f)))
}

// Load reads a row and decodes it.
func Load[T any](ctx context.Context, t Table, key string, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) (T, error) {
	var none T
	row, err := t.ReadRow(ctx, key, opts...)
	if err != nil {
		return none, fmt.Errorf("load %s: %w", key, err)
	}
	if len(row) == 0 {
		return none, ErrNotFound
	}
	return decode(row)
}

// Batch collects mutations for ApplyBulk.
type Batch struct {
	tbl  Table
	size int
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch flushes by itself every size mutations.
func NewBatch(tbl Table, size int) *Batch { return &Batch{tbl: tbl, size: size} }

// Add queues a mutation.
func (b *Batch) Add(ctx context.Context, key string, mut *bigtable.Mutation) error {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
	if len(b.keys) < b.size {
		return nil
	}
	return b.Flush(ctx)
}

// Flush writes what is queued.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	return errors.Join(append(errs, err)...)
}
