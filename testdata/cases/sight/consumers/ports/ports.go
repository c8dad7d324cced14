// Package ports has an interface, and the only type that implements it.
package ports

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Locker locks.
type Locker interface {
	Lock(ctx context.Context, user string, until time.Time) error
}

type locker struct{ tbl *bigtable.Table }

// New opens one.
func New(c *bigtable.Client) Locker { return &locker{tbl: c.Open("sessions")} }

func (l *locker) Lock(ctx context.Context, user string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "lock", bigtable.Time(until), nil)
	return l.tbl.Apply(ctx, user, mut)
}
