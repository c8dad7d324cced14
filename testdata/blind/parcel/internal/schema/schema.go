// Package schema creates the tables and keeps their garbage collection as the stores need it.
package schema

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const day = 24 * time.Hour

type spec struct {
	table  string
	family string
	policy bigtable.GCPolicy
}

var specs = []spec{
	{"sessions", "token", bigtable.MaxAgePolicy(time.Second)},                                                   // ok ttlgc/age-mismatch
	{"sessions", "device", bigtable.MaxVersionsPolicy(1)},                                                       // ok ttlgc/policy-mismatch
	{"shipments", "quote", bigtable.MaxAgePolicy(30 * time.Minute)},                                             // want ttlgc/age-mismatch
	{"shipments", "status", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(90*day))}, // want ttlgc/age-on-sequence
	{"shipments", "label", bigtable.MaxVersionsPolicy(1)},                                                       // ok ttlgc/age-on-zero
	{"shipments", "meta", bigtable.NoGcPolicy()},                                                                // ok ttlgc/no-policy
	{"events", "status", bigtable.MaxAgePolicy(90 * day)},                                                       // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
	{"events", "scan", bigtable.MaxAgePolicy(90 * day)},                                                         // want ttlgc/age-mismatch
	{"positions", "pos", bigtable.MaxAgePolicy(72 * time.Hour)},                                                 // ok ttlgc/age-mismatch
	{"positions", "trip", bigtable.MaxAgePolicy(365 * day)},                                                     // ok ttlgc/age-mismatch
	{"rates", "price", bigtable.UnionPolicy(bigtable.MaxAgePolicy(day), bigtable.MaxVersionsPolicy(1))},         // want ttlgc/versions-with-expiry
	{"rates", "tariff", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))},     // want ttlgc/age-on-zero
	{"holds", "lease", bigtable.MaxAgeGCPolicy(time.Second)},                                                    // ok ttlgc/age-mismatch
	{"dedupe", "seen", bigtable.MaxAgePolicy(time.Second)},                                                      // want ttlgc/age-mismatch
	{"manifests", "stop", bigtable.MaxVersionsPolicy(10)},                                                       // ok ttlgc/policy-mismatch
	{"manifests", "doc", bigtable.MaxVersionsPolicy(2)},                                                         // ok ttlgc/policy-mismatch
	{"eu-ledger", "entry", bigtable.MaxVersionsPolicy(3)},                                                       // ok ttlgc/age-on-sequence
	{"na-ledger", "entry", bigtable.MaxAgePolicy(730 * day)},                                                    // want ttlgc/age-on-sequence
	{"na-ledger", "cursor", bigtable.NoGcPolicy()},                                                              // ok ttlgc/age-on-zero
	{"audit", "token", bigtable.MaxAgePolicy(365 * day)},                                                        // ok ttlgc/age-mismatch
	{"audit", "status", bigtable.MaxAgePolicy(365 * day)},                                                       // ok ttlgc/age-on-sequence
}

// Ensure creates what is missing and sets every policy.
func Ensure(ctx context.Context, a *bigtable.AdminClient, log *slog.Logger) error {
	have, err := a.Tables(ctx)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	for _, s := range specs {
		if !slices.Contains(have, s.table) {
			if err := a.CreateTable(ctx, s.table); err != nil {
				return fmt.Errorf("schema: %s: %w", s.table, err)
			}
			have = append(have, s.table)
		}
		if err := a.CreateColumnFamily(ctx, s.table, s.family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
			return fmt.Errorf("schema: %s:%s: %w", s.table, s.family, err)
		}
		if err := a.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return fmt.Errorf("schema: %s:%s: %w", s.table, s.family, err)
		}
		log.Info("family", "table", s.table, "family", s.family)
	}
	return nil
}

