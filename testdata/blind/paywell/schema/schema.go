// Package schema says which tables there are, and creates them.
package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
	"example.com/paywell/store"
)

// admin is what is needed of *bigtable.AdminClient.
type admin interface {
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
}

// Family of a table.
type Family struct {
	Name   string
	Policy bigtable.GCPolicy
}

// Table that has to be there.
type Table struct {
	Name     string
	Families []Family
}

// expired is the policy of families whose cells say themselves when they
// expire.
var expired = bigtable.MaxAgePolicy(time.Second) // ok ttlgc/age-mismatch

// Tables are the tables of production.
var Tables = []Table{
	{store.TableSessions, []Family{
		{store.FamTok, expired},
		{store.FamProf, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch
	}},
	{store.TableSubscriptions, []Family{
		{store.FamState, bigtable.MaxVersionsPolicy(domain.StateVersions)}, // ok ttlgc/age-on-sequence
		{store.FamFlags, bigtable.MaxVersionsPolicy(1)},                    // ok ttlgc/age-on-zero
		{store.FamMeta, bigtable.MaxAgePolicy(domain.MetaRetention)},       // ok ttlgc/policy-mismatch
	}},
	{store.TableIdempotency, []Family{
		{store.FamRes, bigtable.MaxAgePolicy(domain.IdempotencyTTL)}, // ok ttlgc/age-mismatch
	}},
	{store.TableEntitlements, []Family{
		{store.FamCur, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
	}},
	{store.TableInvoices, []Family{
		{store.FamDoc, bigtable.MaxVersionsPolicy(2)}, // ok ttlgc/policy-mismatch
		{store.FamLock, expired},
	}},
	{store.TableUsage, []Family{
		{store.FamWin, bigtable.MaxAgePolicy(domain.UsageWindow)}, // ok ttlgc/age-mismatch
		{store.FamAgg, bigtable.NoGcPolicy()},                     // ok ttlgc/no-policy
	}},
	{store.TableWebhooks, []Family{
		{store.FamEvt, expired}, // ok ttlgc/age-on-sequence
	}},
	{store.TableDunning, []Family{
		{store.FamEvt, bigtable.MaxVersionsPolicy(domain.EventVersions)}, // ok ttlgc/no-policy
	}},
	{store.TableCoupons, []Family{
		{store.FamOTP, bigtable.MaxAgeGCPolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
		{store.FamDef, bigtable.NoGcPolicy()},                     // ok ttlgc/no-policy
	}},
	{store.TableReports, []Family{
		{store.FamTok, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},   // ok ttlgc/age-mismatch
		{store.FamState, bigtable.MaxAgePolicy(90 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
		{store.FamWin, bigtable.NoGcPolicy()},                        // ok ttlgc/no-policy
		{store.FamDoc, bigtable.NoGcPolicy()},
	}},
	{store.TableAudit, []Family{
		{store.FamEvt, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
	}},
}

// Staging are the tables of staging, which somebody copied by hand.
var Staging = []Table{
	{store.TableSessions, []Family{
		{store.FamTok, bigtable.MaxAgePolicy(domain.SessionTTL)}, // want ttlgc/age-mismatch[stag93]
		{store.FamProf, bigtable.MaxAgePolicy(24 * time.Hour)},   // ok ttlgc/age-mismatch
	}},
	{store.TableSubscriptions, []Family{
		{store.FamState, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(90*24*time.Hour))}, // want ttlgc/age-on-sequence[stag97]
		{store.FamFlags, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                  // want ttlgc/age-on-zero[stag98]
		{store.FamMeta, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                                   // want ttlgc/policy-mismatch[stag99]
	}},
	{store.TableIdempotency, []Family{
		{store.FamRes, bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch[stag102]
	}},
	{store.TableEntitlements, []Family{
		{store.FamCur, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour))}, // ok ttlgc/age-on-zero
	}},
	{store.TableInvoices, []Family{
		{store.FamDoc, bigtable.MaxVersionsPolicy(1)},          // want ttlgc/policy-mismatch[stag108]
		{store.FamLock, bigtable.MaxAgePolicy(domain.LockTTL)}, // want ttlgc/age-mismatch[stag109]
	}},
	{store.TableUsage, []Family{
		{store.FamWin, bigtable.UnionPolicy(bigtable.MaxAgePolicy(domain.UsageWindow), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry[stag112]
		{store.FamAgg, bigtable.MaxVersionsPolicy(1)},
	}},
	{store.TableWebhooks, []Family{
		{store.FamEvt, bigtable.MaxVersionsPolicy(1)}, // want ttlgc/no-policy[stag116]
	}},
	{store.TableDunning, []Family{
		{store.FamEvt, bigtable.MaxAgePolicy(time.Second)}, // want ttlgc/age-on-sequence[stag119]
	}},
	{store.TableCoupons, []Family{
		{store.FamOTP, bigtable.MaxAgePolicy(1)}, // want ttlunit/age-unit
		{store.FamDef, bigtable.MaxVersionsPolicy(3)},
	}},
}

// Apply creates what is missing of tables, and sets all policies.
func Apply(ctx context.Context, ac admin, tables []Table) error {
	there, err := ac.Tables(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range tables {
		if !slices.Contains(there, t.Name) {
			if err := ac.CreateTable(ctx, t.Name); err != nil {
				errs = append(errs, fmt.Errorf("table %s: %w", t.Name, err))
				continue
			}
		}
		errs = append(errs, families(ctx, ac, t))
	}
	return errors.Join(errs...)
}

func families(ctx context.Context, ac admin, t Table) error {
	info, err := ac.TableInfo(ctx, t.Name)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range t.Families {
		if !slices.Contains(info.Families, f.Name) {
			if err := ac.CreateColumnFamily(ctx, t.Name, f.Name); err != nil { // ok ttlgc/no-policy
				errs = append(errs, fmt.Errorf("family %s of %s: %w", f.Name, t.Name, err))
				continue
			}
		}
		if err := ac.SetGCPolicy(ctx, t.Name, f.Name, f.Policy); err != nil { // ok ttlgc/age-mismatch
			errs = append(errs, fmt.Errorf("policy of %s of %s: %w", f.Name, t.Name, err))
		}
	}
	return errors.Join(errs...)
}

// Plan says what Apply would do.
func Plan(ctx context.Context, ac admin, tables []Table) ([]string, error) {
	there, err := ac.Tables(ctx)
	if err != nil {
		return nil, err
	}
	var steps []string
	for _, t := range tables {
		if !slices.Contains(there, t.Name) {
			steps = append(steps, "create table "+t.Name)
		}
		for _, f := range t.Families {
			steps = append(steps, fmt.Sprintf("set %s.%s to %s", t.Name, f.Name, f.Policy))
		}
	}
	return steps, nil
}

// CreateTenant creates the ledger of a tenant.
func CreateTenant(ctx context.Context, ac admin, tenant string) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: store.LedgerTable(tenant),
		ColumnFamilies: map[string]bigtable.Family{
			store.FamEntry: {GCPolicy: bigtable.MaxVersionsPolicy(domain.EntryVersions)}, // ok ttlgc/age-on-sequence
			store.FamHold:  {GCPolicy: expired},                                          // ok ttlgc/age-mismatch
		},
	})
}

// CreateTrialTenant creates the ledger of a tenant that only tries: nothing
// of it is to stay.
func CreateTrialTenant(ctx context.Context, ac admin, tenant string) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: store.LedgerTable("trial-" + tenant),
		ColumnFamilies: map[string]bigtable.Family{
			store.FamEntry: {GCPolicy: bigtable.MaxAgePolicy(14 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
			store.FamHold:  {},                                                     // want ttlgc/no-policy
		},
	})
}

// CreateOldTenant creates the ledger of a tenant the old way.
func CreateOldTenant(ctx context.Context, ac admin, tenant string) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: store.LedgerTable(tenant),
		Families: map[string]bigtable.GCPolicy{
			store.FamEntry: bigtable.MaxVersionsPolicy(10), // want ttlgc/policy-mismatch
			store.FamHold: bigtable.UnionPolicy( // want ttlgc/versions-with-expiry[oldhold]
				bigtable.MaxVersionsPolicy(1), // want ttlgc/versions-with-expiry[oldhold]
				bigtable.MaxAgePolicy(time.Second),
			),
		},
	})
}

// Widen lets tenants keep more, for the auditors.
func Widen(ctx context.Context, ac admin, tenants ...string) error {
	for _, tenant := range tenants {
		policy := bigtable.IntersectionPolicy( // want ttlgc/age-on-sequence[widen]
			bigtable.MaxVersionsPolicy(domain.EntryVersions),
			bigtable.MaxAgePolicy(365*24*time.Hour),
		)
		if err := ac.SetGCPolicy(ctx, store.LedgerTable(tenant), store.FamEntry, policy); err != nil { // want ttlgc/age-on-sequence[widen]
			return fmt.Errorf("widen %s: %w", tenant, err)
		}
	}
	return nil
}

// Replicate sets what the second cluster was promised.
func Replicate(ctx context.Context, ac admin) error {
	return errors.Join(
		ac.SetGCPolicyWithOptions(ctx, store.TableIdempotency, store.FamRes, bigtable.MaxAgePolicy(100*24*time.Hour), bigtable.IgnoreWarnings()),   // want ttlgc/age-mismatch
		ac.SetGCPolicyWithOptions(ctx, store.TableUsage, store.FamWin, bigtable.MaxAgePolicy(3*24*time.Hour), bigtable.IgnoreWarnings()),           // ok ttlgc/age-mismatch
		ac.SetGCPolicyWithOptions(ctx, store.TableSubscriptions, store.FamMeta, bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.IgnoreWarnings()), // ok ttlgc/policy-mismatch
		ac.SetGCPolicy(ctx, store.TableSessions, store.FamTok, nil),                                                                                // ok ttlgc/no-policy
	)
}

// ageOf is a policy by days, as the old configuration had it.
func ageOf(days int) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour)
}

