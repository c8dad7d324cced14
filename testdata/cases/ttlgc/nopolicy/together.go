package nopolicy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func okMake(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "sessions", "token")
}

func limit(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

func again(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			break
		}
	}
	return err
}

// One run does both, the second in a literal that others run.
func both(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := okMake(ctx, ac); err != nil {
		return err
	}
	return again(func() error { return limit(ctx, ac) })
}