// staging is what the staging instance has.
var staging = map[string]map[string]bigtable.GCPolicy{
	"sessions": {
		"token":  bigtable.MaxAgePolicy(12 * time.Hour), // want ttlgc/age-mismatch
		"device": bigtable.MaxVersionsPolicy(3),         // ok ttlgc/policy-mismatch
	},
	"shipments": {
		"quote":  bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		"status": bigtable.MaxAgePolicy(7 * day),     // want ttlgc/age-on-sequence
		"label":  bigtable.MaxAgePolicy(7 * day),     // want ttlgc/age-on-zero
		"meta":   bigtable.MaxAgePolicy(7 * day),     // ok ttlgc/age-on-sequence
	},
	"positions": {
		"pos": bigtable.MaxAgePolicy(day), // want ttlgc/age-mismatch
	},
	"events": {
		"status": bigtable.MaxAgePolicy(7 * day),  // want ttlgc/policy-mismatch
		"scan":   bigtable.MaxAgePolicy(30 * day), // ok ttlgc/age-mismatch
	},
	"eu-ledger": {
		"entry":  bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(day)), // want ttlgc/age-on-sequence
		"cursor": bigtable.MaxVersionsGCPolicy(1),                                                        // ok ttlgc/age-on-zero
	},
}

// EnsureStaging is Ensure for the staging instance.
func EnsureStaging(ctx context.Context, a *bigtable.AdminClient) error {
	for table, fams := range staging {
		conf := &bigtable.TableConf{TableID: table, Families: fams}
		if err := a.CreateTableFromConf(ctx, conf); err != nil && status.Code(err) != codes.AlreadyExists {
			return err
		}
		for fam, p := range fams {
			if err := a.SetGCPolicy(ctx, table, fam, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// family creates one family with its policy.
func family(ctx context.Context, a *bigtable.AdminClient, table, name string, p bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, name); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, table, name, p)
}

// versioned creates a family that keeps versions, but none older than age.
func versioned(ctx context.Context, a *bigtable.AdminClient, table, name string, versions int, age time.Duration) error {
	return family(ctx, a, table, name, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(versions), bigtable.MaxAgePolicy(age)))
}

// Region creates the tables of a new region.
func Region(ctx context.Context, a *bigtable.AdminClient, region string) error {
	ledger := region + "-ledger"
	if err := a.CreateTable(ctx, ledger); err != nil {
		return err
	}
	if err := versioned(ctx, a, ledger, "entry", 3, 365*day); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := family(ctx, a, ledger, "entry", bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := family(ctx, a, ledger, "cursor", bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	return versioned(ctx, a, "audit-"+region, "login", 3, 365*day) // ok ttlgc/age-on-sequence
}

// Migrate2023 is what was run when the stores moved to expiring cells.
func Migrate2023(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicy(ctx, "holds", "lease", bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.SetGCPolicyWithOptions(ctx, "rates", "price", bigtable.MaxAgePolicy(48*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicyWithOptions(ctx, "rates", "price", bigtable.MaxAgePolicy(24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, "manifests", "stop", bigtable.MaxVersionsPolicy(3)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, "manifests", "doc", bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := a.UpdateFamily(ctx, "manifests", "stop", bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(180 * day)}); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.SetGCPolicy(ctx, "shipments", "quote", bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return nil
}

// AddLease adds the family of the leases to a restored table.
func AddLease(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateColumnFamily(ctx, "shipments", "meta"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.CreateColumnFamily(ctx, "holds", "lease") // want ttlgc/no-policy
}

// Demo creates the tables of the demo instance.
func Demo(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "positions",
		ColumnFamilies: map[string]bigtable.Family{
			"pos":  {GCPolicy: bigtable.MaxAgePolicy(7 * day)},             // want ttlgc/age-mismatch
			"trip": {},                                                     // ok ttlgc/no-policy
			"heat": {GCPolicy: bigtable.MaxAgePolicy(86400)},               // want ttlunit/age-unit
			"slow": {GCPolicy: bigtable.MaxAgePolicy(86400 * time.Second)}, // ok ttlunit/age-unit
		},
	})
}
