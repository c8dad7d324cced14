// Package schema creates the tables and keeps their policies up to date.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"haulr.dev/backend/internal/tables"
)

// Admin is what we need of *bigtable.AdminClient.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
	DeleteTable(ctx context.Context, table string) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// expireNow is the policy of the families whose cells carry their own expiry.
func expireNow() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Second) }

// family is one family of the table below.
type family struct {
	table, name string
	policy      bigtable.GCPolicy
}

// families is what the product has today.
var families = []family{
	{tables.Sessions, tables.FamToken, expireNow()},                  // ok ttlgc/age-mismatch
	{tables.Sessions, tables.FamRefresh, expireNow()},                // ok ttlgc/age-mismatch
	{tables.Sessions, tables.FamMeta, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch

	{tables.OTP, tables.FamCode, bigtable.MaxAgePolicy(tables.CodeTTL)},     // want ttlgc/age-mismatch
	{tables.OTP, tables.FamAttempts, bigtable.MaxAgePolicy(24 * time.Hour)}, // ok ttlgc/policy-mismatch

	{tables.Flags, tables.FamFlagValue, bigtable.MaxVersionsPolicy(1)},    // ok ttlgc/age-on-zero
	{tables.Flags, tables.FamFlagHistory, bigtable.MaxVersionsPolicy(20)}, // ok ttlgc/policy-mismatch

	{tables.Inbox, tables.FamMessage, bigtable.MaxVersionsPolicy(tables.InboxVersions)}, // ok ttlgc/policy-mismatch
	{tables.Inbox, tables.FamDraft, bigtable.MaxAgePolicy(tables.DraftTTL)},             // ok ttlgc/age-mismatch
	{tables.Inbox, tables.FamState, bigtable.MaxVersionsPolicy(1)},                      // ok ttlgc/age-on-zero

	{tables.Events, tables.FamMessage, bigtable.MaxAgePolicy(90 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
	{tables.Events, tables.FamAggregate, bigtable.MaxVersionsPolicy(1)},

	{tables.OrderBook, tables.FamEvent, bigtable.UnionPolicy( // want ttlgc/age-on-sequence[obe]
		bigtable.MaxVersionsPolicy(tables.EventVersions),
		bigtable.MaxAgePolicy(365*24*time.Hour), // want ttlgc/age-on-sequence[obe]
	)},
	{tables.OrderBook, tables.FamSnapshot, bigtable.MaxVersionsPolicy(tables.SnapshotVersions)},                                      // ok ttlgc/policy-mismatch
	{tables.OrderBook, tables.FamInfo, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*24*time.Hour))}, // ok ttlgc/age-on-sequence

	{tables.Drivers, tables.FamLocation, bigtable.MaxAgePolicy(tables.LocationTTL)}, // ok ttlgc/age-mismatch
	{tables.Drivers, tables.FamPresence, bigtable.MaxAgePolicy(time.Second)},        // ok ttlgc/age-mismatch
	{tables.Drivers, tables.FamProfile, bigtable.MaxVersionsPolicy(3)},

	{tables.Settings, tables.FamPreference, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(2*365*24*time.Hour))}, // want ttlgc/age-on-zero
	{tables.Settings, tables.FamOverride, expireNow()},

	{tables.Carts, tables.FamItem, bigtable.MaxAgePolicy(14 * 24 * time.Hour)}, // want ttlgc/age-mismatch

	{tables.Idem, tables.FamResponse, bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch

	{tables.Devices, tables.FamPush, bigtable.MaxAgePolicy(tables.PushTTL)},                             // ok ttlgc/age-mismatch
	{tables.Devices, tables.FamTrust, bigtable.UnionPolicy(expireNow(), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry

	{tables.GeoCache, tables.FamTile, bigtable.MaxAgePolicy(tables.TileTTL)}, // ok ttlgc/age-mismatch

	{tables.Leases, tables.FamLease, expireNow()},                                // ok ttlgc/age-mismatch
	{tables.Leases, tables.FamFence, bigtable.MaxVersionsPolicy(3)},              // want ttlgc/policy-mismatch
	{tables.Leases, tables.FamOwner, bigtable.MaxVersionsPolicy(1)},              // ok ttlgc/policy-mismatch
	{tables.Outbox, tables.FamJob, bigtable.MaxAgePolicy(3 * 24 * time.Hour)},    // ok ttlgc/age-mismatch
	{tables.Outbox, tables.FamDead, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch

	{tables.AuditLog, tables.FamToken, bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// Ensure creates what is missing and sets every policy.
func Ensure(ctx context.Context, admin Admin, log *slog.Logger) error {
	have, err := admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	var errs []error
	for _, f := range families {
		if !slices.Contains(have, f.table) {
			if err := admin.CreateTable(ctx, f.table); err != nil && !exists(err) {
				errs = append(errs, err)
				continue
			}
			have = append(have, f.table)
		}
		if err := admin.CreateColumnFamily(ctx, f.table, f.name); err != nil && !exists(err) { // ok ttlgc/no-policy
			errs = append(errs, err)
			continue
		}
		if err := admin.SetGCPolicy(ctx, f.table, f.name, f.policy); err != nil {
			errs = append(errs, fmt.Errorf("%s/%s: %w", f.table, f.name, err))
		}
		log.Info("family", "table", f.table, "family", f.name)
	}
	return errors.Join(errs...)
}

// EnsureRegion creates the rate limit table of a region.
func EnsureRegion(ctx context.Context, admin Admin, region string) error {
	table := tables.RatePrefix + region
	err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: table,
		ColumnFamilies: map[string]bigtable.Family{
			tables.FamBucket: {GCPolicy: expireNow()},                   // ok ttlgc/age-mismatch
			tables.FamPolicy: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
		},
	})
	if exists(err) {
		return nil
	}
	return err
}

// EnsureRegionLegacy is what the first regions got.
func EnsureRegionLegacy(ctx context.Context, admin Admin, region string) error {
	table := tables.RatePrefix + region
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: table,
		Families: map[string]bigtable.GCPolicy{
			tables.FamBucket: bigtable.MaxAgePolicy(tables.BucketTTL), // want ttlgc/age-mismatch
			tables.FamPolicy: bigtable.MaxAgePolicy(24 * time.Hour),   // want ttlgc/age-on-zero
		},
	})
}

// EnsureMarket creates the quotes table of a market.
func EnsureMarket(ctx context.Context, admin Admin, market string) error {
	err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: market + tables.QuoteSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			tables.FamQuote: {GCPolicy: bigtable.MaxAgePolicy(tables.QuoteTTL)}, // ok ttlgc/age-mismatch
		},
	})
	if exists(err) {
		return nil
	}
	return err
}

