// Package rangefuncs loops over functions, and hands cells to function values by a
// generic function of another package.
package rangefuncs

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rangefuncs/seq"
)

func families() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range []string{"token", "profile"} {
			if !yield(f) {
				return
			}
		}
	}
}

func write(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	for f := range families() {
		mut.Set(f, "a", bigtable.Now(), nil) // want `write-time: .*"token"`
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	for f := range families() {
		mut.Set(f, "a", bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func writeAbroad(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	for f := range seq.Of("token", "profile") {
		mut.Set(f, "a", bigtable.Now(), nil) // want `write-time: .*"token"`
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okAbroad(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	for f := range seq.Of("profile") {
		mut.Set(f, "a", bigtable.Now(), nil)
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func values(ctx context.Context, c *bigtable.Client) ([]string, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return seq.Map(row["token"], func(it bigtable.ReadItem) string { return string(it.Value) }), err
}

func okValues(ctx context.Context, c *bigtable.Client) ([]string, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return seq.Map(row["profile"], func(it bigtable.ReadItem) string { return string(it.Value) }), err
}

func okChecked(ctx context.Context, c *bigtable.Client) ([]string, error) {
	now := bigtable.Time(time.Now())
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return seq.Map(row["token"], func(it bigtable.ReadItem) string {
		if it.Timestamp < now {
			return ""
		}
		return string(it.Value)
	}), err
}
