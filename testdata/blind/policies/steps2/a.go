package steps2

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type step func(ctx context.Context, a *bigtable.AdminClient) error

func addFamily(table, family string, policy bigtable.GCPolicy) step {
	return func(ctx context.Context, a *bigtable.AdminClient) error {
		if err := a.CreateColumnFamily(ctx, table, family); err != nil {
			return err
		}
		return a.SetGCPolicy(ctx, table, family, policy)
	}
}

// All is exported; Run runs it. Wrong: ttlgc/no-policy at the call of addFamily.
var All = []step{
	addFamily("sessions", "tok", bigtable.MaxAgePolicy(time.Second)),
}

func Run(ctx context.Context, a *bigtable.AdminClient) error {
	for _, s := range All {
		if err := s(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func one() step {
	return addFamily("sessions", "tok", bigtable.MaxAgePolicy(time.Second))
}

func Run1(ctx context.Context, a *bigtable.AdminClient) error {
	s := one()
	return s(ctx, a)
}
