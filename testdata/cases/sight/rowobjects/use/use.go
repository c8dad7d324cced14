// Package use uses rows by way of another package's objects.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowobjects/lib"
)

func okProfile(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return lib.Of(row).Len("profile")
}

func token(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return lib.Of(row).Len("token")
}

func okLive(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	v := lib.Of(row)
	return v.Live()
}

func okLoaded(ctx context.Context, c *bigtable.Client) int {
	v, err := lib.Load(ctx, c.Open("sessions"))
	if err != nil {
		return 0
	}
	return v.Len("profile")
}

func loaded(ctx context.Context, c *bigtable.Client) int {
	v, err := lib.Load(ctx, c.Open("sessions")) // want `missing-filter: .*"token"`
	if err != nil {
		return 0
	}
	return v.Len("token")
}

var _ = []any{okProfile, token, okLive, okLoaded, loaded}