// EnsureDefault makes the market that every environment has.
func EnsureDefault(ctx context.Context, admin Admin) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "default-quotes",
		ColumnFamilies: map[string]bigtable.Family{
			"quote": {GCPolicy: bigtable.MaxAgePolicy(15)}, // want ttlunit/age-unit|ttlgc/age-mismatch
		},
	})
}

// migration is one step that was run by hand once.
type migration struct {
	id  string
	run func(context.Context, Admin) error
}

var migrations = []migration{
	{"2019-03-initial", m201903},
	{"2020-01-chat", m202001},
	{"2020-06-orders", m202006},
	{"2021-11-expiry", m202111},
	{"2023-02-devices", m202302},
	{"2024-05-quotes", m202405},
}

func m201903(ctx context.Context, admin Admin) error {
	for _, t := range []string{tables.Sessions, tables.Drivers, tables.Settings} {
		if err := admin.CreateTable(ctx, t); err != nil && !exists(err) {
			return err
		}
	}
	if err := admin.CreateColumnFamily(ctx, tables.Sessions, tables.FamToken); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, tables.Sessions, tables.FamMeta); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, tables.Drivers, tables.FamLocation); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.SetGCPolicy(ctx, tables.Drivers, tables.FamLocation, bigtable.MaxAgePolicy(48*time.Hour)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return admin.CreateColumnFamily(ctx, tables.Settings, tables.FamPreference) // ok ttlgc/no-policy
}

func m202001(ctx context.Context, admin Admin) error {
	if err := admin.CreateTable(ctx, tables.Inbox); err != nil && !exists(err) {
		return err
	}
	week := bigtable.MaxAgePolicy(7 * 24 * time.Hour)
	if err := admin.CreateColumnFamilyWithConfig(ctx, tables.Inbox, tables.FamMessage, bigtable.Family{ // want ttlgc/policy-mismatch[m01]
		GCPolicy: bigtable.MaxVersionsPolicy(50), // want ttlgc/policy-mismatch[m01]
	}); err != nil {
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, tables.Inbox, tables.FamDraft, bigtable.Family{GCPolicy: week}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return admin.CreateColumnFamilyWithConfig(ctx, tables.Inbox, tables.FamState, bigtable.Family{GCPolicy: week}) // want ttlgc/age-on-zero
}

func m202006(ctx context.Context, admin Admin) error {
	if err := admin.CreateTable(ctx, tables.OrderBook); err != nil && !exists(err) {
		return err
	}
	policies := map[string]bigtable.GCPolicy{
		tables.FamEvent:    bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(30*24*time.Hour)), // want ttlgc/age-on-sequence
		tables.FamSnapshot: bigtable.MaxAgeGCPolicy(30 * 24 * time.Hour),                                                       // want ttlgc/age-on-sequence
		tables.FamInfo:     bigtable.MaxAgeGCPolicy(30 * 24 * time.Hour),                                                       // ok ttlgc/age-on-sequence
	}
	for fam, p := range policies {
		if err := admin.CreateColumnFamilyWithConfig(ctx, tables.OrderBook, fam, bigtable.Family{GCPolicy: p}); err != nil && !exists(err) {
			return err
		}
	}
	return nil
}

