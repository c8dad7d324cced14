// Package rows looks for cells in rows.
package rows

import (
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Cell returns the cell of a column, or nil.
func Cell(row bigtable.Row, family, column string) *bigtable.ReadItem {
	for i := range row[family] {
		if row[family][i].Column == family+":"+column {
			return &row[family][i]
		}
	}
	return nil
}

// Find returns the cell of a column.
func Find(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if strings.TrimPrefix(it.Column, family+":") == column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Of returns the cell of a column in a list.
func Of(items []bigtable.ReadItem, column string) (found bigtable.ReadItem) {
	for _, it := range items {
		if it.Column == column {
			return it
		}
	}
	return found
}

// Moment returns when the cell of a column is.
func Moment(row bigtable.Row, family, column string) (time.Time, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Timestamp.Time(), true
		}
	}
	return time.Time{}, false
}
