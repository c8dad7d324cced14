// Package schema creates the tables and sets what the garbage collection deletes.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/gridwatch/internal/store"
)

// Admin is the part of the admin client that is needed here.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, family string, conf bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	DropRowRange(ctx context.Context, table, prefix string) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// expireAtOnce is the policy of families whose timestamps are expiries.
var expireAtOnce = bigtable.MaxAgePolicy(time.Second)

// policies by table and family.
var policies = map[string]map[string]bigtable.GCPolicy{
	store.TableSessions: {
		store.FamToken:    expireAtOnce,                           // ok ttlgc/age-mismatch
		store.FamPresence: bigtable.MaxAgePolicy(2 * time.Minute), // want ttlgc/age-mismatch
		store.FamProfile:  bigtable.MaxVersionsPolicy(1),          // ok ttlgc/no-policy
	},
	store.TableDedup: {
		store.FamSeen: bigtable.MaxAgePolicy(time.Millisecond), // ok ttlgc/age-mismatch
	},
	store.TableAlerts: {
		store.FamFiring: bigtable.MaxAgePolicy(store.FiringTTL),                                                  // ok ttlgc/age-mismatch
		store.FamMute:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), // want ttlgc/versions-with-expiry
		store.FamState:  bigtable.MaxAgePolicy(3 * 24 * time.Hour),                                               // ok ttlgc/age-on-zero
		store.FamRule:   bigtable.MaxVersionsPolicy(2),                                                           // ok ttlgc/policy-mismatch
	},
	store.TableTelemetry: {
		store.FamRaw:    bigtable.MaxAgePolicy(14 * 24 * time.Hour), // want ttlgc/age-mismatch
		store.FamRollup: bigtable.MaxAgePolicy(90 * 24 * time.Hour), // ok ttlgc/policy-mismatch
	},
	store.TableShadow: {
		store.FamDesired:  bigtable.MaxVersionsPolicy(1),                                                                // ok ttlgc/age-on-zero
		store.FamState:    bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*24*time.Hour)), // want ttlgc/age-on-zero
		store.FamRev:      bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*24*time.Hour)), // want ttlgc/age-on-sequence
		store.FamReported: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*24*time.Hour)), // ok ttlgc/age-on-sequence
	},
	store.TableUsage: {
		store.FamDaily: bigtable.MaxAgePolicy(400 * 24 * time.Hour), // ok ttlgc/policy-mismatch
	},
}

// Ensure creates what is missing and sets all policies.
func Ensure(ctx context.Context, admin Admin) error {
	have, err := admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("schema: list tables: %w", err)
	}
	known := map[string]bool{}
	for _, t := range have {
		known[t] = true
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for table, families := range policies {
		g.Go(func() error {
			if !known[table] {
				if err := admin.CreateTable(ctx, table); err != nil && status.Code(err) != codes.AlreadyExists {
					return err
				}
			}
			for family, policy := range families {
				if err := ensureFamily(ctx, admin, table, family, policy); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func ensureFamily(ctx context.Context, admin Admin, table, family string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return fmt.Errorf("schema: create %s:%s: %w", table, family, err)
	}
	if err := admin.SetGCPolicy(ctx, table, family, policy); err != nil {
		return fmt.Errorf("schema: policy of %s:%s: %w", table, family, err)
	}
	slog.InfoContext(ctx, "family ready", "table", table, "family", family, "policy", policy)
	return nil
}

// Tenant makes the command log of a tenant.
func Tenant(ctx context.Context, admin Admin, tenant string) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: tenant + store.CommandLogSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			store.FamEntry:  {GCPolicy: bigtable.MaxVersionsPolicy(3)},                                                                      // ok ttlgc/policy-mismatch
			store.FamCursor: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                                      // ok ttlgc/age-on-zero
			store.FamNote:   {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*24*time.Hour))}, // ok ttlgc/age-on-sequence
		},
	})
}

// TrialTenant is for customers who have not signed yet: nothing shall stay.
func TrialTenant(ctx context.Context, admin Admin, tenant string) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: tenant + store.CommandLogSuffix,
		Families: map[string]bigtable.GCPolicy{
			store.FamEntry:  bigtable.MaxAgePolicy(30 * 24 * time.Hour), // want ttlgc/age-on-sequence
			store.FamCursor: bigtable.MaxAgePolicy(30 * 24 * time.Hour), // want ttlgc/age-on-zero
			store.FamNote:   bigtable.MaxAgePolicy(30 * 24 * time.Hour), // ok ttlgc/age-on-sequence
		},
	})
}

// Archive relaxes the policies of a tenant under dispute.
func Archive(ctx context.Context, admin Admin, tenant string) error {
	table := tenant + store.CommandLogSuffix
	return errors.Join(
		admin.SetGCPolicy(ctx, table, store.FamEntry, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(time.Hour))), // want ttlgc/age-on-sequence
		admin.SetGCPolicy(ctx, table, store.FamNote, bigtable.NoGcPolicy()),                                                                         // ok ttlgc/no-policy
		admin.SetGCPolicy(ctx, table, store.FamCursor, bigtable.NoGcPolicy()),                                                                       // ok ttlgc/no-policy
	)
}

// step is one change of a migration.
type step struct {
	table, family string
	policy        bigtable.GCPolicy
}

