// Package schema makes the depot's tables.
package schema

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/names"
)

// Admin is what this package needs of the admin client.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	UpdateFamily(ctx context.Context, table, family string, config bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Days is a number of days, as policies have them.
type Days int

// Duration is the days as a duration.
func (d Days) Duration() time.Duration { return time.Duration(d) * 24 * time.Hour }

// Policies.
var (
	expiring = bigtable.MaxAgePolicy(time.Second)
	oneOnly  = bigtable.MaxVersionsPolicy(1)
	month    = bigtable.MaxAgePolicy(Days(30).Duration())
	twoDays  = bigtable.MaxAgePolicy(Days(2).Duration())
)

// entry is a row of the tables below.
type entry struct {
	table  string
	family names.Family
	policy bigtable.GCPolicy
}

// desired is the schema as it should be.
var desired = []entry{
	{names.DockSlots, names.Hold, expiring}, // ok ttlgc/age-mismatch
	{names.DockSlots, names.Slot, oneOnly},
	{names.GatePasses, names.Pass, expiring},                                     // ok ttlgc/age-mismatch
	{names.GatePasses, names.Info, bigtable.NoGcPolicy()},                        // ok ttlgc/no-policy
	{names.Telemetry, names.Ping, twoDays},                                       // ok ttlgc/age-mismatch
	{names.Telemetry, names.Alarm, month},                                        // ok ttlgc/age-mismatch
	{names.Quotes, names.Rate, bigtable.MaxAgePolicy(6 * time.Hour)},             // ok ttlgc/age-mismatch
	{names.Parcels, names.State, oneOnly},                                        // ok ttlgc/age-on-zero
	{names.Parcels, names.Step, bigtable.MaxVersionsPolicy(5)},                   // ok ttlgc/policy-mismatch
	{names.Parcels, names.Grant, bigtable.MaxAgeGCPolicy(time.Second)},           // ok ttlgc/age-mismatch
	{names.Parcels, names.Trail, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},     // ok ttlgc/policy-mismatch
	{names.YardAudit, names.Step, bigtable.MaxVersionsGCPolicy(10)},              // ok ttlgc/policy-mismatch
	{names.Totals, names.Count, bigtable.NoGcPolicy()},                           // ok ttlgc/no-policy
	{names.DockArchive, names.Hold, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
	{names.QuoteHistory, names.Rate, bigtable.NoGcPolicy()},                      // ok ttlgc/no-policy
}

// staging is the schema of the staging instance, where everything is to be
// gone sooner.
var staging = []entry{
	{names.DockSlots, names.Hold, bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch
	{names.GatePasses, names.Pass, expiring},
	{names.Telemetry, names.Ping, bigtable.MaxAgePolicy(12 * time.Hour)}, // want ttlgc/age-mismatch
	{names.Telemetry, names.Alarm, month},
	{names.Parcels, names.State, bigtable.MaxAgePolicy(24 * time.Hour)},                                                   // want ttlgc/age-on-zero
	{names.Parcels, names.Step, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(24*time.Hour))}, // want ttlgc/age-on-sequence
	{names.Parcels, names.Trail, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                              // want ttlgc/policy-mismatch
	{names.YardAudit, names.Step, bigtable.MaxVersionsPolicy(1)},                                                          // want ttlgc/policy-mismatch
	{names.YardAudit, names.State, bigtable.MaxAgePolicy(24 * time.Hour)},                                                 // ok ttlgc/age-on-zero
	{names.Quotes, names.Rate, bigtable.NoGcPolicy()},                                                                     // want ttlgc/no-policy
	{names.ManifestDrafts, names.Rev, bigtable.MaxAgePolicy(24 * time.Hour)},                                              // ok ttlgc/age-on-sequence
}

// Ensure makes what is not there and sets the policies.
func Ensure(ctx context.Context, a Admin, log *slog.Logger) error { return apply(ctx, a, desired, log) }

// EnsureStaging is Ensure for the staging instance.
func EnsureStaging(ctx context.Context, a Admin, log *slog.Logger) error {
	return apply(ctx, a, staging, log)
}

func apply(ctx context.Context, a Admin, es []entry, log *slog.Logger) error {
	have, err := a.Tables(ctx)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	var errs []error
	for _, e := range es {
		if !slices.Contains(have, e.table) {
			if err := a.CreateTable(ctx, e.table); err != nil {
				errs = append(errs, err)
				continue
			}
			have = append(have, e.table)
		}
		_ = a.CreateColumnFamily(ctx, e.table, string(e.family)) // ok ttlgc/no-policy
		if err := a.SetGCPolicy(ctx, e.table, string(e.family), e.policy); err != nil {
			errs = append(errs, fmt.Errorf("%s/%s: %w", e.table, e.family, err))
			continue
		}
		log.InfoContext(ctx, "policy set", "table", e.table, "family", e.family, "policy", e.policy.String())
	}
	return errors.Join(errs...)
}

// Tables yields the tables of the schema.
func Tables() iter.Seq[string] {
	set := map[string]struct{}{}
	for _, e := range desired {
		set[e.table] = struct{}{}
	}
	return slices.Values(slices.Sorted(maps.Keys(set)))
}

// CreateManifest makes the table of a new depot.
func CreateManifest(ctx context.Context, a Admin, depot string) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: depot + "-manifest",
		ColumnFamilies: map[string]bigtable.Family{
			"rev":  {GCPolicy: bigtable.MaxVersionsPolicy(3)}, // ok ttlgc/policy-mismatch
			"head": {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
		},
	})
}

