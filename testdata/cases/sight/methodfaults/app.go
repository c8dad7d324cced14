// Package methodfaults gives objects the table for which several of their methods are wrong.
package methodfaults

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/methodfaults/store"
)

func each(ctx context.Context, c *bigtable.Client) {
	s := store.New(c.Open("cache")) // want `wrong-bound: .*from sight/methodfaults/store/store.go:28, reached at sight/methodfaults/store/store.go:19` `wrong-bound: .*from sight/methodfaults/store/store.go:33, reached at` `write-time: .*from sight/methodfaults/store/store.go:46, reached at sight/methodfaults/store/store.go:41` `write-time: .*from sight/methodfaults/store/store.go:49, reached at`
	s.Hour(ctx)
	s.Day(ctx)
	s.Now(ctx)
	s.Put(ctx)
	s.Touch(ctx)
}

func okReal(ctx context.Context, c *bigtable.Client) {
	s := store.New(c.Open("wallets"))
	s.Hour(ctx)
	s.Put(ctx)
}

func whole(ctx context.Context, c *bigtable.Client) {
	w := store.NewWhole(c.Open("cache")) // want `missing-filter: .*\(reached at sight/methodfaults/store/store.go:58\)`
	w.User(ctx, "1")
	w.Org(ctx, "1")
}
