// Package queue writes behind: what is put into it carries its table.
package queue

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Write is a mutation with where it goes.
type Write struct {
	Table *bigtable.Table
	Key   string
	Mut   *bigtable.Mutation
}

// A Queue writes behind.
type Queue struct{ ch chan Write }

// New starts one.
func New() *Queue {
	q := &Queue{ch: make(chan Write, 64)}
	go q.run()
	return q
}

// Put queues a write.
func (q *Queue) Put(w Write) { q.ch <- w }

func (q *Queue) run() {
	for w := range q.ch {
		if err := w.Table.Apply(context.Background(), w.Key, w.Mut); err != nil {
			continue
		}
	}
}

// Clear deletes what a column holds.
func Clear(mut *bigtable.Mutation, family, column string) { mut.DeleteCellsInColumn(family, column) }

// Replace deletes, then sets.
func Replace(mut *bigtable.Mutation, family, column string, ts bigtable.Timestamp, v []byte) {
	Clear(mut, family, column)
	mut.Set(family, column, ts, v)
}
