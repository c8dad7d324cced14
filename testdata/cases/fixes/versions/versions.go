// Package versions replaces ages on sequence families by a number of versions.
package versions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const day = 24 * time.Hour

func bare(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxAgePolicy(30*day)) // want `age-on-sequence: .*"entry"`
}

func conversion(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxAgeGCPolicy(30*day)) // want `age-on-sequence: .*"entry"`
}

func union(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*day))) // want `age-on-sequence: .*"entry"`
}

func none(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.NoGcPolicy()) // want `no-policy: .*"entry"`
}
