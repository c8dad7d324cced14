// Package create makes families without a policy.
package create

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func family(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "sessions", "token") // want `no-policy: .*"token"`
}

func ledger(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.NoGcPolicy()) // want `no-policy: .*"entry"`
}

func mismatch(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(24*time.Hour)) // want `age-mismatch: .*"event"`
}

func zero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.MaxAgePolicy(24*time.Hour)) // want `age-on-zero: .*"latest"`
}