// CreateSmallManifest makes the table of a depot without a hall.
func CreateSmallManifest(ctx context.Context, a Admin, depot string) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: depot + "-manifest",
		ColumnFamilies: map[string]bigtable.Family{
			"rev":  {GCPolicy: bigtable.MaxVersionsPolicy(2)},             // want ttlgc/policy-mismatch
			"head": {GCPolicy: bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // want ttlgc/age-on-zero
		},
	})
}

// CreatePopUp makes the table of a depot for a season: after it everything
// may go.
func CreatePopUp(ctx context.Context, a Admin, depot string, season Days) error {
	age := bigtable.MaxAgePolicy(season.Duration()) // want ttlgc/age-on-sequence[popup]
	table := depot + "-manifest"
	if err := a.CreateTable(ctx, table); err != nil {
		return err
	}
	err := a.CreateColumnFamilyWithConfig(ctx, table, "rev", bigtable.Family{GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), age)}) // want ttlgc/age-on-sequence[popup]
	return errors.Join(err,
		a.CreateColumnFamilyWithConfig(ctx, table, "head", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}), // ok ttlgc/age-on-zero
	)
}

// CreateTest makes the tables that the integration tests use.
func CreateTest(ctx context.Context, a Admin) error {
	conf := func(table string, fs map[string]bigtable.GCPolicy) error {
		return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: table, Families: fs})
	}
	return errors.Join(
		conf(names.DockSlots, map[string]bigtable.GCPolicy{ // want ttlgc/versions-with-expiry[t1]
			"hold": bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry[t1]
			"slot": bigtable.MaxVersionsPolicy(1),
		}),
		conf(names.Telemetry, map[string]bigtable.GCPolicy{ // want ttlgc/versions-with-expiry[t2]
			"ping":  bigtable.UnionPolicy(bigtable.MaxAgePolicy(48*time.Hour), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry[t2]
			"alarm": bigtable.MaxAgePolicy(720 * time.Hour),                                                   // ok ttlgc/versions-with-expiry
		}),
		conf(names.GatePasses, map[string]bigtable.GCPolicy{ // want ttlgc/no-policy[t3]
			"pass": bigtable.MaxVersionsPolicy(1), // want ttlgc/no-policy[t3]
			"info": bigtable.MaxVersionsPolicy(1), // ok ttlgc/no-policy
		}),
		conf(names.Quotes, map[string]bigtable.GCPolicy{
			"rate": bigtable.MaxAgePolicy(6 * time.Hour),
			"meta": bigtable.UnionPolicy(bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxVersionsPolicy(3)), // ok ttlgc/versions-with-expiry
		}),
	)
}
