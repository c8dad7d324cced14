// Package rows looks for cells.
package rows

import (
	"iter"
	"time"

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

// End looks for the time at which a cell ends.
func End(row bigtable.Row, family, column string) (time.Time, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Timestamp.Time(), true
		}
	}
	return time.Time{}, false
}

// Newest returns the newest timestamp of a family.
func Newest(row bigtable.Row, family string) (ts bigtable.Timestamp) {
	for _, it := range row[family] {
		if it.Timestamp > ts {
			ts = it.Timestamp
		}
	}
	return ts
}

// Size is the length of what a family holds.
func Size(row bigtable.Row, family string) (n time.Duration) {
	for _, it := range row[family] {
		n += time.Duration(len(it.Value))
	}
	return n
}
