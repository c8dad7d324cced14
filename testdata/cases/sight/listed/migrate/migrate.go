// Package migrate applies the lists of another package.
package migrate

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/listed/schema"
)

func all(ctx context.Context, a *bigtable.AdminClient) error {
	for _, p := range schema.Policies {
		if err := a.SetGCPolicy(ctx, string(p.Table), string(p.Family), p.GC); err != nil {
			return err
		}
	}
	for table, families := range schema.ByTable {
		for family, policy := range families {
			if err := a.SetGCPolicy(ctx, table, family, policy); err != nil {
				return err
			}
		}
	}
	for _, t := range schema.Tables {
		for _, f := range t.Families {
			if err := set(ctx, a, t.Name, f.Name, f.Policy); err != nil {
				return err
			}
		}
	}
	return nil
}

func set(ctx context.Context, a *bigtable.AdminClient, table, family string, policy bigtable.GCPolicy) error {
	return a.SetGCPolicy(ctx, table, family, policy)
}

// Of a table that is not known the families' policies are those of the list.
func of(ctx context.Context, a *bigtable.AdminClient) error {
	tables, err := a.Tables(ctx)
	for _, t := range tables {
		for _, p := range schema.Of(schema.TableID(t)) {
			if err := a.SetGCPolicy(ctx, t, string(p.Family), p.GC); err != nil {
				return err
			}
		}
	}
	return err
}

func confs(ctx context.Context, a *bigtable.AdminClient) {
	for _, conf := range schema.Confs {
		_ = a.CreateTableFromConf(ctx, &conf)
	}
}

// The list says no table.
func families(ctx context.Context, a *bigtable.AdminClient) {
	for family, policy := range schema.Families {
		_ = a.SetGCPolicy(ctx, "sessions", family, policy) // want `sets the age 2h on one-second-expiration family "token" of table "sessions"`
		_ = a.SetGCPolicy(ctx, "scratch", family, policy)
	}
}

// What this package supplies itself is found here.
func own(ctx context.Context, a *bigtable.AdminClient) {
	_ = a.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Hour)) // want `sets the age 1h`
	_ = a.SetGCPolicy(ctx, "clicks", "event", schema.AtExpiry)                    // want `sets the age 1s`
}
