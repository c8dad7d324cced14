package use

import (
	"context"

	"cloud.google.com/go/bigtable"
	"example.com/blind/purehelper/names"
)

func Use(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set(names.Token.String(), "a", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	m.Set("token", "b", bigtable.Time(names.UTC()), nil)       // want `write-time: .*"token"`
	m.Set(string(names.Token), "c", bigtable.ServerTime, nil)  // want `server-timestamp: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", m)
}
