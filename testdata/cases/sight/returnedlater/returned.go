// Package returnedlater returns an object that a literal captures: what it holds by then
// counts, not what it held when it was made.
package returnedlater

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type coarse struct{ ns int64 }

// refreshed is not known: the goroutine writes too.
func refreshed() *coarse {
	c := new(coarse)
	c.ns = time.Now().UnixNano()
	go func() {
		for now := range time.Tick(time.Second) {
			c.ns = now.UnixNano()
		}
	}()
	return c
}

func read() *coarse {
	c := new(coarse)
	c.ns = time.Now().UnixNano()
	go func() { println(c.ns) }()
	return c
}

func ahead() *coarse {
	c := new(coarse)
	c.ns = time.Now().Add(time.Hour).UnixNano()
	go func() { println(c.ns) }()
	return c
}

func never() *coarse {
	c := new(coarse)
	go func() { println(c.ns) }()
	return c
}

func put(ctx context.Context, c *bigtable.Client, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "snooze", bigtable.Time(until), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

func use(ctx context.Context, c *bigtable.Client) {
	put(ctx, c, time.Unix(0, refreshed().ns))
	put(ctx, c, time.Unix(0, ahead().ns))
	put(ctx, c, time.Unix(0, read().ns))  // want `write-time: .*"token"`
	put(ctx, c, time.Unix(0, never().ns)) // want `already-expired: .*"token"`
}
