package readfilter

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func noImport(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func versionLimit(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(10))) // want `version-limit: .*"entry"`
}
