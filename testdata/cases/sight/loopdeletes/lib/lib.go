// Package lib rewrites rows.
package lib

import "cloud.google.com/go/bigtable"

// Rewrite clears a family and writes one column of it.
func Rewrite(m *bigtable.Mutation, fam, col string, ts bigtable.Timestamp) {
	m.DeleteCellsInFamily(fam)
	m.Set(fam, col, ts, nil)
}

// Clear clears a family.
func Clear(m *bigtable.Mutation, fam string) { m.DeleteCellsInFamily(fam) }

// All clears a family in each turn.
func All(m *bigtable.Mutation, cols []string, ts bigtable.Timestamp) {
	for _, col := range cols {
		m.DeleteCellsInFamily("profile") // want `delete-after-set: .*"profile"`
		m.Set("profile", col, ts, nil)
	}
}
