// Package severalappended appends several elements in each turn of a loop.
package severalappended

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/severalappended/bt"
)

func two(ctx context.Context, c *bigtable.Client, keys []string) error {
	var ops []bt.Op
	for _, k := range keys {
		ops = append(ops,
			bt.Op{Key: k, Family: "profile", Column: "a", TS: bigtable.Now()},
			bt.Op{Key: k, Family: "token", Column: "b", TS: bigtable.ServerTime},
		)
	}
	return bt.Apply(ctx, c.Open("sessions"), ops) // want `server-timestamp: .*"token" of table "sessions"`
}

func okTwo(ctx context.Context, c *bigtable.Client, keys []string) error {
	var ops []bt.Op
	for _, k := range keys {
		expires := bigtable.Time(time.Now().Add(30 * time.Minute))
		ops = append(ops,
			bt.Op{Key: k, Family: "profile", Column: "a", TS: bigtable.Now()},
			bt.Op{Key: k, Family: "token", Column: "b", TS: expires},
			bt.Op{Key: k, Family: "token", Column: "c", TS: expires},
		)
	}
	return bt.Apply(ctx, c.Open("sessions"), ops)
}

func here(ctx context.Context, c *bigtable.Client, keys []string) error {
	var ops []bt.Op
	for _, k := range keys {
		ops = append(ops, bt.Op{Key: k, Family: "profile"}, bt.Op{Key: k, Family: "token", TS: bigtable.Now()})
	}
	for _, op := range ops {
		mut := bigtable.NewMutation()
		mut.Set(op.Family, op.Column, op.TS, nil) // want `write-time: .*"token"`
		if err := c.Open("sessions").Apply(ctx, op.Key, mut); err != nil {
			return err
		}
	}
	return nil
}
