// Package guardedvalues calls functions by values that have them: what they guard is
// guarded.
package guardedvalues

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Task has a lifetime, perhaps.
type Task struct {
	ID      string
	Status  int
	Timeout time.Duration
}

// Q is a table of tasks.
type Q struct {
	tbl   *bigtable.Table
	now   func() time.Time
	stamp func(Task) bigtable.Timestamp
}

// Open returns a table.
func Open(c *bigtable.Client) *Q {
	q := &Q{tbl: c.Open("sessions"), now: time.Now}
	q.stamp = q.deadline
	return q
}

func (q *Q) deadline(t Task) bigtable.Timestamp {
	if t.Timeout > 0 {
		return bigtable.Time(q.now().Add(t.Timeout))
	}
	return bigtable.Time(q.now().Add(time.Hour))
}

func (q *Q) bare(t Task) bigtable.Timestamp { return bigtable.Time(q.now().Add(t.Timeout)) }

// Field writes by a method value in a field.
func (q *Q) Field(ctx context.Context, t Task) error {
	m := bigtable.NewMutation()
	m.Set("token", "status", q.stamp(t), nil)
	return q.tbl.Apply(ctx, t.ID, m)
}

var transitions = []struct {
	from, to int
	write    func(q *Q, m *bigtable.Mutation, t Task)
}{
	{0, 1, func(q *Q, m *bigtable.Mutation, t Task) { m.Set("token", "status", q.stamp(t), nil) }},
	{1, 2, func(q *Q, m *bigtable.Mutation, t Task) { m.Set("token", "status", q.deadline(t), nil) }},
}

// Move writes by a table of functions.
func (q *Q) Move(ctx context.Context, t Task, to int) error {
	for _, tr := range transitions {
		if tr.from == t.Status && tr.to == to {
			m := bigtable.NewMutation()
			tr.write(q, m, t)
			return q.tbl.Apply(ctx, t.ID, m)
		}
	}
	return nil
}

// Unguarded writes by a method value that guards nothing.
func (q *Q) Unguarded(ctx context.Context, t Task) error {
	at := q.bare
	m := bigtable.NewMutation()
	m.Set("token", "status", at(t), nil)
	return q.tbl.Apply(ctx, t.ID, m)
}

// Bad leaves the lifetime out.
func Bad(ctx context.Context, q *Q) error {
	return q.Unguarded(ctx, Task{ID: "3"}) // want `write-time: .*"token"`
}

// Good leaves it out where that is guarded.
func Good(ctx context.Context, c *bigtable.Client) error {
	q := Open(c)
	_ = q.Field(ctx, Task{ID: "2"})
	return q.Move(ctx, Task{ID: "1"}, 1)
}
