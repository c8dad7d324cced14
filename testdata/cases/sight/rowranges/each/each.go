// Package each ranges over rows.
package each

import (
	"iter"

	"cloud.google.com/go/bigtable"
)

// Cell yields the cells of a family.
func Cell(row bigtable.Row, family string) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(it) {
				return
			}
		}
	}
}

// Column yields the cells of a family by their columns.
func Column(row bigtable.Row, family string) iter.Seq2[string, bigtable.ReadItem] {
	return func(yield func(string, bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if len(it.Value) > 0 && !yield(it.Column[len(family)+1:], it) {
				return
			}
		}
	}
}
