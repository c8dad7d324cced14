// Package del changes mutations that it is given, by names of its own.
package del

import "cloud.google.com/go/bigtable"

// Clear deletes the tokens.
func Clear(m *bigtable.Mutation) { m.DeleteCellsInFamily("token") }

// ClearColumn deletes one column.
func ClearColumn(m *bigtable.Mutation) { m.DeleteCellsInColumn("token", "v") }

// Replace deletes before it writes.
func Replace(m *bigtable.Mutation, ts bigtable.Timestamp) {
	Clear(m)
	m.Set("token", "v", ts, nil)
}

// Wrong deletes what it wrote, whoever calls it.
func Wrong(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "v", ts, nil)
	Clear(m) // want `delete-after-set: .*"token"`
}

// Mark writes the page's mark.
func Mark(m *bigtable.Mutation) { m.Set("latest", "mark", 0, nil) }
