// Package manynames makes the name of a family in more ways than are followed: what is
// left may be any family.
package manynames

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func set(row bigtable.Row, a, b, c, d, e, g, last bool) int {
	f := "profile"
	if a {
		f += "a"
	}
	if b {
		f += "b"
	}
	if c {
		f += "c"
	}
	if d {
		f += "d"
	}
	if e {
		f += "e"
	}
	if g {
		f += "g"
	}
	if last {
		f = "token"
	}
	return len(row[f])
}

func unset(row bigtable.Row, a, b, c, d, e, g, last bool) int {
	f := "profile"
	if !a {
		f += "a"
	}
	if !b {
		f += "b"
	}
	if !c {
		f += "c"
	}
	if !d {
		f += "d"
	}
	if !e {
		f += "e"
	}
	if !g {
		f += "g"
	}
	if !last {
		f = "token"
	}
	return len(row[f])
}

func ifSet(ctx context.Context, c *bigtable.Client, v [7]bool) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return set(row, v[0], v[1], v[2], v[3], v[4], v[5], v[6]), err
}

func ifUnset(ctx context.Context, c *bigtable.Client, v [7]bool) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return unset(row, v[0], v[1], v[2], v[3], v[4], v[5], v[6]), err
}

func okFew(ctx context.Context, c *bigtable.Client, short bool) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	f := "profile"
	if short {
		f = "pro"
	}
	return len(row[f]), err
}
