// Package schema returns the policies of tables, and sets them.
package schema

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

const day = 24 * time.Hour

// Policies returns the policies by table and family.
func Policies() map[string]map[string]bigtable.GCPolicy {
	return map[string]map[string]bigtable.GCPolicy{
		"sessions": {"token": bigtable.MaxAgePolicy(time.Second)},
		"clicks":   {"event": bigtable.MaxAgePolicy(7 * day)}, // want `age-mismatch: .*"event"`
	}
}

// Sets is one policy per family, in tables of tables.
type Sets map[string]Set

// Set is one per family.
type Set map[string]bigtable.GCPolicy

// All is all.
var All = Sets{
	"x-ledger": Set{"entry": bigtable.MaxVersionsPolicy(3)},
	"y-ledger": Set{"entry": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(day))}, // want `age-on-sequence: .*"entry"`
}

// Apply sets what a table's set says.
func (s Set) Apply(ctx context.Context, a *bigtable.AdminClient, table string) error {
	for _, family := range slices.Sorted(maps.Keys(s)) {
		if err := a.SetGCPolicy(ctx, table, family, s[family]); err != nil {
			return err
		}
	}
	return nil
}

// Apply sets them all.
func (s Sets) Apply(ctx context.Context, a *bigtable.AdminClient) error {
	for table, set := range s {
		if err := set.Apply(ctx, a, table); err != nil {
			return err
		}
	}
	return nil
}

// Ensure sets the policies of one table.
func Ensure(ctx context.Context, a *bigtable.AdminClient, table string, families map[string]bigtable.GCPolicy) error {
	for family, policy := range families {
		if err := a.SetGCPolicy(ctx, table, family, policy); err != nil {
			return err
		}
	}
	return nil
}

// A Row is one policy.
type Row struct {
	Table, Family string
	Policy        bigtable.GCPolicy
}

// Rows are the policies row by row.
func Rows() []Row {
	return []Row{
		{"sessions", "token", bigtable.MaxAgePolicy(time.Second)},
		{"history", "val", bigtable.MaxAgePolicy(day)}, // want `age-on-sequence: .*"val"`
	}
}

// ApplyRows sets them.
func ApplyRows(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range Rows() {
		if err := a.SetGCPolicy(ctx, r.Table, r.Family, r.Policy); err != nil {
			return err
		}
	}
	return nil
}
