// Package codec reads cells.
package codec

import "cloud.google.com/go/bigtable"

// First is the first cell of a column, or nil.
func First(row bigtable.Row, family, column string) []byte {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}
