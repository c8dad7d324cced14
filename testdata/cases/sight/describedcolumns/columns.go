// Package describedcolumns describes columns once, and writes each by the methods that are
// right for it: that another method would be wrong says nothing of the description.
package describedcolumns

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/describedcolumns/bt"
)

var (
	colToken = bt.Col("token", "d")
	colEntry = bt.Col("entry", "e")
)

func okToken(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	colToken.PutUntil(mut, time.Now().Add(time.Hour))
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okEntry(ctx context.Context, c *bigtable.Client, n int64) error {
	mut := bigtable.NewMutation()
	colEntry.Put(mut, bigtable.Timestamp(n*1000))
	return c.Open("eu-ledger").Apply(ctx, "k", mut)
}

func until(ctx context.Context, c *bigtable.Client, t time.Time) error {
	mut := bigtable.NewMutation()
	colEntry.PutUntil(mut, t) // want `clock-in-sequence`
	return c.Open("eu-ledger").Apply(ctx, "k", mut)
}
