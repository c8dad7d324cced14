// Package server makes the stores of another package, with options and without.
package server

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/optionedtable/store"
)

// Run uses them.
func Run(ctx context.Context, c *bigtable.Client) {
	s := store.New(c)
	_, _ = s.Exists(ctx, "x")
	_, _ = s.Live(ctx, "x")
	_ = s.Touch(ctx, "x")
	_ = s.Keep(ctx, "x")

	clocked := store.New(c, store.WithNow(time.Now))
	_, _ = clocked.Exists(ctx, "x")
	_ = clocked.Touch(ctx, "x")

	t := store.NewTickets(c, nil)
	_, _ = t.Get(ctx, "x")
	prefixed := store.NewTickets(c, func(t *store.Tickets) { t.Prefix = "x/" })
	_, _ = prefixed.Get(ctx, "x")
	own := store.NewTickets(c, func(t *store.Tickets) { t.Tbl = c.Open("metrics") })
	_, _ = own.Get(ctx, "x")

	l := store.NewLogs(store.In(c.Open("sessions")))
	_ = l.Add(ctx, "x")
	n := store.NewNotes(c)
	_ = n.Add(ctx, "x")
	_, _ = n.Old(ctx)
	unregistered := store.NewLogs(store.In(c.Open("other")))
	_ = unregistered.Add(ctx, "x")
}
