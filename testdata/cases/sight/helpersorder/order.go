// Package helpersorder writes to mutations, and has functions change them that are given
// nothing else.
package helpersorder

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/helpersorder/del"
)

func clear(m *bigtable.Mutation) { m.DeleteCellsInFamily("token") }

func mark(m *bigtable.Mutation) { m.Set("latest", "mark", 0, nil) }

func deletes(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "v", ts, nil)
	clear(m) // want `delete-after-set: .*"token"`
}

func deletesAbroad(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "v", ts, nil)
	del.Clear(m) // want `delete-after-set: .*"token"`
}

func deletesColumn(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "w", ts, nil)
	del.ClearColumn(m)
	m.Set("token", "v", ts, nil)
	del.ClearColumn(m) // want `delete-after-set: .*"token"`
}

func replaces(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "w", ts, nil)
	del.Replace(m, ts) // want `delete-after-set: .*"token"`
}

func okReplaces(m *bigtable.Mutation, ts bigtable.Timestamp) {
	del.Replace(m, ts)
	m.Set("token", "w", ts, nil)
}

func okDeletes(m *bigtable.Mutation, ts bigtable.Timestamp) {
	clear(m)
	del.Clear(m)
	m.Set("token", "v", ts, nil)
}

func okOther(m, other *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set("token", "v", ts, nil)
	del.Clear(other)
	clear(other)
}

func okWrong(m *bigtable.Mutation, ts bigtable.Timestamp) { del.Wrong(m, ts) }

func okEither(m *bigtable.Mutation, ts bigtable.Timestamp, gone bool) {
	if gone {
		del.Clear(m)
	} else {
		m.Set("token", "v", ts, nil)
	}
}

func marks(m *bigtable.Mutation) {
	m.Set("latest", "mark", 0, nil)
	mark(m) // want `same-timestamp: .*"latest"`
}

func marksAbroad(m *bigtable.Mutation) {
	m.Set("latest", "mark", 0, nil)
	del.Mark(m) // want `same-timestamp: .*"latest"`
}

func okMarks(m *bigtable.Mutation) {
	m.Set("latest", "other", 0, nil)
	del.Mark(m)
}
