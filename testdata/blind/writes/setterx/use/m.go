package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/setterx/lib"
)

func A(ctx context.Context, c *bigtable.Client) error {
	m := lib.NewRow().At(time.Now().Add(time.Hour)).Set("token").Mutation() // silent
	return c.Open("sessions").Apply(ctx, "k", m)
}

func B(ctx context.Context, c *bigtable.Client) error {
	r := lib.NewRow()
	r.At(time.Now().Add(time.Hour))
	r.Set("token") // silent
	return c.Open("sessions").Apply(ctx, "k", r.Mutation())
}
