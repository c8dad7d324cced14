package steps

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func families(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "sessions", "tok") // silent
}

func policies(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(time.Second)) // silent
}

func Up(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := families(ctx, ac); err != nil {
		return err
	}
	return policies(ctx, ac)
}
