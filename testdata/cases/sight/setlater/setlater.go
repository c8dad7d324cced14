// Package setlater sets by a method what a literal has begun with.
package setlater

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type entry struct{ at bigtable.Timestamp }

func (e *entry) set(t bigtable.Timestamp) { e.at = t }

func (e *entry) write(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", e.at, nil)
	return t.Apply(ctx, "k", m)
}

func later(ctx context.Context, c *bigtable.Client) error {
	e := &entry{at: bigtable.Now()}
	e.set(bigtable.Time(time.Now().Add(time.Hour)))
	return e.write(ctx, c.Open("sessions"))
}

func now(ctx context.Context, c *bigtable.Client) error {
	e := &entry{at: bigtable.Time(time.Now().Add(time.Hour))}
	e.set(bigtable.Now())
	return e.write(ctx, c.Open("sessions")) // want `write-time: .*"token"`
}
