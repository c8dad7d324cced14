// Package bt has iterators over rows that yield their errors too.
package bt

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// Scan yields the rows of a table.
func Scan(ctx context.Context, t *bigtable.Table) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { return yield(r, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// Table is a table.
type Table struct{ tbl *bigtable.Table }

// Open opens one.
func Open(c *bigtable.Client, name string) *Table { return &Table{c.Open(name)} }

// Items yields the cells of a family.
func (t *Table) Items(ctx context.Context, family string) iter.Seq2[bigtable.ReadItem, error] {
	return func(yield func(bigtable.ReadItem, error) bool) {
		live := bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
		row, err := t.tbl.ReadRow(ctx, "k", bigtable.RowFilter(live))
		if err != nil {
			yield(bigtable.ReadItem{}, fmt.Errorf("read: %w", err))
			return
		}
		for _, it := range row[family] {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// Keys yields the rows of keys.
func Keys(ctx context.Context, t *bigtable.Table, keys ...string) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		for _, k := range keys {
			row, err := t.ReadRow(ctx, k)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
