// Package btutil has what every store needs around the Bigtable client.
package btutil

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Live keeps the cells that expire at now or later.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Within keeps the cells whose timestamps are at most d old.
func Within(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// FamLive keeps one family's live cells.
func FamLive(fam string, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), Live(now))
}

// FamLatest keeps the n newest versions of one family.
func FamLatest(fam string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.LatestNFilter(n))
}

// ExpireIn is the timestamp of a cell that lives for d.
func ExpireIn(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// ExpireAt is the timestamp of a cell that lives until t.
func ExpireAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// NowTS is the current time as a timestamp.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// Seq is a sequence number as a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlwrite/unscaled-sequence

// SeqRaw is a sequence number as a timestamp, for numbers that are scaled already.
func SeqRaw(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// SeqOf is the reverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// MicroTS converts a moment as other languages' loaders do it.
func MicroTS(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.UnixMicro()) } // ok ttlunit/wrong-unit

// MilliTS is for values that come from the message bus.
func MilliTS(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.UnixMilli()) } // want ttlunit/wrong-unit

// Get reads one row. A nil filter reads everything.
func Get(ctx context.Context, tbl *bigtable.Table, key string, f bigtable.Filter) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", key, err)
	}
	return row, nil
}

// Scan reads the rows with a prefix.
func Scan(ctx context.Context, tbl *bigtable.Table, prefix string, f bigtable.Filter, fn func(bigtable.Row) bool) error {
	if f == nil {
		return tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), fn)
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), fn, bigtable.RowFilter(f))
}

// Find returns the first cell of a column.
func Find(row bigtable.Row, fam, col string) (bigtable.ReadItem, bool) {
	for _, it := range row[fam] {
		if it.Column == fam+":"+col {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Value returns the first value of a column, or nil.
func Value(row bigtable.Row, fam, col string) []byte {
	it, ok := Find(row, fam, col)
	if !ok {
		return nil
	}
	return it.Value
}

// PutJSON sets a column to v as JSON.
func PutJSON(m *bigtable.Mutation, fam, col string, ts bigtable.Timestamp, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m.Set(fam, col, ts, b)
	return nil
}

// PutInt sets a column to a big-endian number.
func PutInt(m *bigtable.Mutation, fam, col string, ts bigtable.Timestamp, n int64) {
	m.Set(fam, col, ts, Int(n))
}

// Int is the encoding that Increment understands.
func Int(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// IntOf is the reverse of Int.
func IntOf(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Buffer collects mutations and writes them in bulk.
type Buffer struct {
	tbl  *bigtable.Table
	max  int
	keys []string
	muts []*bigtable.Mutation
}

// NewBuffer returns a buffer that flushes itself at max mutations.
func NewBuffer(tbl *bigtable.Table, max int) *Buffer { return &Buffer{tbl: tbl, max: max} }

// Add takes one mutation.
func (b *Buffer) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	if len(b.keys) >= b.max {
		return b.Flush(ctx)
	}
	return nil
}

// Flush writes what has been collected.
func (b *Buffer) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Op is one cell of a batch.
type Op struct {
	Key, Family, Column string
	TS                  bigtable.Timestamp
	Value               []byte
}

// ApplyOps writes cells, one mutation for each row.
func ApplyOps(ctx context.Context, tbl *bigtable.Table, ops []Op) error {
	byKey := map[string]*bigtable.Mutation{}
	var order []string
	for _, op := range ops {
		m := byKey[op.Key]
		if m == nil {
			m = bigtable.NewMutation()
			byKey[op.Key] = m
			order = append(order, op.Key)
		}
		m.Set(op.Family, op.Column, op.TS, op.Value)
	}
	muts := make([]*bigtable.Mutation, len(order))
	for i, k := range order {
		muts[i] = byKey[k]
	}
	errs, err := tbl.ApplyBulk(ctx, order, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
