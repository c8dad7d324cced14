// Package lib has a buffer of rows that is written later.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Row is written later.
type Row struct {
	Family string
	TS     bigtable.Timestamp
}

// Queue holds rows.
type Queue struct {
	tbl  *bigtable.Table
	rows []Row
}

// New makes a queue.
func New(c *bigtable.Client) *Queue { return &Queue{tbl: c.Open("sessions"), rows: make([]Row, 0, 8)} }

// Add adds a row.
func (q *Queue) Add(r Row) { q.rows = append(q.rows, r) }

// AddTimes adds a row as often as that.
func (q *Queue) AddTimes(r Row, times int) {
	for range times {
		q.rows = append(q.rows, r)
	}
}

// Flush writes the rows.
func (q *Queue) Flush(ctx context.Context) error {
	rows := q.rows
	q.rows = nil
	for _, r := range rows {
		m := bigtable.NewMutation()
		m.Set(r.Family, "c", r.TS, nil)
		if err := q.tbl.Apply(ctx, "k", m); err != nil {
			return err
		}
	}
	return nil
}
