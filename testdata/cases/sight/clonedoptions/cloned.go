// Package clonedoptions replaces options in copies of lists of them.
package clonedoptions

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clonedoptions/lib"
)

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func all() bigtable.ReadOption { return bigtable.RowFilter(bigtable.FamilyFilter("token")) }

var base = []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.LimitRows(1)}

func okCloned(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone(base)
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func cloned(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone([]bigtable.ReadOption{bigtable.LimitRows(1), live()})
	opts[1] = all()
	return c.Open("sessions").ReadRow(ctx, "k", opts...) // want `missing-filter: .*"token"`
}

// The list that was copied is as it was.
func original(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	from := []bigtable.ReadOption{all()}
	opts := slices.Clone(from)
	opts[0] = live()
	if row, err := c.Open("sessions").ReadRow(ctx, "k", opts...); err != nil || len(row) > 0 {
		return row, err
	}
	return c.Open("sessions").ReadRow(ctx, "k", from...) // want `missing-filter: .*"token"`
}

func okAppended(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := append([]bigtable.ReadOption(nil), base...)
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func appended(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := append([]bigtable.ReadOption(nil), bigtable.LimitRows(1), live())
	opts[1] = all()
	return c.Open("sessions").ReadRow(ctx, "k", opts...) // want `missing-filter: .*"token"`
}

func okCopied(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, len(base))
	copy(opts, base)
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func copied(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, len(base))
	copy(opts, base)
	return c.Open("sessions").ReadRow(ctx, "k", opts...) // want `missing-filter: .*"token"`
}

// More than what is copied is not known.
func OkLonger(ctx context.Context, c *bigtable.Client, n int) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, n)
	copy(opts, base)
	opts[len(base)] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func copiedAbroad(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	from := lib.With(lib.Live())
	opts := make([]bigtable.ReadOption, len(from))
	copy(opts, from)
	opts[0] = all()
	return c.Open("sessions").ReadRow(ctx, "k", opts...) // want `missing-filter: .*"token"`
}

// What becomes of the list that was copied is nothing to the copy.
func element(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	from := []bigtable.ReadOption{all()}
	opts := slices.Clone(from)
	from[0] = live()
	o := opts[0]
	return c.Open("sessions").ReadRow(ctx, "k", o) // want `missing-filter: .*"token"`
}

func okElement(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	from := []bigtable.ReadOption{live()}
	opts := slices.Clone(from)
	from[0] = all()
	return c.Open("sessions").ReadRow(ctx, "k", opts[0])
}

// A list to which something is appended may go on in its place.
func okShared(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	from := make([]bigtable.ReadOption, 0, 4)
	from = append(from, all())
	opts := append(from, bigtable.LimitRows(1))
	from[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

// Between two reads.
func between(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone(base)
	if row, err := c.Open("sessions").ReadRow(ctx, "k", opts...); err != nil || len(row) > 0 { // want `missing-filter: .*"token"`
		return row, err
	}
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func OkPerhaps(ctx context.Context, c *bigtable.Client, fresh bool) (bigtable.Row, error) {
	opts := slices.Clone(base)
	if fresh {
		opts[0] = live()
	}
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func OkSomewhere(ctx context.Context, c *bigtable.Client, i int) (bigtable.Row, error) {
	opts := slices.Clone(base)
	opts[i] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

// What is kept may change.
func okKept(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone(base)
	k := kept{opts}
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", k.opts...)
}

type kept struct{ opts []bigtable.ReadOption }

func okElsewhere(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone(base)
	mend(opts)
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func mend(opts []bigtable.ReadOption) { opts[0] = live() }

func okAbroad(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := slices.Clone(lib.Base())
	opts[0] = live()
	return c.Open("sessions").ReadRow(ctx, "k", opts...)
}

func abroad(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := lib.With(lib.Live())
	opts[0] = bigtable.LimitRows(2)
	return c.Open("sessions").ReadRow(ctx, "k", lib.With(all())...) // want `missing-filter: .*"token"`
}

func okMade(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", lib.With(lib.Live())...)
}
