// Package flow brings policies to the call as production code does: maps and
// slices in a loop, package variables, wrappers, branches.
package flow

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const month = 720 * time.Hour

// A map from family to policy in a loop. The finding stands at the policy in
// the literal.

func mapLoop(ctx context.Context, ac *bigtable.AdminClient) error {
	for family, policy := range map[string]bigtable.GCPolicy{
		"token":   bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"token"`
		"profile": bigtable.MaxVersionsPolicy(1),
	} {
		if err := ac.SetGCPolicy(ctx, "sessions", family, policy); err != nil {
			return err
		}
	}
	return nil
}

func okMapLoop(ctx context.Context, ac *bigtable.AdminClient) error {
	policies := map[string]bigtable.GCPolicy{
		"token":   bigtable.MaxAgePolicy(time.Second),
		"profile": bigtable.MaxAgePolicy(month),
	}
	for family, policy := range policies {
		if err := ac.SetGCPolicy(ctx, "sessions", family, policy); err != nil {
			return err
		}
	}
	return nil
}

var schema = map[string]map[string]bigtable.GCPolicy{
	"catalog": {
		"latest": bigtable.MaxAgePolicy(month), // want `age-on-zero: .*"latest"`
	},
	"clicks": {
		"event": bigtable.MaxAgePolicy(month),
	},
	"plain": {
		"latest": bigtable.MaxAgePolicy(month),
	},
}

func nestedMaps(ctx context.Context, ac *bigtable.AdminClient) error {
	for table, families := range schema {
		for family, policy := range families {
			if err := ac.SetGCPolicy(ctx, table, family, policy); err != nil {
				return err
			}
		}
	}
	return nil
}

// A slice of structs in a loop.

type columnFamily struct {
	table, name string
	policy      bigtable.GCPolicy
}

var columnFamilies = []columnFamily{
	{"bank-ledger", "entry", bigtable.MaxAgePolicy(month)}, // want `age-on-sequence: .*"entry"`
	{"sessions", "token", bigtable.MaxAgePolicy(time.Second)},
	{"sessions", "profile", bigtable.MaxAgePolicy(month)},
	{table: "plain", name: "entry", policy: bigtable.MaxAgePolicy(month)},
}

func sliceLoop(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, cf := range columnFamilies {
		if err := ac.CreateColumnFamily(ctx, cf.table, cf.name); err != nil {
			return err
		}
		if err := ac.SetGCPolicy(ctx, cf.table, cf.name, cf.policy); err != nil {
			return err
		}
	}
	return nil
}

// Ages, not policies, in the rows.

func agesLoop(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, cf := range []struct {
		table, family string
		age           time.Duration
	}{
		{"clicks", "event", month},
		{"sessions", "token", time.Second},
		{"sessions", "profile", month},
	} {
		if err := ac.SetGCPolicy(ctx, cf.table, cf.family, bigtable.MaxAgePolicy(cf.age)); err != nil {
			return err
		}
	}
	return nil
}

// A package variable.

var keepMonth = bigtable.MaxAgePolicy(month)

func packageVariable(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "clicks", "event", keepMonth); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", keepMonth) // want `age-on-sequence: .*"entry"`
}

// Wrappers: the finding stands at the outermost call.

func openTable(ctx context.Context, ac *bigtable.AdminClient, table, family string, versions int, age time.Duration) error {
	if err := ac.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	policy := bigtable.MaxVersionsPolicy(versions)
	if age > 0 {
		policy = bigtable.MaxAgePolicy(age)
	}
	return ac.SetGCPolicy(ctx, table, family, policy)
}

func wrapper(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := openTable(ctx, ac, "clicks", "event", 0, month); err != nil {
		return err
	}
	if err := openTable(ctx, ac, "bank-ledger", "entry", 3, 0); err != nil {
		return err
	}
	if err := openTable(ctx, ac, "catalog", "latest", 1, month); err != nil { // want `age-on-zero: .*"latest"`
		return err
	}
	return openTable(ctx, ac, "bank-ledger", "entry", 3, month) // want `age-on-sequence: .*"entry"`
}

func setPolicy(ctx context.Context, ac *bigtable.AdminClient, family string, p bigtable.GCPolicy) error {
	return ac.SetGCPolicy(ctx, "sessions", family, p)
}

func policyWrapper(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := setPolicy(ctx, ac, "profile", bigtable.MaxAgePolicy(month)); err != nil {
		return err
	}
	return setPolicy(ctx, ac, "token", bigtable.MaxAgePolicy(month)) // want `age-mismatch: .*"token"`
}

func keep(n int, age time.Duration) bigtable.GCPolicy {
	return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(n), bigtable.MaxAgePolicy(age))
}

func policyFunction(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", keep(3, month)) // want `age-on-sequence: .*"entry"`
}

// Branches.

func branch(ctx context.Context, ac *bigtable.AdminClient) error {
	family := "event"
	if os.Getenv("SHORT") != "" {
		return ac.SetGCPolicy(ctx, "clicks", family, bigtable.MaxAgePolicy(time.Hour)) // want `age-mismatch: .*"event"`
	}
	return ac.SetGCPolicy(ctx, "clicks", family, bigtable.MaxAgePolicy(month))
}

func okAgeFromEnvironment(ctx context.Context, ac *bigtable.AdminClient) error {
	age, err := time.ParseDuration(os.Getenv("AGE"))
	if err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(age))
}

func okTest(ctx context.Context, ac *bigtable.AdminClient, table string, test bool) error {
	age := month
	if test {
		age = time.Hour
	}
	return ac.SetGCPolicy(ctx, table, "event", bigtable.MaxAgePolicy(age))
}

// An interface in place of the admin client.

type admin interface {
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

func viaInterface(ctx context.Context, a admin) error {
	return a.SetGCPolicy(ctx, "catalog", "latest", bigtable.MaxAgePolicy(month)) // want `age-on-zero: .*"latest"`
}
