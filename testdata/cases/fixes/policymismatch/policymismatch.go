// Package policymismatch sets policies with other limits than the registry's.
package policymismatch

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const month = 720 * time.Hour

// Sequential numbers.

func fewer(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(1)) // want `policy-mismatch: keeps 1 version of sequential-numbers family "entry"`
}

func more(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(10)) // want `policy-mismatch: keeps 10 versions .* superseded versions are read`
}

func okSameNumber(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(3))
}

func okUnknownNumber(ctx context.Context, ac *bigtable.AdminClient, n int) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(n))
}

func okUnionOfOne(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3)))
}

// Real timestamps with limits: sample keeps 30 days, meta one version.

func otherAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "metrics", "sample", bigtable.MaxAgePolicy(2*month)) // want `policy-mismatch: sets the age 60d on real-timestamps family "sample"`
}

func ageForVersions(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "metrics", "meta", bigtable.MaxAgePolicy(month)) // want `policy-mismatch: sets the age 30d .* 1 version alone: older cells are deleted although they are the newest`
}

func versionsBesideAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "metrics", "sample", bigtable.UnionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(1))) // want `policy-mismatch: keeps 1 version of real-timestamps family "sample"`
}

func both(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "metrics", "sample", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(1))) // want `policy-mismatch: sets a policy on real-timestamps family "sample" .* has not the effect of max-age 30d`
}

func nothing(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "metrics", "meta", bigtable.NoGcPolicy()) // want `policy-mismatch: .*collects nothing`
}

func okLimits(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "metrics", "sample", bigtable.MaxAgePolicy(month)); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "metrics", "meta", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1)))
}

func okUnknownAge(ctx context.Context, ac *bigtable.AdminClient, age time.Duration) error {
	return ac.SetGCPolicy(ctx, "metrics", "sample", bigtable.MaxAgePolicy(age))
}

// Nothing is declared of the limits of profile.
func okNoLimits(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "profile", bigtable.MaxVersionsPolicy(7))
}

func okCreated(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "metrics", "sample")
}
