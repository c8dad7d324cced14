// Package schema keeps tables and their garbage collection in Go and applies
// them.
package schema

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/names"
)

// Family is a family and what is collected of it.
type Family struct {
	Name   string
	Policy bigtable.GCPolicy
}

// Table is a table and its families.
type Table struct {
	Name     string
	Families []Family
}

const day = names.Day

// Current is the schema of production.
var Current = []Table{
	{names.TablePoints, []Family{
		{names.FamPoint, bigtable.MaxAgePolicy(names.PointRetention)}, // ok ttlgc/policy-mismatch
		{names.FamLabels, bigtable.MaxVersionsPolicy(1)},              // ok ttlgc/age-on-zero
	}},
	{names.TableSpans, []Family{
		{names.FamSpan, bigtable.MaxAgePolicy(names.SpanRetention)},                                         // ok ttlgc/age-mismatch
		{names.FamLink, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))}, // ok ttlgc/versions-with-expiry
	}},
	{names.TableSpanIndex, []Family{{names.FamIndex, bigtable.MaxAgePolicy(14 * day)}}}, // want ttlgc/age-mismatch
	{names.TableAlertState, []Family{
		{names.FamState, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		{names.FamMeta, bigtable.MaxVersionsPolicy(1)},       // ok ttlgc/no-policy
	}},
	{names.TableSilences, []Family{
		{names.FamSilence, bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch
		{names.FamNote, bigtable.MaxAgePolicy(90 * day)},     // ok ttlgc/age-mismatch
	}},
	{names.TableDashboards, []Family{
		{names.FamRev, bigtable.MaxVersionsPolicy(names.RevisionsKept)}, // ok ttlgc/policy-mismatch
		{names.FamConfig, bigtable.MaxAgePolicy(365 * day)},             // want ttlgc/age-on-zero
		{names.FamAudit, bigtable.MaxAgePolicy(names.AuditRetention)},   // ok ttlgc/policy-mismatch
	}},
	{names.TableMonitors, []Family{{names.FamRev, bigtable.MaxVersionsPolicy(5)}}}, // ok ttlgc/policy-mismatch
	{names.TableCursors, []Family{
		{names.FamPos, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))}, // want ttlgc/age-on-sequence
		{names.FamLease, bigtable.MaxAgePolicy(30 * time.Second)},                                          // want ttlgc/age-mismatch
	}},
	{names.TableQueryCache, []Family{
		{names.FamResult, bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
		{names.FamStat, bigtable.NoGcPolicy()},                     // ok ttlgc/no-policy
	}},
	{names.TableTenants, []Family{
		{names.FamState, bigtable.MaxAgePolicy(400 * day)}, // ok ttlgc/age-mismatch
		{names.FamLimits, bigtable.MaxVersionsPolicy(1)},   // ok ttlgc/age-on-zero
	}},
	{names.TableAlertHistory, []Family{{names.FamState, bigtable.MaxAgePolicy(400 * day)}}}, // ok ttlgc/age-mismatch
}

// Staging keeps less, in the manner of the old tool: table, family, policy.
var Staging = map[string]map[string]bigtable.GCPolicy{
	names.TablePoints: {
		names.FamPoint:  bigtable.MaxAgePolicy(2 * day),  // want ttlgc/policy-mismatch
		names.FamLabels: bigtable.MaxAgePolicy(14 * day), // want ttlgc/age-on-zero
	},
	names.TableSpans: {
		names.FamSpan: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(names.SpanRetention)), // want ttlgc/versions-with-expiry
		names.FamLink: bigtable.MaxAgePolicy(604800),                                                                   // want ttlunit/age-unit
	},
	names.TableSpanIndex: {names.FamIndex: bigtable.MaxAgeGCPolicy(names.Day)}, // want ttlgc/age-mismatch
	names.TableAlertState: {
		names.FamState: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
		names.FamMeta:  bigtable.MaxAgePolicy(-24 * time.Hour),                                                  // want ttlunit/age-unit
	},
	names.TableSilences: {names.FamSilence: bigtable.NoGcPolicy()}, // want ttlgc/no-policy
	names.TableDashboards: {
		names.FamRev:    bigtable.MaxAgePolicy(30 * day), // want ttlgc/age-on-sequence
		names.FamConfig: bigtable.MaxVersionsGCPolicy(1), // ok ttlgc/age-on-zero
		names.FamAudit:  bigtable.MaxVersionsPolicy(10),  // want ttlgc/policy-mismatch
	},
	names.TableMonitors: {names.FamRev: bigtable.MaxVersionsPolicy(2)}, // want ttlgc/policy-mismatch
	names.TableCursors: {
		names.FamPos:   bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(day)),         // want ttlgc/age-on-sequence
		names.FamLease: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), // want ttlgc/no-policy
	},
	names.TableQueryCache: {names.FamResult: bigtable.MaxAgePolicy(time.Second)}, // want ttlgc/age-mismatch
	names.TableDashTrash:  {names.FamRev: bigtable.MaxAgePolicy(30 * day)},       // ok ttlgc/age-on-sequence
}

