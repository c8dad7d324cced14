// Package existing sets the policy of one-second expiration on families that
// may hold real timestamps.
package existing

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func switchOn(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second)) // want `existing-data: .*"token"`
}

func okCreated(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamily(ctx, "sessions", "token"); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

func okWithConfig(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "sessions", "token", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)})
}

func okDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(720*time.Hour))
}
