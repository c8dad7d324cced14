// Package ofcalls gives helpers functions and objects that look at cells and rows: what
// they do counts for the call that gives them, and for no other.
package ofcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func filter[T any](items []T, keep func(T) bool) (out []T) {
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}

func okFilter(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	now := time.Now()
	return len(filter(row["code"], func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }))
}

func unfiltered(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return len(filter(row["code"], func(it bigtable.ReadItem) bool { return len(it.Value) > 1 }))
}

// The result of one call is no other call's.
func okAfterwards(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	for _, it := range filter(row["code"], long) {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	}
	return n
}

func long(it bigtable.ReadItem) bool { return len(it.Value) > 1 }

func onlyLong(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return len(filter(row["code"], long))
}

// Through two helpers.
func both(items []bigtable.ReadItem, first, second func(bigtable.ReadItem) bool) []bigtable.ReadItem {
	return filter(filter(items, first), second)
}

func alive(it bigtable.ReadItem) bool { return it.Timestamp > bigtable.Now() }

func okBoth(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return len(both(row["code"], long, alive))
}

func neither(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return len(both(row["code"], long, long))
}

// The helper reads.
func each(ctx context.Context, tbl *bigtable.Table, family string, f func(bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[family] {
			f(it)
		}
		return true
	})
}

func eachToken(ctx context.Context, tbl *bigtable.Table, f func(bigtable.ReadItem) bool) error {
	return each(ctx, tbl, "token", func(it bigtable.ReadItem) { f(it) })
}

func reads(ctx context.Context, c *bigtable.Client) (n int) {
	tbl := c.Open("sessions")
	_ = each(ctx, tbl, "token", func(it bigtable.ReadItem) {
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	})
	_ = each(ctx, tbl, "token", func(it bigtable.ReadItem) { n += len(it.Value) }) // want `missing-filter: .*"token"`
	_ = each(ctx, tbl, "profile", func(it bigtable.ReadItem) { n += len(it.Value) })
	_ = eachToken(ctx, tbl, alive)
	_ = eachToken(ctx, tbl, long) // want `missing-filter: .*"token"`
	return n
}

// The cells all at once, with an error.
func pages(ctx context.Context, tbl *bigtable.Table, f func([]bigtable.ReadItem) error) (err error) {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		err = f(r["token"])
		return err == nil
	})
}

func paged(ctx context.Context, c *bigtable.Client) (n int) {
	tbl := c.Open("sessions")
	_ = pages(ctx, tbl, func(items []bigtable.ReadItem) error {
		for _, it := range items {
			if alive(it) {
				n++
			}
		}
		return nil
	})
	_ = pages(ctx, tbl, func(items []bigtable.ReadItem) error { // want `missing-filter: .*"token"`
		n += len(items)
		return nil
	})
	return n
}

var _ = []any{okFilter, unfiltered, okAfterwards, onlyLong, okBoth, neither, reads, paged}