// Legacy sets the policies of the old configuration.
func Legacy(ctx context.Context, ac admin) error {
	for _, step := range []struct {
		table, family string
		policy        bigtable.GCPolicy
	}{
		{store.TableUsage, store.FamWin, ageOf(3)},                                // ok ttlgc/age-mismatch
		{store.TableUsage, store.FamWin, ageOf(7)},                                // want ttlgc/age-mismatch
		{store.TableDunning, store.FamEvt, ageOf(30)},                             // want ttlgc/age-on-sequence
		{store.TableAudit, store.FamEvt, ageOf(30)},                               // ok ttlgc/age-on-sequence
		{store.TableEntitlements, store.FamCur, ageOf(365)},                       // want ttlgc/age-on-zero
		{store.TableWebhooks, store.FamEvt, bigtable.NoGcPolicy()},                // want ttlgc/no-policy
		{store.TableAudit, store.FamEvt, bigtable.NoGcPolicy()},                   // ok ttlgc/no-policy
		{store.TableSubscriptions, store.FamState, bigtable.MaxVersionsPolicy(3)}, // want ttlgc/policy-mismatch
	} {
		if err := ac.SetGCPolicy(ctx, step.table, step.family, step.policy); err != nil {
			return err
		}
	}
	return nil
}

// Hurry has a typed number where a duration is meant.
func Hurry(ctx context.Context, ac admin) error {
	const week = 7 * 24 * 3600
	if err := ac.SetGCPolicy(ctx, store.TableReports, store.FamDoc, bigtable.MaxAgePolicy(week)); err != nil { // want ttlunit/age-unit
		return err
	}
	return ac.SetGCPolicy(ctx, store.TableReports, store.FamDoc, bigtable.MaxAgePolicy(week*time.Second)) // ok ttlunit/age-unit
}

// AddFamily adds a family to a table that is there.
func AddFamily(ctx context.Context, ac admin) error {
	if err := ac.CreateColumnFamily(ctx, store.TableSessions, store.FamTok); err != nil { // want ttlgc/no-policy
		return err
	}
	return ac.CreateColumnFamily(ctx, store.TableSessions, store.FamProf) // ok ttlgc/no-policy
}
