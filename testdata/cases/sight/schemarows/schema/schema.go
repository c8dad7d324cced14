// Package schema has two schemas, of which an environment is given one.
package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var atExpiry = bigtable.MaxAgePolicy(time.Second)

type family struct {
	table, name string
	policy      bigtable.GCPolicy
}

var current = []family{
	{"sessions", "token", atExpiry},
	{"otp", "code", atExpiry}, // want `age-mismatch`
	{"eu-ledger", "entry", bigtable.MaxVersionsPolicy(3)},
	{"clicks", "event", bigtable.MaxAgePolicy(720 * time.Hour)},
}

var staging = []family{
	{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)},      // want `age-mismatch`
	{"eu-ledger", "entry", bigtable.MaxAgePolicy(2 * time.Hour)}, // want `age-on-sequence`
	{"clicks", "event", bigtable.MaxAgePolicy(720 * time.Hour)},
}

// Apply applies the schema of an environment.
func Apply(ctx context.Context, admin *bigtable.AdminClient, env string, dry bool) error {
	list := current
	if env == "staging" {
		list = staging
	}
	for _, f := range list {
		if dry {
			continue
		}
		if err := ensure(ctx, admin, f.table, f.name); err != nil {
			return err
		}
		if err := admin.SetGCPolicy(ctx, f.table, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

func ensure(ctx context.Context, admin *bigtable.AdminClient, table, family string) error {
	return admin.CreateColumnFamily(ctx, table, family)
}

// Age chooses the age alone: which it is, its callers say.
func Age(ctx context.Context, admin *bigtable.AdminClient, env string) error {
	age := 720 * time.Hour
	if env == "staging" {
		age = time.Hour
	}
	return admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(age))
}
