// Package rowhandler hands a row that was read to a function that another
// function made.
package rowhandler

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func collect(family string, into *[]string) func(bigtable.Row) bool {
	return func(row bigtable.Row) bool {
		for _, item := range row[family] {
			*into = append(*into, string(item.Value))
		}
		return true
	}
}

func profiles(into *[]string) func(bigtable.Row) bool {
	return func(row bigtable.Row) bool {
		*into = append(*into, string(row["profile"][0].Value))
		return true
	}
}

func ordinary(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	tbl := c.Open("sessions")
	handle := profiles(&out)
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("u#"), handle); err != nil {
		return nil, err
	}
	row, err := tbl.ReadRow(ctx, "u#0")
	if err != nil {
		return nil, err
	}
	handle(row)
	return out, nil
}

func expiring(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	handle := collect("token", &out)
	row, err := c.Open("sessions").ReadRow(ctx, "u#0") // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	handle(row)
	return out, nil
}
