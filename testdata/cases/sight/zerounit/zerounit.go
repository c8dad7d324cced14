// Package zerounit has times that are counted in a wrong unit whatever they are, beside a
// zero, which is one in every unit.
package zerounit

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/zerounit/src"
)

// Import gets its records from nobody in view.
func Import(ctx context.Context, c *bigtable.Client, in src.Option) error {
	r := in.OrElse(src.Rec{})
	m := bigtable.NewMutation()
	m.Set("profile", "a", bigtable.Timestamp(time.Unix(r.EndSec, 0).UnixMilli()), nil) // want `wrong-unit: .*not milliseconds`
	m.Set("profile", "b", bigtable.Timestamp(time.Unix(r.EndSec, 0).UnixMicro()), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

// OkOtherwise counts in a wrong unit on one way only, which a parameter decides.
func OkOtherwise(ctx context.Context, c *bigtable.Client, in src.Option, milli bool) error {
	n := time.Unix(0, 0).UnixMicro()
	if milli {
		n = time.Unix(in.OrElse(src.Rec{}).EndSec, 0).UnixMilli()
	}
	m := bigtable.NewMutation()
	m.Set("profile", "a", bigtable.Timestamp(n), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}

// okZero is the start of 1970, which is a zero.
func okZero(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("latest", "a", bigtable.Timestamp(time.Unix(0, 0).UnixMilli()), nil)
	return c.Open("catalog").Apply(ctx, "k", m)
}
