// Package never writes cells that never expire, by a moment that was taken
// once and lies so far ahead that it does not matter; and logs rows where they
// could not be read.
package never

import (
	"context"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/never/clock"
)

var (
	never = bigtable.Time(time.Now().AddDate(100, 0, 0))
	far   = bigtable.Time(time.Now().Add(50 * 365 * 24 * time.Hour))
	soon  = bigtable.Time(time.Now().Add(time.Hour))
)

func okNever(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", never, nil)
	mut.Set("token", "b", far, nil)
	mut.Set("token", "c", bigtable.Time(clock.Never), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okOptional(ctx context.Context, c *bigtable.Client, expires *time.Time) error {
	ts := never
	if expires != nil {
		ts = bigtable.Time(*expires)
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", ts, nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func stale(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", soon, nil)                      // want `stale-clock: `
	mut.Set("token", "b", bigtable.Time(clock.Soon), nil) // want `stale-clock: `
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okLogged(ctx context.Context, c *bigtable.Client) ([]string, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		log.Printf("reading %v: %v", row, err)
		return nil, err
	}
	var out []string
	for _, it := range row["profile"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

func okWrapped(ctx context.Context, c *bigtable.Client) (string, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return "", fmt.Errorf("reading %+v: %w", row, err)
	}
	for _, it := range row["profile"] {
		return string(it.Value), nil
	}
	return "", nil
}

func printed(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return err
	}
	fmt.Println(row)
	return nil
}
