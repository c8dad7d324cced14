// Package union drops the version limit beside an age, and corrects ages.
package union

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func oneSecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))) // want `versions-with-expiry: .*"token"`
}

func defaultExpiration(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(720*time.Hour))) // want `versions-with-expiry: .*"event"`
}

// The part that is right stays as it is.
func sequence(ctx context.Context, ac *bigtable.AdminClient) error {
	const kept = 3
	return ac.SetGCPolicy(ctx, "eu-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Hour), bigtable.MaxVersionsPolicy(kept /* as declared */))) // want `age-on-sequence: .*"entry"`
}

func lifetimeAsAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(30*time.Minute)) // want `age-mismatch: .*"token"`
}

func otherAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(24*time.Hour)) // want `age-mismatch: .*"event"`
}
