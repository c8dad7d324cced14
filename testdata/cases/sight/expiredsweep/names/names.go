// Package names cuts names.
package names

import (
	"strings"

	"cloud.google.com/go/bigtable"
)

// Qualifier returns the column of a cell without its family.
func Qualifier(it bigtable.ReadItem) string {
	_, q, _ := strings.Cut(it.Column, ":")
	return q
}

// Split returns the family and the column.
func Split(name string) (family, column string) {
	family, column, _ = strings.Cut(name, ":")
	return family, column
}

// Delete deletes a cell.
func Delete(mut *bigtable.Mutation, it bigtable.ReadItem) {
	mut.DeleteTimestampRange("token", Qualifier(it), 0, it.Timestamp+1000)
}
