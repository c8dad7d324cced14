// Package certain has what a parameter decides beside what a call makes certain: with
// -strict, too, each stands at its place.
package certain

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Fetch reads with a filter, or with none.
func Fetch(ctx context.Context, tbl *bigtable.Table, key string, f bigtable.Filter) (int, error) {
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, err := tbl.ReadRow(ctx, key, opts...) // want `missing-filter: .* when f == nil `
	return len(row["token"]), err
}

func latest(ctx context.Context, c *bigtable.Client, key string) (int, error) {
	return Fetch(ctx, c.Open("sessions"), key, bigtable.LatestNFilter(1)) // want `missing-filter: .*"token"`
}

// OkAsGiven supplies nothing that decides: what is told of Fetch is not told again.
func OkAsGiven(ctx context.Context, c *bigtable.Client, key string, f bigtable.Filter) (int, error) {
	return Fetch(ctx, c.Open("sessions"), key, f)
}

func okOther(ctx context.Context, c *bigtable.Client, key string) (int, error) {
	return Fetch(ctx, c.Open("accounts"), key, bigtable.LatestNFilter(1))
}
