// Package lib takes families out of texts.
package lib

import (
	"strings"

	"cloud.google.com/go/bigtable"
)

// Put writes the column "family:qualifier".
func Put(m *bigtable.Mutation, column string, ts bigtable.Timestamp) {
	fam, col, ok := strings.Cut(column, ":")
	if !ok {
		fam, col = "profile", column
	}
	m.Set(fam, col, ts, nil)
}

// Each writes columns "family:a,b,c".
func Each(m *bigtable.Mutation, columns string, ts bigtable.Timestamp) {
	fam := columns[:strings.IndexByte(columns, ':')]
	for _, col := range strings.Split(columns[len(fam)+1:], ",") {
		m.Set(fam, col, ts, nil)
	}
}
