// Package schema creates the tables and keeps their policies.
package schema

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

const day = 24 * time.Hour

// policies are what a new instance gets.
var policies = map[string]map[string]bigtable.GCPolicy{
	keys.TableDeviceState: {
		keys.FamHB:     bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		keys.FamShadow: bigtable.MaxVersionsPolicy(1),      // ok ttlgc/age-on-zero
		keys.FamVer:    bigtable.MaxAgePolicy(30 * day),    // want ttlgc/age-on-sequence
		keys.FamMeta:   bigtable.NoGcPolicy(),              // ok ttlgc/no-policy
	},
	keys.TableCommands: {
		keys.FamCmd:   bigtable.MaxAgePolicy(day),      // want ttlgc/age-mismatch
		keys.FamSeq:   bigtable.MaxVersionsPolicy(1),   // ok ttlgc/policy-mismatch
		keys.FamAudit: bigtable.MaxAgePolicy(90 * day), // ok ttlgc/policy-mismatch
	},
	keys.TableFirmware: {
		keys.FamRev:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*day)), // want ttlgc/age-on-sequence
		keys.FamBlob: bigtable.MaxVersionsPolicy(1),                                                       // ok ttlgc/age-on-zero
		keys.FamInfo: bigtable.MaxVersionsPolicy(3),                                                       // ok ttlgc/policy-mismatch
	},
	keys.TableGeofence: {
		keys.FamState: bigtable.MaxAgeGCPolicy(7 * day), // ok ttlgc/age-mismatch
		keys.FamFence: bigtable.MaxAgeGCPolicy(7 * day), // want ttlgc/age-on-zero
	},
	keys.TableSessions: {
		keys.FamTok:   bigtable.MaxAgePolicy(time.Millisecond), // ok ttlgc/age-mismatch
		keys.FamState: bigtable.MaxAgePolicy(30 * day),         // ok ttlgc/age-mismatch
	},
	keys.TableIndex: {
		keys.FamRev:     bigtable.MaxAgePolicy(90 * day), // ok ttlgc/age-on-sequence
		keys.FamByModel: bigtable.NoGcPolicy(),           // ok ttlgc/no-policy
	},
	keys.TableBilling: {
		keys.FamHB:    bigtable.MaxAgePolicy(400 * day), // ok ttlgc/age-mismatch
		keys.FamLease: bigtable.MaxVersionsPolicy(1),    // ok ttlgc/no-policy
	},
}

// Apply brings all tables into their shape.
func Apply(ctx context.Context, ac *bigtable.AdminClient, log *logx.Logger) error {
	have, err := ac.Tables(ctx)
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, t := range have {
		exists[t] = true
	}
	names := make([]string, 0, len(policies))
	for t := range policies {
		names = append(names, t)
	}
	sort.Strings(names)
	var errs []error
	for _, t := range names {
		if !exists[t] {
			if err := ac.CreateTable(ctx, t); err != nil {
				errs = append(errs, fmt.Errorf("create %s: %w", t, err))
				continue
			}
		}
		for fam, p := range policies[t] {
			if !exists[t] {
				if err := ac.CreateColumnFamily(ctx, t, fam); err != nil { // ok ttlgc/no-policy
					errs = append(errs, err)
					continue
				}
			}
			if err := ac.SetGCPolicy(ctx, t, fam, p); err != nil {
				errs = append(errs, fmt.Errorf("policy %s.%s: %w", t, fam, err))
			}
		}
		log.Info("table", logx.KV{"name": t, "new": !exists[t]})
	}
	return errors.Join(errs...)
}

// family is a row of the table of changes.
type family struct {
	table, name string
	policy      bigtable.GCPolicy
}

// changes are what came later, oldest first.
var changes = []family{
	{table: keys.TableCommands, name: keys.FamCmd, policy: bigtable.MaxAgePolicy(time.Second)},                                                        // ok ttlgc/age-mismatch
	{table: keys.TableGeofence, name: keys.FamState, policy: bigtable.MaxAgePolicy(14 * day)},                                                         // want ttlgc/age-mismatch
	{table: keys.TableFirmware, name: keys.FamRev, policy: bigtable.MaxVersionsPolicy(3)},                                                             // want ttlgc/policy-mismatch
	{table: keys.TableFirmware, name: keys.FamInfo, policy: bigtable.MaxAgePolicy(30 * day)},                                                          // want ttlgc/policy-mismatch
	{table: keys.TableDeviceState, name: keys.FamVer, policy: bigtable.MaxVersionsPolicy(10)},                                                         // ok ttlgc/policy-mismatch
	{table: keys.TableDeviceState, name: keys.FamHB, policy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
	{table: keys.TableSessions, name: keys.FamTok, policy: bigtable.MaxAgePolicy(30 * time.Minute)},                                                   // want ttlgc/age-mismatch
	{table: keys.TableCommands, name: keys.FamSeq, policy: bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(day), bigtable.MaxVersionsPolicy(1))},    // want ttlgc/age-on-sequence
	{table: keys.TableCommands, name: keys.FamAudit, policy: bigtable.MaxAgePolicy(30 * day)},                                                         // want ttlgc/policy-mismatch
	{table: keys.TableScratch, name: keys.FamRev, policy: bigtable.MaxAgePolicy(day)},                                                                 // ok ttlgc/age-on-sequence
}

// Migrate applies the changes from a number on.
func Migrate(ctx context.Context, ac *bigtable.AdminClient, from int) error {
	for i := from; i < len(changes); i++ {
		c := changes[i]
		if err := ac.SetGCPolicy(ctx, c.table, c.name, c.policy); err != nil {
			return fmt.Errorf("change %d: %w", i, err)
		}
	}
	return nil
}

