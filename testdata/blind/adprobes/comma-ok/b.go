package commaok

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func read(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(filter(kCap, "cap"))) // ok ttlread/missing-filter
	return len(row["cap"]), err
}

func readBad(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k", bigtable.RowFilter(filter(kSeg, "cap"))) // want ttlread/missing-filter
	return len(row["cap"]), err
}

var _ = []any{read, readBad}
