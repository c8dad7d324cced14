// Package relaxed raises ages and ignores what the service says to it.
package relaxed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func raised(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "clicks", "event", bigtable.MaxAgePolicy(1440*time.Hour), bigtable.IgnoreWarnings()) // want `age-mismatch: .*"event".*replicated table`
}

func heeded(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "clicks", "event", bigtable.MaxAgePolicy(1440*time.Hour)) // want `age-mismatch: .*"event"`
}

func lowered(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "clicks", "event", bigtable.MaxAgePolicy(24*time.Hour), bigtable.IgnoreWarnings()) // want `age-mismatch: .*"event"`
}

func okSame(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "clicks", "event", bigtable.MaxAgePolicy(720*time.Hour), bigtable.IgnoreWarnings())
}
