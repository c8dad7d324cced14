package samelife

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func set(m *bigtable.Mutation, column string, ts bigtable.Timestamp) {
	m.Set("token", column, ts, nil) // -strict: must be silent, every life is an hour
}

func Use(ctx context.Context, c *bigtable.Client) error {
	exp := bigtable.Time(time.Now().Add(time.Hour))
	m := bigtable.NewMutation()
	set(m, "a", exp)
	set(m, "b", exp)
	return c.Open("sessions").Apply(ctx, "k", m)
}
