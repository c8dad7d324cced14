// Package givenvisits gives the function that scans a table what gets its rows: which
// families that uses decides whether the scan is right.
package givenvisits

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/givenvisits/scan"
)

// The function that scans is returned by another.
func all(ctx context.Context, t *bigtable.Table) func(each func(bigtable.Row) bool) error {
	return func(each func(bigtable.Row) bool) error {
		return t.ReadRows(ctx, bigtable.InfiniteRange(""), each)
	}
}

func okReturned(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = all(ctx, c.Open("sessions"))(func(row bigtable.Row) bool {
		n += len(row["profile"])
		return true
	})
	return n, err
}

func allAbroad(ctx context.Context, c *bigtable.Client) (n int) {
	_ = scan.All(ctx, c.Open("sessions"))(func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		n += len(row["token"])
		return true
	})
	_ = scan.All(ctx, c.Open("sessions"))(func(row bigtable.Row) bool {
		n += len(row["profile"])
		return true
	})
	return n
}

// It is a literal of the function at hand.
func local(ctx context.Context, c *bigtable.Client) (n int) {
	t := c.Open("sessions")
	from := func(prefix string, each func(bigtable.Row) bool) error {
		return t.ReadRows(ctx, bigtable.PrefixRange(prefix), each)
	}
	_ = from("a", func(row bigtable.Row) bool { n += len(row["profile"]); return true })
	_ = from("b", func(row bigtable.Row) bool { n += len(row["profile"]); return true })
	return n
}

// A loop over an iterator that scans.
func rows(ctx context.Context, t *bigtable.Table, opts ...bigtable.ReadOption) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = t.ReadRows(ctx, bigtable.InfiniteRange(""), yield, opts...)
	}
}

func ranged(ctx context.Context, c *bigtable.Client) (n int) {
	for row := range rows(ctx, c.Open("sessions")) { // want `missing-filter: .*"token"`
		n += len(row["token"])
	}
	for row := range rows(ctx, c.Open("sessions")) {
		n += len(row["profile"])
	}
	live := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	for row := range rows(ctx, c.Open("sessions"), bigtable.RowFilter(live)) {
		n += len(row["token"])
	}
	return n
}

func rangedAbroad(ctx context.Context, c *bigtable.Client) (n int) {
	for row := range scan.Rows(ctx, c.Open("sessions")) { // want `missing-filter: .*"token"`
		n += len(row["token"])
	}
	for row := range scan.Rows(ctx, c.Open("sessions")) {
		n += len(row["profile"])
	}
	return n
}

// The callback is the method of an interface.
type visitor interface{ visit(bigtable.Row) bool }

type counter struct{ n int }

func (c *counter) visit(row bigtable.Row) bool { c.n += len(row["profile"]); return true }

func (c *counter) Visit(row bigtable.Row) bool { return c.visit(row) }

type tokens struct{ n int }

func (c *tokens) visit(row bigtable.Row) bool { c.n += len(row["token"]); return true }

func (c *tokens) Visit(row bigtable.Row) bool { return c.visit(row) }

func walk(ctx context.Context, t *bigtable.Table, v visitor) error {
	return t.ReadRows(ctx, bigtable.InfiniteRange(""), v.visit)
}

func visited(ctx context.Context, c *bigtable.Client) {
	_ = walk(ctx, c.Open("sessions"), &counter{})
	_ = walk(ctx, c.Open("sessions"), &tokens{}) // want `missing-filter: .*"token"`
	_ = scan.Walk(ctx, c.Open("sessions"), &counter{})
	_ = scan.Walk(ctx, c.Open("sessions"), &tokens{}) // want `missing-filter: .*"token"`
}

type report struct{ v visitor }

func (r *report) okRun(ctx context.Context, t *bigtable.Table) error {
	return t.ReadRows(ctx, bigtable.InfiniteRange(""), r.v.visit)
}

func reported(ctx context.Context, c *bigtable.Client) error {
	r := &report{&counter{}}
	return r.okRun(ctx, c.Open("sessions"))
}
