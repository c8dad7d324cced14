package attempt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func retry(n int, f func(attempt int) error) (err error) {
	for i := range n {
		if err = f(i); err == nil { // want `unscaled-sequence: .*"state"`
			return nil
		}
	}
	return err
}

func Use(ctx context.Context, c *bigtable.Client) error {
	return retry(3, func(attempt int) error {
		m := bigtable.NewMutation()
		m.Set("state", "s", bigtable.Timestamp(attempt), nil)
		return c.Open("devices").Apply(ctx, "k", m)
	})
}
