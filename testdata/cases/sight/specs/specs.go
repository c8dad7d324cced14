// Package specs applies tables of policies through a helper.
package specs

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	famToken = "token"
	famEvent = "event"
)

var short = bigtable.MaxAgePolicy(time.Second)

var long = bigtable.MaxAgePolicy(time.Hour)

// The policies by table and family.
var wanted = map[string]map[string]bigtable.GCPolicy{
	"sessions": {
		famToken: bigtable.MaxAgePolicy(time.Minute), // want `age-mismatch: .*"token"`
	},
	"clicks": {
		famEvent: bigtable.MaxAgePolicy(720 * time.Hour),
	},
	"catalog": {
		"latest": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour)), // want `age-on-zero: .*"latest"`
	},
	"tickets": {
		"ticket": short,
	},
}

func apply(ctx context.Context, admin *bigtable.AdminClient, family string, table string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return admin.SetGCPolicy(ctx, table, family, policy)
}

// all sets all of them, each table in a goroutine.
func all(ctx context.Context, admin *bigtable.AdminClient) {
	for table, families := range wanted {
		go func() {
			for family, policy := range families {
				_ = apply(ctx, admin, family, table, policy)
			}
		}()
	}
}

// change is one step.
type change struct {
	table, family string
	policy        bigtable.GCPolicy
}

// replay goes through steps in a function's own list.
func replay(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, c := range []change{
		{"sessions", famToken, bigtable.MaxAgePolicy(time.Second)},
		{"clicks", famEvent, bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch: .*"event"`
	} {
		if err := apply(ctx, admin, c.family, c.table, c.policy); err != nil {
			return err
		}
	}
	return nil
}

// one has its policy in the call.
func one(ctx context.Context, admin *bigtable.AdminClient) error {
	return apply(ctx, admin, famToken, "sessions", bigtable.MaxAgePolicy(time.Hour)) // want `age-mismatch: .*"token"`
}

// shared takes it from a variable that names no family.
func shared(ctx context.Context, admin *bigtable.AdminClient) error {
	return apply(ctx, admin, famToken, "sessions", long) // want `age-mismatch: .*"token"`
}
