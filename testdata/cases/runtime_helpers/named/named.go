// Package named has tables whose names are known when the program runs.
package named

import (
	"context"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// A run of each region has readings, which count up.
var (
	Reading  = ttl.Sequence("reading", 3)
	Readings = ttl.NewTable("readings-*", Reading)
)

func prefixed(ctx context.Context, c *bigtable.Client, region string) error {
	mut := bigtable.NewMutation()
	mut.Set("reading", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"reading" of table "readings-\*"`
	return c.Open("readings-"+region).Apply(ctx, "k", mut)
}

func asked(ctx context.Context, c *bigtable.Client, region string) (bigtable.Row, error) {
	table, err := Readings.Named("readings-" + region)
	if err != nil {
		return nil, err
	}
	tbl := c.Open(table.Name())
	mut := bigtable.NewMutation()
	mut.Set("reading", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"reading" of table "readings-\*"`
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		return nil, err
	}
	return tbl.ReadRow(ctx, "k") // want `missing-filter: .*"reading" of table "readings-\*"`
}

func okNamed(ctx context.Context, c *bigtable.Client, region string) (bigtable.Row, error) {
	table, err := Readings.Named("readings-" + region)
	if err != nil {
		return nil, err
	}
	tbl, mut := c.Open(table.Name()), bigtable.NewMutation()
	if err := Reading.Set(mut, "v", nil, 7); err != nil {
		return nil, err
	}
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		return nil, err
	}
	return tbl.ReadRow(ctx, "k", table.Live())
}

func okPattern(ctx context.Context, c *bigtable.Client, region string) (bigtable.Row, error) {
	return c.Open("readings-"+region).ReadRow(ctx, "k", Readings.Live())
}

func okOther(ctx context.Context, c *bigtable.Client, region string) error {
	mut := bigtable.NewMutation()
	mut.Set("reading", "v", bigtable.Now(), nil)
	return c.Open("other-"+region).Apply(ctx, "k", mut)
}
