// Package queue collects what is to be written, and sends it in batches.
package queue

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Queue holds mutations until there are enough.
type Queue struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

// New makes a queue for a table.
func New(tbl *bigtable.Table) *Queue { return &Queue{tbl: tbl} }

// Put adds one.
func (q *Queue) Put(ctx context.Context, key string, m *bigtable.Mutation) error {
	q.keys = append(q.keys, key)
	q.muts = append(q.muts, m)
	if len(q.keys) < 100 {
		return nil
	}
	return q.Send(ctx)
}

// Send sends all.
func (q *Queue) Send(ctx context.Context) error {
	_, err := q.tbl.ApplyBulk(ctx, q.keys, q.muts)
	q.keys, q.muts = nil, nil
	return err
}
