// Package rows looks for cells.
package rows

import (
	"iter"

	"cloud.google.com/go/bigtable"
)

// Cells ranges over the cells of one family of a row.
func Cells[F ~string](r bigtable.Row, family F) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range r[string(family)] {
			if !yield(it) {
				return
			}
		}
	}
}

// First is the first cell of a column.
func First[F ~string](r bigtable.Row, family F, column string) (bigtable.ReadItem, bool) {
	want := string(family) + ":" + column
	for it := range Cells(r, family) {
		if it.Column == want {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Find is the same, without generics.
func Find(r bigtable.Row, family, column string) (it bigtable.ReadItem, ok bool) {
	for _, it := range r[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return
}

// Option changes how Put writes a cell.
type Option func(*config)

type config struct{ at bigtable.Timestamp }

// At writes the cell at ts.
func At(ts bigtable.Timestamp) Option { return func(c *config) { c.at = ts } }

// Put sets a cell.
func Put[F ~string](m *bigtable.Mutation, family F, column string, value []byte, opts ...Option) {
	c := config{at: bigtable.Now()}
	for _, o := range opts {
		o(&c)
	}
	m.Set(string(family), column, c.at, value)
}