// Apply creates what is missing and sets all policies.
func Apply(ctx context.Context, ac *bigtable.AdminClient, tables []Table) error {
	have, err := existing(ctx, ac)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !have[t.Name] {
			if err := ac.CreateTable(ctx, t.Name); err != nil {
				return fmt.Errorf("create %s: %w", t.Name, err)
			}
		}
		for _, f := range t.Families {
			if !have[t.Name] {
				if err := ac.CreateColumnFamily(ctx, t.Name, f.Name); err != nil { // ok ttlgc/no-policy
					return fmt.Errorf("create %s.%s: %w", t.Name, f.Name, err)
				}
			}
			if err := ac.SetGCPolicy(ctx, t.Name, f.Name, f.Policy); err != nil {
				return fmt.Errorf("policy %s.%s: %w", t.Name, f.Name, err)
			}
		}
	}
	return nil
}

func existing(ctx context.Context, ac *bigtable.AdminClient) (map[string]bool, error) {
	list, err := ac.Tables(ctx)
	have := make(map[string]bool, len(list))
	for _, t := range list {
		have[t] = true
	}
	return have, err
}

// ApplyProduction and ApplyStaging are the two ways in.
func ApplyProduction(ctx context.Context, ac *bigtable.AdminClient) error {
	return Apply(ctx, ac, Current)
}

func ApplyStaging(ctx context.Context, ac *bigtable.AdminClient) error {
	for table, fams := range Staging {
		if err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: table, Families: fams}); err != nil {
			return err
		}
	}
	return ensure(ctx, ac, names.TableCursors, "extra", bigtable.MaxVersionsPolicy(1))
}

// Rollups makes the tables of all resolutions.
func Rollups(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, res := range names.Resolutions {
		name := names.RollupTable(res)
		conf := &bigtable.TableConf{TableID: name, ColumnFamilies: map[string]bigtable.Family{
			names.FamRollup: {GCPolicy: bigtable.MaxAgePolicy(names.RollupRetention)}, // ok ttlgc/age-mismatch
			names.FamHeader: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                // ok ttlgc/age-on-zero
		}}
		if err := ac.CreateTableFromConf(ctx, conf); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Shorten was run once when the disks were full.
func Shorten(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, res := range names.Resolutions {
		if err := ac.SetGCPolicyWithOptions(ctx, names.RollupTable(res), names.FamRollup, bigtable.MaxAgePolicy(30*day), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
			return err
		}
		if err := ac.SetGCPolicy(ctx, names.RollupTable(res), names.FamHeader, bigtable.MaxAgePolicy(30*day)); err != nil { // want ttlgc/age-on-zero
			return err
		}
	}
	return nil
}

func ensure(ctx context.Context, ac *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		slog.Debug("family exists", "table", table, "family", family, "err", err)
	}
	return ac.SetGCPolicy(ctx, table, family, p)
}

// Dev prepares the emulator.
func Dev(ctx context.Context, ac *bigtable.AdminClient) error {
	steps := []func() error{
		func() error {
			return ensure(ctx, ac, names.TableDashboards, names.FamRev, bigtable.MaxVersionsPolicy(3)) // want ttlgc/policy-mismatch
		},
		func() error { return ensure(ctx, ac, names.TableMonitors, names.FamRev, bigtable.MaxVersionsPolicy(5)) }, // ok ttlgc/policy-mismatch
		func() error { return ensure(ctx, ac, names.TableCursors, names.FamPos, bigtable.MaxAgeGCPolicy(7*day)) }, // want ttlgc/age-on-sequence
		func() error {
			return ensure(ctx, ac, names.TableCursors, names.FamLease, bigtable.MaxAgePolicy(500*time.Millisecond)) // ok ttlgc/age-mismatch
		},
		func() error {
			return ensure(ctx, ac, names.TableAlertState, names.FamState, bigtable.MaxVersionsPolicy(1)) // want ttlgc/no-policy
		},
		func() error {
			return ensure(ctx, ac, names.TableAlertState, names.FamState, bigtable.MaxAgePolicy(names.StateTTL)) // want ttlgc/age-mismatch
		},
		func() error {
			return ensure(ctx, ac, names.TableTenants, names.FamState, bigtable.MaxVersionsPolicy(1)) // ok ttlgc/no-policy
		},
		func() error { return ac.CreateColumnFamily(ctx, names.TableSpans, names.FamSpan) }, // want ttlgc/no-policy
		func() error { return ac.CreateColumnFamily(ctx, names.TableSpans, names.FamLink) }, // ok ttlgc/no-policy
		func() error {
			return ac.UpdateFamily(ctx, names.TableDashboards, names.FamRev, bigtable.Family{GCPolicy: revisions()}) // want ttlgc/age-on-sequence[revs]
		},
		func() error { return ac.SetGCPolicy(ctx, names.TableSpanIndex, names.FamIndex, nil) }, // ok ttlgc/no-policy
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func revisions() bigtable.GCPolicy {
	return bigtable.UnionPolicy(bigtable.MaxVersionsGCPolicy(names.RevisionsKept), bigtable.MaxAgeGCPolicy(90*day)) // want ttlgc/age-on-sequence[revs]
}