func m202111(ctx context.Context, admin Admin) error {
	if err := admin.UpdateFamily(ctx, tables.Sessions, tables.FamToken, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := admin.UpdateFamily(ctx, tables.Sessions, tables.FamRefresh, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(tables.RefreshTTL)}); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.UpdateFamily(ctx, tables.Drivers, tables.FamPresence, bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.UpdateFamily(ctx, tables.Drivers, tables.FamProfile, bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}) // ok ttlgc/no-policy
}

func m202302(ctx context.Context, admin Admin) error {
	conf := bigtable.TableConf{
		TableID: tables.Devices,
		ColumnFamilies: map[string]bigtable.Family{
			tables.FamPush:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                           // want ttlgc/no-policy
			tables.FamTrust: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(3))}, // want ttlgc/versions-with-expiry
		},
	}
	return admin.CreateTableFromConf(ctx, &conf)
}

func m202405(ctx context.Context, admin Admin) error {
	for _, market := range []string{"de", "at", "ch"} {
		if err := EnsureMarket(ctx, admin, market); err != nil {
			return err
		}
	}
	return admin.SetGCPolicy(ctx, "de-quotes", tables.FamQuote, bigtable.MaxAgePolicy(30*time.Minute)) // want ttlgc/age-mismatch
}

// Migrate runs the steps from first on.
func Migrate(ctx context.Context, admin Admin, first string) error {
	i := slices.IndexFunc(migrations, func(m migration) bool { return m.id == first })
	if i < 0 {
		return fmt.Errorf("schema: no migration %q", first)
	}
	for _, m := range migrations[i:] {
		if err := m.run(ctx, admin); err != nil {
			return fmt.Errorf("schema: %s: %w", m.id, err)
		}
	}
	return nil
}

// openFamily is what the services call that make their own tables in tests and
// in review apps.
func openFamily(ctx context.Context, admin Admin, table, fam string, versions int, age time.Duration) error {
	var p bigtable.GCPolicy
	switch {
	case versions > 0 && age > 0:
		p = bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(versions), bigtable.MaxAgePolicy(age))
	case versions > 0:
		p = bigtable.MaxVersionsPolicy(versions)
	case age > 0:
		p = bigtable.MaxAgePolicy(age)
	default:
		p = bigtable.NoGcPolicy()
	}
	if err := admin.CreateColumnFamily(ctx, table, fam); err != nil && !exists(err) { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, table, fam, p)
}

// ReviewApp makes the small schema of review apps.
func ReviewApp(ctx context.Context, admin Admin) error {
	for _, t := range []string{tables.Sessions, tables.Inbox, tables.OrderBook, tables.Carts} {
		if err := admin.CreateTable(ctx, t); err != nil && !exists(err) {
			return err
		}
	}
	return errors.Join(
		openFamily(ctx, admin, tables.Sessions, tables.FamToken, 0, time.Second),   // ok ttlgc/age-mismatch
		openFamily(ctx, admin, tables.Sessions, tables.FamRefresh, 1, time.Second), // want ttlgc/versions-with-expiry
		openFamily(ctx, admin, tables.Sessions, tables.FamMeta, 1, 0),              // ok ttlgc/no-policy
		openFamily(ctx, admin, tables.Inbox, tables.FamMessage, 100, 0),            // ok ttlgc/policy-mismatch
		openFamily(ctx, admin, tables.Inbox, tables.FamDraft, 0, 24*time.Hour),     // want ttlgc/age-mismatch
		openFamily(ctx, admin, tables.Inbox, tables.FamState, 1, 0),                // ok ttlgc/age-on-zero
		openFamily(ctx, admin, tables.OrderBook, tables.FamEvent, 5, 24*time.Hour), // want ttlgc/age-on-sequence
		openFamily(ctx, admin, tables.OrderBook, tables.FamSnapshot, 1, 0),         // ok ttlgc/age-on-sequence
		openFamily(ctx, admin, tables.Carts, tables.FamItem, 0, tables.CartTTL),    // ok ttlgc/age-mismatch
	)
}

// Check compares the live schema with the one above.
func Check(ctx context.Context, admin Admin) ([]string, error) {
	var diff []string
	seen := map[string]*bigtable.TableInfo{}
	for _, f := range families {
		info := seen[f.table]
		if info == nil {
			var err error
			if info, err = admin.TableInfo(ctx, f.table); err != nil {
				return nil, err
			}
			seen[f.table] = info
		}
		i := slices.IndexFunc(info.FamilyInfos, func(fi bigtable.FamilyInfo) bool { return fi.Name == f.name })
		switch {
		case i < 0:
			diff = append(diff, f.table+"/"+f.name+": missing")
		case info.FamilyInfos[i].GCPolicy != f.policy.String():
			diff = append(diff, fmt.Sprintf("%s/%s: %s, want %s", f.table, f.name, info.FamilyInfos[i].GCPolicy, f.policy))
		}
	}
	return diff, nil
}