// ensure creates a family and gives it a policy by age.
func ensure(ctx context.Context, ac *bigtable.AdminClient, table, fam string, age time.Duration) error {
	if err := ac.CreateColumnFamily(ctx, table, fam); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ac.SetGCPolicy(ctx, table, fam, bigtable.MaxAgePolicy(age))
}

// ensureVersions creates a family and gives it a policy by number.
func ensureVersions(ctx context.Context, ac *bigtable.AdminClient, table, fam string, n int) error {
	return ac.CreateColumnFamilyWithConfig(ctx, table, fam, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(n)})
}

// Test makes the tables of a test instance.
func Test(ctx context.Context, ac *bigtable.AdminClient, leases string) error {
	for _, t := range []string{keys.TableDeviceState, keys.TableCommands, keys.TableFirmware, keys.TableGeofence} {
		if err := ac.CreateTable(ctx, t); err != nil {
			return err
		}
	}
	return errors.Join(
		ensure(ctx, ac, keys.TableDeviceState, keys.FamHB, time.Second),                       // ok ttlgc/age-mismatch
		ensure(ctx, ac, keys.TableCommands, keys.FamCmd, time.Hour),                           // want ttlgc/age-mismatch
		ensure(ctx, ac, keys.TableGeofence, keys.FamState, 7*day),                             // ok ttlgc/age-mismatch
		ensure(ctx, ac, keys.TableFirmware, keys.FamRev, 90*day),                              // want ttlgc/age-on-sequence
		ensureVersions(ctx, ac, keys.TableDeviceState, keys.FamShadow, 1),                     // ok ttlgc/age-on-zero
		ensureVersions(ctx, ac, keys.TableDeviceState, keys.FamVer, 1),                        // want ttlgc/policy-mismatch
		ensureVersions(ctx, ac, keys.TableFirmware, keys.FamInfo, 3),                          // ok ttlgc/policy-mismatch
		ac.CreateColumnFamily(ctx, keys.TableDeviceState, keys.FamMeta),                       // ok ttlgc/no-policy
		ac.CreateColumnFamily(ctx, keys.TableCommands, keys.FamSeq),                           // want ttlgc/no-policy
		ac.SetGCPolicy(ctx, keys.TableDeviceState, keys.FamMeta, bigtable.MaxAgePolicy(7200)), // want ttlunit/age-unit
	)
}

// Tenant makes a tenant's rollup table.
func Tenant(ctx context.Context, ac *bigtable.AdminClient, tenant string) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: tenant + keys.SuffixRollup,
		ColumnFamilies: map[string]bigtable.Family{
			keys.FamMinute: {GCPolicy: bigtable.MaxAgePolicy(14 * day)}, // ok ttlgc/age-mismatch
			keys.FamHour:   {GCPolicy: bigtable.MaxAgePolicy(30 * day)}, // want ttlgc/age-mismatch
			keys.FamAgg:    {GCPolicy: bigtable.MaxVersionsPolicy(1)},   // ok ttlgc/no-policy
		},
	})
}

// Leases makes a table of leases.
func Leases(ctx context.Context, ac *bigtable.AdminClient, suffix string) error {
	conf := &bigtable.TableConf{
		TableID: "leases" + suffix,
		Families: map[string]bigtable.GCPolicy{
			keys.FamLease: bigtable.MaxAgePolicy(2 * time.Minute), // want ttlgc/age-mismatch
		},
	}
	return ac.CreateTableFromConf(ctx, conf)
}

// Relax turns the collector down before a migration.
func Relax(ctx context.Context, ac *bigtable.AdminClient) error {
	opt := bigtable.IgnoreWarnings()
	if err := ac.SetGCPolicyWithOptions(ctx, keys.TableGeofence, keys.FamState, bigtable.MaxAgePolicy(180*day), opt); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicyWithOptions(ctx, keys.TableDeviceState, keys.FamHB, bigtable.NoGcPolicy(), opt); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := ac.UpdateFamily(ctx, keys.TableCommands, keys.FamCmd, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // want ttlgc/no-policy
		return err
	}
	var seq bigtable.GCPolicy = bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{ // want ttlgc/age-on-sequence[relax]
		bigtable.MaxVersionsGCPolicy(10),
		bigtable.MaxAgeGCPolicy(365 * day), // want ttlgc/age-on-sequence[relax]
	}}
	return ac.SetGCPolicy(ctx, keys.TableDeviceState, keys.FamVer, seq) // want ttlgc/age-on-sequence[relax]
}

// Tighten turns it up again.
func Tighten(ctx context.Context, ac *bigtable.AdminClient) error {
	age := 7 * day
	for _, f := range []string{keys.FamState} {
		if err := ac.SetGCPolicy(ctx, keys.TableGeofence, f, bigtable.MaxAgePolicy(age)); err != nil { // ok ttlgc/age-mismatch
			return err
		}
	}
	if err := ac.SetGCPolicy(ctx, keys.TableDeviceState, keys.FamVer, bigtable.MaxVersionsPolicy(10)); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return ac.SetGCPolicy(ctx, keys.TableDeviceState, keys.FamShadow, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*day))) // want ttlgc/age-on-zero
}

// Describe prints the policies.
func Describe(emit func(string)) {
	for t, fams := range policies {
		for f, p := range fams {
			emit(fmt.Sprintf("%s.%s %s", t, f, p))
		}
	}
}