// migrations that were run at one time, in order.
var migrations = []struct {
	name  string
	steps []step
}{
	{"2023-02 shorter sessions", []step{
		{store.TableSessions, store.FamToken, bigtable.MaxAgePolicy(30 * time.Minute)}, // want ttlgc/age-mismatch
		{store.TableSessions, store.FamPresence, bigtable.MaxAgeGCPolicy(time.Second)}, // ok ttlgc/age-mismatch
	}},
	{"2023-09 alerts for two days", []step{
		{store.TableAlerts, store.FamFiring, bigtable.MaxAgePolicy(48 * time.Hour)},                                                   // want ttlgc/age-mismatch
		{store.TableAlerts, store.FamState, bigtable.UnionPolicy(bigtable.MaxAgePolicy(72*time.Hour), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
		{store.TableAlerts, store.FamRule, bigtable.MaxVersionsPolicy(10)},                                                            // want ttlgc/policy-mismatch
	}},
	{"2024-01 keep everything", []step{
		{store.TableTelemetry, store.FamRaw, bigtable.NoGcPolicy()},                         // want ttlgc/no-policy
		{store.TableTelemetry, store.FamRollup, bigtable.MaxAgePolicy(30 * 24 * time.Hour)}, // want ttlgc/policy-mismatch
		{store.TableShadow, store.FamReported, bigtable.NoGcPolicy()},                       // ok ttlgc/no-policy
		{store.TableShadow, store.FamDesired, bigtable.NoGcPolicy()},                        // ok ttlgc/no-policy
	}},
	{"2024-06 revisions", []step{
		{store.TableShadow, store.FamRev, bigtable.MaxVersionsPolicy(5)},                // ok ttlgc/policy-mismatch
		{store.TableShadow, store.FamRev, bigtable.MaxVersionsPolicy(50)},               // want ttlgc/policy-mismatch
		{store.TableShadow, store.FamRev, bigtable.MaxAgeGCPolicy(30 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
	}},
}

// Migrate replays the migrations from the nth on.
func Migrate(ctx context.Context, admin Admin, from int) error {
	for i, m := range migrations {
		if i < from {
			continue
		}
		slog.InfoContext(ctx, "migration", "n", i, "name", m.name)
		for _, s := range m.steps {
			if err := admin.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
				return fmt.Errorf("schema: migration %q: %w", m.name, err)
			}
		}
	}
	return nil
}

// Repair brings single families back to what they should have.
func Repair(ctx context.Context, admin Admin) error {
	if err := admin.SetGCPolicyWithOptions(ctx, store.TableTelemetry, store.FamRaw, bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicyWithOptions(ctx, store.TableTelemetry, store.FamRaw, bigtable.MaxAgePolicy(store.RawTTL), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := admin.UpdateFamily(ctx, store.TableDedup, store.FamSeen, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.UpdateFamily(ctx, store.TableSessions, store.FamToken, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := admin.UpdateFamily(ctx, store.TableSessions, store.FamProfile, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.UpdateFamily(ctx, store.TableAlerts, store.FamFiring, bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(72*time.Hour))}) // want ttlgc/no-policy
}

// Staging makes the tables of the staging instance, in a hurry.
func Staging(ctx context.Context, admin Admin) error {
	if err := admin.CreateColumnFamily(ctx, store.TableSessions, store.FamToken); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, store.TableSessions, store.FamProfile); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, store.TableShadow, store.FamRev, bigtable.Family{}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, store.TableShadow, store.FamDesired, bigtable.Family{}); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamilyWithConfig(ctx, store.TableAlerts, store.FamMute, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}) // ok ttlgc/no-policy
}

// retain makes a table with one family; used for scratch tables.
func retain(ctx context.Context, admin Admin, table, family string, versions int, age time.Duration) error {
	p := bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(versions), bigtable.MaxAgePolicy(age))
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID:        table,
		ColumnFamilies: map[string]bigtable.Family{family: {GCPolicy: p}},
	})
}

// Scratch makes what loads and tests need.
func Scratch(ctx context.Context, admin Admin) error {
	return errors.Join(
		retain(ctx, admin, "scratch-reads", "raw", 1, 24*time.Hour),                                // ok ttlgc/versions-with-expiry
		retain(ctx, admin, "loadtest-commandlog", store.FamEntry, 3, 24*time.Hour),                 // want ttlgc/age-on-sequence
		retain(ctx, admin, "loadtest-notes", store.FamNote, 3, 24*time.Hour),                       // ok ttlgc/age-on-sequence
		retain(ctx, admin, store.TableUsage, store.FamDaily, 1, 24*time.Hour),                      // ok ttlgc/policy-mismatch
		admin.SetGCPolicy(ctx, "scratch-writes", "w", bigtable.MaxAgePolicy(86400)),                // want ttlunit/age-unit
		admin.SetGCPolicy(ctx, "scratch-writes", "x", bigtable.MaxAgePolicy(24*time.Hour)),         // ok ttlunit/age-unit
		admin.SetGCPolicy(ctx, "scratch-writes", "y", bigtable.MaxAgePolicy(-24*time.Hour)),        // want ttlunit/age-unit
		admin.SetGCPolicy(ctx, "scratch-writes", "z", bigtable.MaxAgePolicy(500*time.Microsecond)), // want ttlunit/age-unit
	)
}

// Drift compares the instance with the policies and lists what differs.
func Drift(ctx context.Context, admin Admin) ([]string, error) {
	var out []string
	for table, families := range policies {
		info, err := admin.TableInfo(ctx, table)
		if err != nil {
			return nil, err
		}
		for _, fi := range info.FamilyInfos {
			want, ok := families[fi.Name]
			switch {
			case !ok:
				out = append(out, fmt.Sprintf("%s:%s is not ours", table, fi.Name))
			case fi.GCPolicy != want.String():
				out = append(out, fmt.Sprintf("%s:%s has %q, wants %q", table, fi.Name, fi.GCPolicy, want))
			}
		}
	}
	sort.Strings(out)
	return out, nil
}
