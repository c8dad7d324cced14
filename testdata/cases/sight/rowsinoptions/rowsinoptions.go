// Package rowsinoptions wraps rows in generic structs of another package, whose functions
// hand them to literals.
package rowsinoptions

import (
	"context"
	"iter"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowsinoptions/opt"
)

func okThen(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return opt.Then(opt.Try(row, err), func(r bigtable.Row) int { return len(r["profile"][0].Value) }).Get()
}

func badThen(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return opt.Then(opt.Try(row, err), func(r bigtable.Row) int { return len(r["token"][0].Value) }).Get()
}

func okWith(ctx context.Context, c *bigtable.Client) int {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return opt.With(opt.Try(row, err), func(r opt.Result[bigtable.Row]) int {
		row, _ := r.Get()
		return len(row["profile"])
	})
}

func badWith(ctx context.Context, c *bigtable.Client) int {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return opt.With(opt.Try(row, err), func(r opt.Result[bigtable.Row]) int {
		row, _ := r.Get()
		return len(row["token"])
	})
}

func okGet(ctx context.Context, c *bigtable.Client) int {
	row, err := opt.Try(c.Open("sessions").ReadRow(ctx, "k")).Get()
	if err != nil {
		return 0
	}
	return len(row["profile"])
}

func badGet(ctx context.Context, c *bigtable.Client) int {
	row, err := opt.Try(c.Open("sessions").ReadRow(ctx, "k")).Get() // want `missing-filter: .*"token"`
	if err != nil {
		return 0
	}
	return len(row["token"])
}

func okTap(ctx context.Context, c *bigtable.Client) int {
	n := 0
	row, _ := opt.Try(c.Open("sessions").ReadRow(ctx, "k")).Tap(func(r bigtable.Row) { n = len(r["profile"]) }).Get()
	return n + len(row["profile"])
}

func badTap(ctx context.Context, c *bigtable.Client) int {
	n := 0
	row, _ := opt.Try(c.Open("sessions").ReadRow(ctx, "k")).Tap(func(r bigtable.Row) { n = len(r["token"]) }).Get() // want `missing-filter: .*"token"`
	return n + len(row["profile"])
}

// What is kept is used later.
func badKept(ctx context.Context, c *bigtable.Client, b *opt.Box[bigtable.Row]) int {
	old, _ := b.Put(opt.Try(c.Open("sessions").ReadRow(ctx, "k"))).Get() // want `missing-filter: .*"token"`
	return len(old["profile"])
}

func okCheckedInside(ctx context.Context, c *bigtable.Client, now bigtable.Timestamp) (bool, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return opt.Then(opt.Try(row, err), func(r bigtable.Row) bool { return r["token"][0].Timestamp > now }).Get()
}

func okCheckedCells(ctx context.Context, c *bigtable.Client, now bigtable.Timestamp) (n int) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	cells, _ := opt.Then(opt.Try(row, err), func(r bigtable.Row) []bigtable.ReadItem { return r["token"] }).Get()
	for _, cell := range cells {
		if cell.Timestamp > now {
			n++
		}
	}
	return n
}

func badUnchecked(ctx context.Context, c *bigtable.Client) time.Time {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	expires, _ := opt.Then(opt.Try(row, err), func(r bigtable.Row) time.Time { return r["token"][0].Timestamp.Time() }).Get()
	return expires
}

func okExists(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("ledger-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry")))
	return opt.Then(opt.Try(row, err), func(r bigtable.Row) bool { return len(r) > 0 }).Get()
}

func badEntries(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("ledger-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want `version-limit: .*"entry"`
	return opt.Then(opt.Try(row, err), func(r bigtable.Row) int { return len(r["entry"]) }).Get()
}

func rows(ctx context.Context, tbl *bigtable.Table, opts ...bigtable.ReadOption) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { return yield(r) }, opts...)
	}
}

func okKeys(ctx context.Context, c *bigtable.Client) []string {
	return slices.Collect(opt.Map(rows(ctx, c.Open("ledger-ledger"), bigtable.RowFilter(bigtable.FamilyFilter("entry"))), bigtable.Row.Key))
}

func okKeysOf(ctx context.Context, c *bigtable.Client) []string {
	return slices.Collect(opt.Map(rows(ctx, c.Open("ledger-ledger"), bigtable.RowFilter(bigtable.FamilyFilter("entry"))), func(r bigtable.Row) string { return r.Key() }))
}

func newestOf(r bigtable.Row) string { return string(r["entry"][0].Value) }

func badNewest(ctx context.Context, c *bigtable.Client) []string {
	return slices.Collect(opt.Map(rows(ctx, c.Open("ledger-ledger"), bigtable.RowFilter(bigtable.FamilyFilter("entry"))), newestOf)) // want `version-limit: .*"entry"`
}
