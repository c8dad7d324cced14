// Package step builds mutations of steps.
package step

import "cloud.google.com/go/bigtable"

// A Step changes a mutation.
type Step func(*bigtable.Mutation)

// Build makes a mutation.
func Build(steps ...Step) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, s := range steps {
		s(m)
	}
	return m
}

// Drop deletes a column.
func Drop(family, column string) Step {
	return func(m *bigtable.Mutation) { m.DeleteCellsInColumn(family, column) }
}

// Put sets a cell.
func Put(family, column string, ts bigtable.Timestamp) Step {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, nil) }
}
