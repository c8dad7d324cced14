// Package lib reads, and hands cells and rows to what its callers give it.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Each hands each cell to a function.
func Each(ctx context.Context, tbl *bigtable.Table, family string, f func(bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[family] {
			f(it)
		}
		return true
	})
}

// A Checker says which cells live.
type Checker interface{ Alive(bigtable.ReadItem) bool }

// Count counts the cells of a row that a checker lets pass.
func Count(r bigtable.Row, family string, c Checker) (n int) {
	for _, it := range r[family] {
		if c.Alive(it) {
			n++
		}
	}
	return n
}

// A Decoder takes what it wants of a row.
type Decoder interface{ Decode(bigtable.Row) int }

// Fetch reads a row for a decoder.
func Fetch(ctx context.Context, tbl *bigtable.Table, d Decoder) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return 0, err
	}
	return d.Decode(row), nil
}

// Filter keeps elements.
func Filter[T any](items []T, keep func(T) bool) (out []T) {
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}
