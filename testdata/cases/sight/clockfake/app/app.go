// Package app gives the store its clock by a field that one step of the start sets and
// another reads: no finding belongs here.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockfake/clock"
	"example.com/cases/sight/clockfake/store"
)

type app struct {
	clock clock.Clock
	store *store.Store
}

func start(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

// Run starts and writes.
func Run(ctx context.Context, c *bigtable.Client) error {
	a := &app{}
	return start(
		func() error { a.clock = clock.System{}; return nil },
		func() error { a.store = store.New(c, a.clock); return nil },
		func() error { return a.store.Touch(ctx, "k") },
		func() error { return a.store.Keep(ctx, "k") },
	)
}

// Direct writes with the system's clock.
func Direct(ctx context.Context, c *bigtable.Client) error {
	return store.New(c, clock.System{}).Touch(ctx, "k")
}
