// Package listedpolicies sets the policies that nested tables list.
package listedpolicies

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/listedpolicies/schema"
)

func apply(ctx context.Context, a *bigtable.AdminClient) error {
	for table, families := range schema.Tables {
		for family, policy := range families {
			if err := a.SetGCPolicy(ctx, table, family, policy); err != nil {
				return fmt.Errorf("%s.%s: %w", table, family, err)
			}
		}
	}
	return nil
}

func applyAll(ctx context.Context, a *bigtable.AdminClient) error {
	for _, t := range schema.Schema {
		for _, f := range t.Families {
			if err := a.SetGCPolicy(ctx, t.Name, f.Name, f.Policy); err != nil {
				return err
			}
		}
	}
	return nil
}

// In this package, by way of helpers.

var tables = map[string]map[string]bigtable.GCPolicy{
	"sessions": {"token": bigtable.MaxAgePolicy(time.Second), "profile": bigtable.MaxVersionsPolicy(1)},
	"clicks":   {"event": bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-mismatch: .*"event"`
	"x-ledger": {"entry": bigtable.MaxVersionsPolicy(3)},
	"y-ledger": {"entry": bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence: .*"entry"`
}

func setAll(ctx context.Context, a *bigtable.AdminClient, table string, families map[string]bigtable.GCPolicy) error {
	for family, policy := range families {
		if err := set(ctx, a, table, family, policy); err != nil {
			return err
		}
	}
	return nil
}

func set(ctx context.Context, a *bigtable.AdminClient, table, family string, policy bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, table, family, policy)
}

// Migrate sets all.
func Migrate(ctx context.Context, a *bigtable.AdminClient) error {
	for table, families := range tables {
		if err := setAll(ctx, a, table, families); err != nil {
			return err
		}
	}
	return nil
}

// Main migrates.
func Main(ctx context.Context, a *bigtable.AdminClient) error { return Migrate(ctx, a) }

type familySpec struct {
	name   string
	policy bigtable.GCPolicy
}

type tableSpec struct {
	name     string
	families []familySpec
}

var specs = []tableSpec{
	{"sessions", []familySpec{
		{"token", bigtable.MaxAgePolicy(time.Second)},
		{"profile", bigtable.MaxVersionsPolicy(1)},
	}},
	{"history", []familySpec{{"val", bigtable.MaxAgePolicy(time.Hour)}}}, // want `age-on-sequence: .*"val"`
	{"cache", []familySpec{{"val", bigtable.MaxAgePolicy(time.Second)}}},
}

func create(ctx context.Context, a *bigtable.AdminClient, t tableSpec) error {
	if err := a.CreateTable(ctx, t.name); err != nil {
		return err
	}
	for _, f := range t.families {
		if err := set(ctx, a, t.name, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

// CreateAll creates all.
func CreateAll(ctx context.Context, a *bigtable.AdminClient) error {
	for _, t := range specs {
		if err := create(ctx, a, t); err != nil {
			return err
		}
	}
	return nil
}
