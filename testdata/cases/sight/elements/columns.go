package elements

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/elements/cols"
)

// A column is no object that writes: what is wrong stands where it is written.
var (
	tokens = cols.In("token")
	issuer = tokens("iss")
	name   = cols.In("profile")("name")
)

func issue(ctx context.Context, c *bigtable.Client, id string) error {
	m := cols.New()
	m.Put(name, nil)
	m.Put(issuer, nil) // want `write-time: .*"token"`
	if err := c.Open("sessions").Apply(ctx, id, m.Done()); err != nil {
		return err
	}
	return c.Open("sessions").Apply(ctx, id, cols.New().Put(tokens("x"), nil).Done()) // want `write-time: .*"token"`
}
