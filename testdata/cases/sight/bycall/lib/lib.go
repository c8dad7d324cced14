// Package lib has helpers and objects for those who read.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Opts struct {
	Family string
	Keep   func(bigtable.ReadItem) bool
}

func Scan(ctx context.Context, tbl *bigtable.Table, o Opts) (out []string, err error) {
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[o.Family] {
			if o.Keep == nil || o.Keep(it) {
				out = append(out, string(it.Value))
			}
		}
		return true
	})
	return out, err
}

func Alive(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(time.Now()) }

func AliveAt(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

func Long(n int) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return len(it.Value) > n }
}

func Select(items []bigtable.ReadItem, keep func(bigtable.ReadItem) bool) (out []bigtable.ReadItem) {
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}

type Decoder interface{ Decode(r bigtable.Row) error }

type Reader struct{ tbl *bigtable.Table }

func NewReader(tbl *bigtable.Table) *Reader { return &Reader{tbl} }

func (r *Reader) Into(ctx context.Context, key string, d Decoder) error {
	row, err := r.tbl.ReadRow(ctx, key)
	if err != nil {
		return err
	}
	return d.Decode(row)
}

// Record is what others embed.
type Record struct {
	Row bigtable.Row
	At  time.Time
}

func (r Record) Text(family string) string {
	for _, it := range r.Row[family] {
		return string(it.Value)
	}
	return ""
}

func (r Record) Alive(family string) bool {
	for _, it := range r.Row[family] {
		if it.Timestamp.Time().After(r.At) {
			return true
		}
	}
	return false
}

func Read(ctx context.Context, tbl *bigtable.Table) (Record, error) {
	row, err := tbl.ReadRow(ctx, "k")
	return Record{row, time.Now()}, err
}

func Oldest(items []bigtable.ReadItem) (t time.Time) {
	for _, it := range items {
		t = Earlier(t, it.Timestamp.Time())
	}
	return t
}

func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func Left(it bigtable.ReadItem, now time.Time) time.Duration { return it.Timestamp.Time().Sub(now) }

func Until(it bigtable.ReadItem) time.Time { return it.Timestamp.Time() }
