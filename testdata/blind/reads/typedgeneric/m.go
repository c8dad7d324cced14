package typedgeneric

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type kind interface{ bound() bigtable.Filter }

type win struct{}

func (win) bound() bigtable.Filter { return bigtable.LatestNFilter(1) }

func get[K kind](ctx context.Context, c *bigtable.Client, key string) int {
	var k K
	row, _ := c.Open("rate_limits").ReadRow(ctx, key, bigtable.RowFilter(k.bound())) // want `missing-filter: .*"win"`
	return len(row["win"])
}

func Win(ctx context.Context, c *bigtable.Client, k string) int { return get[win](ctx, c, k) } // not seen
