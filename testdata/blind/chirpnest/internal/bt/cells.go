// Package bt is our thin layer on Bigtable: cells, filters, findOne, upsert.
package bt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Zero is the timestamp of families that keep one value.
const Zero bigtable.Timestamp = 0

// Cell is one cell to write.
type Cell struct {
	Family string
	Column string
	TS     bigtable.Timestamp
	Value  []byte
}

// ExpiresIn is the timestamp of a cell that lives for d.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that lives until t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// Shifted is the timestamp of a cell that lives for ttl in a family that keeps cells for def.
func Shifted(ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl - def))
}

// Stamp is the time of writing.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// Seq is a sequence number as a timestamp.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// SeqOf is the sequence number of a timestamp.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Remaining is what is left of a cell whose timestamp is its expiry.
func Remaining(it bigtable.ReadItem, now time.Time) time.Duration {
	return it.Timestamp.Time().Sub(now)
}

// JSON encodes v; our DTOs always encode.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// Int64 is the encoding of counters.
func Int64(n int64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return b[:]
}

// ParseInt64 is the reverse of Int64.
func ParseInt64(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Upsert writes the cells in one mutation.
func Upsert(ctx context.Context, tbl *bigtable.Table, key string, cells ...Cell) error {
	mut := bigtable.NewMutation()
	for _, c := range cells {
		mut.Set(c.Family, c.Column, c.TS, c.Value)
	}
	return tbl.Apply(ctx, key, mut)
}

// Replace clears the columns first.
func Replace(ctx context.Context, tbl *bigtable.Table, key string, cells ...Cell) error {
	mut := bigtable.NewMutation()
	for _, c := range cells {
		mut.DeleteCellsInColumn(c.Family, c.Column)
		mut.Set(c.Family, c.Column, c.TS, c.Value)
	}
	return tbl.Apply(ctx, key, mut)
}

// Put writes one value.
func Put(ctx context.Context, tbl *bigtable.Table, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, v)
	return tbl.Apply(ctx, key, mut)
}

// Incr adds n and returns the sum.
func Incr(ctx context.Context, tbl *bigtable.Table, key, family, column string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, n)
	row, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[family] {
		return ParseInt64(it.Value), nil
	}
	return 0, nil
}

// Drop deletes rows.
func Drop(ctx context.Context, tbl *bigtable.Table, keys []string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// Pick is the newest cell of a column.
func Pick(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	want := family + ":" + column
	for _, it := range row[family] {
		if it.Column == want {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Text is the value of a column as a string.
func Text(row bigtable.Row, family, column string) string {
	it, ok := Pick(row, family, column)
	if !ok {
		return ""
	}
	return string(it.Value)
}

// Qualifier is the column without its family.
func Qualifier(it bigtable.ReadItem) string {
	_, q, _ := strings.Cut(it.Column, ":")
	return q
}
