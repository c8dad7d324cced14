// Package nestedpolicies sets the policies that another package lists.
package nestedpolicies

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/nestedpolicies/schema"
)

func setup(ctx context.Context, a *bigtable.AdminClient) error {
	for table, families := range schema.Policies() {
		if err := schema.Ensure(ctx, a, table, families); err != nil {
			return err
		}
	}
	return schema.All.Apply(ctx, a)
}

// Main sets up.
func Main(ctx context.Context, a *bigtable.AdminClient) error { return setup(ctx, a) }

// Written here for another package's loop.
func own(ctx context.Context, a *bigtable.AdminClient) error {
	all := map[string]map[string]bigtable.GCPolicy{
		"sessions": {"token": bigtable.MaxAgePolicy(time.Second)},
		"catalog":  {"latest": bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-zero: .*"latest"`
	}
	for table, families := range all {
		if err := schema.Ensure(ctx, a, table, families); err != nil {
			return err
		}
	}
	return nil
}

type migration struct {
	table    string
	families []struct {
		name   string
		policy bigtable.GCPolicy
	}
}

func (m migration) run(ctx context.Context, a *bigtable.AdminClient) error {
	for _, f := range m.families {
		if err := a.SetGCPolicy(ctx, m.table, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

func migrations() []migration {
	type family = struct {
		name   string
		policy bigtable.GCPolicy
	}
	return []migration{
		{"sessions", []family{{"token", bigtable.MaxAgePolicy(time.Second)}}},
		{"eu-ledger", []family{
			{"entry", bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence: .*"entry"`
		}},
	}
}

func migrate(ctx context.Context, a *bigtable.AdminClient) error {
	for _, m := range migrations() {
		if err := m.run(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// Main2 migrates.
func Main2(ctx context.Context, a *bigtable.AdminClient) error { return migrate(ctx, a) }

func rows(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range schema.Rows() {
		if err := a.CreateColumnFamily(ctx, r.Table, r.Family); err != nil {
			return err
		}
		if err := a.SetGCPolicy(ctx, r.Table, r.Family, r.Policy); err != nil {
			return err
		}
	}
	return schema.ApplyRows(ctx, a)
}
