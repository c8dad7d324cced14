package or

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

func ptr[T any](v T) *T { return &v }

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(or(ptr(time.Second), time.Hour))) // silent
}
func orZero(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}
func G(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(orZero(time.Second, time.Hour))); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(orZero(0, time.Second)))
}

type cfg struct{ Age *time.Duration }

func (c cfg) age() time.Duration {
	if c.Age != nil {
		return *c.Age
	}
	return 24 * time.Hour
}
func H(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(cfg{Age: ptr(time.Second)}.age()))
}
func I(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "features", "f", bigtable.MaxAgePolicy(cfg{}.age()))
}
