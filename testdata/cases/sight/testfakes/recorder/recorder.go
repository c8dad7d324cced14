package recorder

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type cells interface {
	Set(family, column string, ts bigtable.Timestamp, value []byte)
}

func putAt(w cells, family, col string, ts bigtable.Timestamp) { w.Set(family, col, ts, nil) }

func Fence(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	putAt(mut, "profile", "c", bigtable.ServerTime)
	return c.Open("sessions").Apply(ctx, "k", mut)
}
