// Package use compares times by the helper of another package.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/moments"
)

func last(ctx context.Context, c *bigtable.Client) (t bigtable.Timestamp) {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if moments.Later(it.Timestamp, t) {
			t = it.Timestamp
		}
	}
	return t
}

func okLater(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if moments.Later(it.Timestamp, bigtable.Now()) {
			n++
		}
	}
	return n
}

var _ = []any{last, okLater}
