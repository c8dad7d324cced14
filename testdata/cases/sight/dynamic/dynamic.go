// Package dynamic has one type that implements its interface, and calls others
// by it.
package dynamic

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/dynamic/rows"
)

type marshaler interface {
	Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp)
}

type local struct{}

func (local) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("profile", "l", ts, nil) }

func imported(mut *bigtable.Mutation) {
	var m marshaler = &rows.Hold{}
	m.Marshal(mut, bigtable.Now()) // want `write-time`
}

func okImported(mut *bigtable.Mutation) {
	var m marshaler = &rows.Note{}
	m.Marshal(mut, bigtable.Now())
	m = local{}
	m.Marshal(mut, bigtable.Now())
}

func loop(mut *bigtable.Mutation) {
	for _, m := range []marshaler{&rows.Note{}, &rows.Hold{}, local{}} {
		m.Marshal(mut, bigtable.Now()) // want `write-time`
	}
}

func okGiven(mut *bigtable.Mutation, m marshaler) { m.Marshal(mut, bigtable.Now()) }
