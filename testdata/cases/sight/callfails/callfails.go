// Package callfails writes with the lifetime that a configuration has, which is the zero
// value only beside the error of a call that fails.
package callfails

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/callfails/load"
)

// Write expires what it writes.
func Write(ctx context.Context, c *bigtable.Client, key string) error {
	cfg, err := load.Load("config.json")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Time(time.Now().Add(cfg.TTL)), nil)
	return c.Open("sessions").Apply(ctx, key, mut)
}

// Lost does not.
func Lost(ctx context.Context, c *bigtable.Client, key string) error {
	cfg, err := load.Forgotten("config.json")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Time(time.Now().Add(cfg.TTL)), nil) // want `already-expired: .*"token"`
	return c.Open("sessions").Apply(ctx, key, mut)
}

func within(path string) (ttl time.Duration, err error) {
	if err := remove(path); err != nil {
		return 0, err
	}
	return time.Hour, nil
}

var remove func(string) error

// Here is the same in one package.
func Here(ctx context.Context, c *bigtable.Client, key string) error {
	ttl, err := within("x")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Time(time.Now().Add(ttl)), nil)
	return c.Open("sessions").Apply(ctx, key, mut)
}
