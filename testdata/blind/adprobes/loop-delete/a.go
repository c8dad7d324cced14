// Package loopdelete: a deletion in a loop covers what the turn before set. Missed.
package loopdelete

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func soon() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func family(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInFamily("cap") // want ttlwrite/delete-after-set
		m.Set("cap", col, soon(), nil)
	}
}

func row(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteRow() // want ttlwrite/delete-after-set
		m.Set("seg", col, bigtable.Now(), nil)
	}
}

func column(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInColumn("cap", col) // ok ttlwrite/delete-after-set
		m.Set("cap", col, soon(), nil)
	}
}

func own(cols []string) (out []*bigtable.Mutation) {
	for _, col := range cols {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("cap") // ok ttlwrite/delete-after-set
		m.Set("cap", col, soon(), nil)
		out = append(out, m)
	}
	return out
}

func all(cols []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	family(m, cols)
	return m
}

func all2(cols []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	row(m, cols)
	column(m, nil)
	return m
}

var _ = []any{all, all2, own}
