// Package nopolicy creates families with and without a policy.
package nopolicy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "sessions", "token") // want `no-policy: .*"token"`
}

func createDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "clicks", "event") // want `no-policy: .*"event"`
}

func createSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, "bank-ledger"); err != nil {
		return err
	}
	return ac.CreateColumnFamily(ctx, "bank-ledger", "entry") // want `no-policy: .*"entry"`
}

func okCreateZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "catalog", "latest")
}

func okCreateReal(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "sessions", "profile")
}

func okCreateUnregistered(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, "plain", "token")
}

func okCreateAndSet(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamily(ctx, "sessions", "token"); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

func okCreateAndUpdate(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamily(ctx, "bank-ledger", "entry"); err != nil {
		return err
	}
	return ac.UpdateFamily(ctx, "bank-ledger", "entry", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)})
}

func createAndSetOther(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamily(ctx, "sessions", "token"); err != nil { // want `no-policy: .*"token"`
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "profile", bigtable.MaxVersionsPolicy(1))
}

// A wrapper that creates, and one that creates and sets.

func ensureFamily(ctx context.Context, ac *bigtable.AdminClient, table, family string) error {
	return ac.CreateColumnFamily(ctx, table, family)
}

func ensureFamilyWithPolicy(ctx context.Context, ac *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, table, family, p)
}

func throughWrapper(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ensureFamily(ctx, ac, "sessions", "profile"); err != nil {
		return err
	}
	return ensureFamily(ctx, ac, "sessions", "token") // want `no-policy: .*"token"`
}

func okThroughWrapper(ctx context.Context, ac *bigtable.AdminClient) error {
	return ensureFamilyWithPolicy(ctx, ac, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

func okWrapperThenPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ensureFamily(ctx, ac, "sessions", "token"); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

// Families in a loop.

func okLoop(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []struct{ table, family string }{{"sessions", "token"}, {"cache", "val"}} {
		if err := ac.CreateColumnFamily(ctx, f.table, f.family); err != nil {
			return err
		}
		if err := ac.SetGCPolicy(ctx, f.table, f.family, bigtable.MaxAgePolicy(time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// A family with a configuration that has no policy.

func emptyConfig(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "sessions", "token", bigtable.Family{}) // want `no-policy: .*"token"`
}

func typeOnly(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "clicks", "event", bigtable.Family{ValueType: bigtable.StringType{Encoding: bigtable.StringUtf8BytesEncoding{}}}) // want `no-policy: .*"event"`
}

func okConfig(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "sessions", "token", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)})
}
