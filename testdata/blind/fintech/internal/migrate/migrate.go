// Package migrate creates the tables and sets their garbage collection.
// Migrations run in order, each once; what has run is remembered outside of
// Bigtable, by the deployment.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
)

// Admin is what migrations need of the admin client.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Migration is one step.
type Migration struct {
	Version int
	Name    string
	Up      func(ctx context.Context, a Admin) error
}

// Runner runs migrations.
type Runner struct {
	admin Admin
	log   *slog.Logger
	all   []Migration
}

// NewRunner runs all of this package's migrations.
func NewRunner(a Admin, log *slog.Logger) *Runner {
	return &Runner{admin: a, log: log, all: All()}
}

// Run runs what comes after version from.
func (r *Runner) Run(ctx context.Context, from int) error {
	sort.Slice(r.all, func(i, j int) bool { return r.all[i].Version < r.all[j].Version })
	for _, m := range r.all {
		if m.Version <= from {
			continue
		}
		r.log.Info("migrating", "version", m.Version, "name", m.Name)
		if err := m.Up(ctx, r.admin); err != nil {
			return fmt.Errorf("migration %d (%s): %w", m.Version, m.Name, err)
		}
	}
	return nil
}

// All lists the migrations.
func All() []Migration {
	return []Migration{
		{1, "base tables", base},
		{2, "payouts", payouts},
		{3, "merchants", merchants},
		{4, "webhooks", webhooks},
		{5, "retention review", retention},
		{6, "us ledger", usLedger},
		{7, "versions", versions},
		{8, "cleanup after the audit", cleanup},
		{9, "sandbox", sandbox},
		{10, "asia ledger", asiaLedger},
	}
}

// spec is a family with its policy.
type spec struct {
	table  schema.Table
	family schema.Family
	policy bigtable.GCPolicy
}

// second is the age of families whose cells carry their expiry.
var second = bigtable.MaxAgePolicy(time.Second)

var specs = []spec{
	{schema.TableOneTime, schema.FamToken, second},                                              // ok ttlgc/age-mismatch
	{schema.TableOneTime, schema.FamAttempts, bigtable.MaxAgePolicy(10 * time.Minute)},          // want ttlgc/age-mismatch
	{schema.TableOneTime, schema.FamContact, bigtable.MaxVersionsPolicy(1)},                     // ok ttlgc/policy-mismatch
	{schema.TableIdempotency, schema.FamKey, second},                                            // ok ttlgc/age-mismatch
	{schema.TableIdempotency, schema.FamResponse, bigtable.MaxAgeGCPolicy(24 * time.Hour)},      // want ttlgc/age-mismatch
	{schema.TableIdempotency, schema.FamAudit, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},      // ok ttlgc/age-mismatch
	{schema.TableRateLimits, schema.FamWindow, bigtable.MaxAgePolicy(500 * time.Millisecond)},   // ok ttlgc/age-mismatch
	{schema.TableRateLimits, schema.FamBurst, second},                                           // want ttlgc/age-mismatch[burst]
	{schema.TableQuotes, schema.FamFX, bigtable.MaxAgePolicy(15 * time.Minute)},                 // ok ttlgc/age-mismatch
	{schema.TableQuotes, schema.FamRisk, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},            // ok ttlgc/age-mismatch
	{schema.TableQuotes, schema.FamSource, bigtable.NoGcPolicy()},                               // ok ttlgc/no-policy
	{schema.Table("eu-ledger"), schema.FamEntry, bigtable.MaxVersionsPolicy(3)},                 // ok ttlgc/policy-mismatch
	{schema.Table("eu-ledger"), schema.FamBalance, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
	{schema.Table("eu-ledger"), schema.FamMemo, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},    // ok ttlgc/age-on-sequence
	{schema.TableArchive, schema.FamEntry, bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour)},    // ok ttlgc/age-on-sequence
	{schema.TableSandbox, schema.FamToken, bigtable.MaxAgePolicy(7 * 24 * time.Hour)},           // ok ttlgc/age-mismatch
}

func base(ctx context.Context, a Admin) error {
	made := map[schema.Table]bool{}
	for _, s := range specs {
		if !made[s.table] {
			if err := a.CreateTable(ctx, string(s.table)); err != nil {
				return err
			}
			made[s.table] = true
		}
		if err := a.CreateColumnFamily(ctx, string(s.table), string(s.family)); err != nil { // ok ttlgc/no-policy
			return err
		}
		if err := a.SetGCPolicy(ctx, string(s.table), string(s.family), s.policy); err != nil {
			return err
		}
	}
	return nil
}

func payouts(ctx context.Context, a Admin) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TablePayouts.String(),
		ColumnFamilies: map[string]bigtable.Family{
			string(schema.FamState):  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(30*24*time.Hour))}, // want ttlgc/age-on-sequence
			string(schema.FamOutbox): {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                               // ok ttlgc/policy-mismatch
			string(schema.FamLease):  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))},     // want ttlgc/versions-with-expiry
			string(schema.FamNotes):  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*24*time.Hour))}, // ok ttlgc/versions-with-expiry
		},
	})
}

func merchants(ctx context.Context, a Admin) error {
	table := schema.TableMerchants.String()
	if err := a.CreateTable(ctx, table); err != nil {
		return err
	}
	for family, policy := range map[schema.Family]bigtable.GCPolicy{
		schema.FamSettings: bigtable.MaxVersionsPolicy(1),               // ok ttlgc/age-on-zero
		schema.FamFlags:    bigtable.MaxAgePolicy(90 * 24 * time.Hour),  // want ttlgc/age-on-zero
		schema.FamProfile:  bigtable.MaxVersionsPolicy(5),               // ok ttlgc/policy-mismatch
		schema.FamState:    bigtable.MaxAgePolicy(400 * 24 * time.Hour), // ok ttlgc/age-on-sequence
	} {
		if err := a.CreateColumnFamily(ctx, table, string(family)); err != nil { // ok ttlgc/no-policy
			return err
		}
		if err := a.SetGCPolicy(ctx, table, string(family), policy); err != nil {
			return err
		}
	}
	return nil
}

func webhooks(ctx context.Context, a Admin) error {
	table := string(schema.TableWebhooks)
	if err := a.CreateTable(ctx, table); err != nil {
		return err
	}
	keep := 3 * 24 * time.Hour
	if err := a.CreateColumnFamilyWithConfig(ctx, table, "delivery", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(keep)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := a.CreateColumnFamily(ctx, table, "cursor"); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, table, "endpoint"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, table, "endpoint", bigtable.MaxAgePolicy(90*24*time.Hour)) // ok ttlgc/policy-mismatch
}

// retention is what the storage review asked for.
func retention(ctx context.Context, a Admin) error {
	var errs []error
	errs = append(errs,
		a.SetGCPolicy(ctx, "quotes", "fx", bigtable.MaxAgePolicy(time.Hour)),                                                                         // want ttlgc/age-mismatch
		a.SetGCPolicyWithOptions(ctx, "quotes", "risk", bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.IgnoreWarnings()),                           // want ttlgc/age-mismatch
		a.SetGCPolicyWithOptions(ctx, "quotes", "source", bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.IgnoreWarnings()),                         // ok ttlgc/age-mismatch
		a.SetGCPolicy(ctx, "webhooks", "delivery", bigtable.UnionPolicy(bigtable.MaxAgePolicy(72*time.Hour), bigtable.MaxVersionsPolicy(10))),        // want ttlgc/versions-with-expiry
		a.SetGCPolicy(ctx, "webhooks", "endpoint", bigtable.MaxAgePolicy(30*24*time.Hour)),                                                           // want ttlgc/policy-mismatch
		a.SetGCPolicy(ctx, "onetime", "token", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))),       // want ttlgc/no-policy
		a.SetGCPolicy(ctx, "eu-ledger", "entry", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.MaxVersionsPolicy(3))), // want ttlgc/age-on-sequence
		a.SetGCPolicy(ctx, "archive", "entry", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.MaxVersionsPolicy(3))),   // ok ttlgc/age-on-sequence
		a.SetGCPolicy(ctx, "idempotency", "audit", bigtable.MaxAgePolicy(7776000)),                                                                   // want ttlunit/age-unit
		a.SetGCPolicy(ctx, "idempotency", "audit", bigtable.MaxAgePolicy(7776000*time.Second)),                                                       // ok ttlunit/age-unit
	)
	return errors.Join(errs...)
}

// ledgerFamilies creates a region's ledger with the policies given.
func ledgerFamilies(ctx context.Context, a Admin, region string, entry, balance bigtable.GCPolicy) error {
	table := string(schema.Ledger(region))
	if err := a.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, table, "entry", bigtable.Family{GCPolicy: entry}); err != nil {
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, table, "balance", bigtable.Family{GCPolicy: balance}); err != nil {
		return err
	}
	return a.CreateColumnFamily(ctx, table, "memo") // ok ttlgc/no-policy
}

func usLedger(ctx context.Context, a Admin) error {
	return ledgerFamilies(ctx, a, "us", bigtable.MaxVersionsPolicy(3), bigtable.MaxVersionsPolicy(1)) // ok ttlgc/policy-mismatch
}

func asiaLedger(ctx context.Context, a Admin) error {
	return ledgerFamilies(ctx, a, "asia", bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.MaxVersionsPolicy(1)) // want ttlgc/age-on-sequence
}

// versions tidies up families that kept too much.
func versions(ctx context.Context, a Admin) error {
	for _, v := range []struct {
		table, family string
		n             int
	}{
		{"eu-ledger", "entry", 3},
		{"us-ledger", "entry", 3},
		{"payouts", "state", 5},
	} {
		if err := a.SetGCPolicy(ctx, v.table, v.family, bigtable.MaxVersionsPolicy(v.n)); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
	}
	if err := a.SetGCPolicy(ctx, "payouts", "outbox", bigtable.MaxVersionsPolicy(10)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := a.UpdateFamily(ctx, "us-ledger", "balance", bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(2)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return a.UpdateFamily(ctx, "merchants", "profile", bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(1)}) // want ttlgc/policy-mismatch
}

// cleanup is what was left to do after the audit.
func cleanup(ctx context.Context, a Admin) error {
	steps := []func() error{
		func() error { return a.SetGCPolicy(ctx, "onetime", "attempts", bigtable.NoGcPolicy()) }, // want ttlgc/no-policy
		func() error { return a.SetGCPolicy(ctx, "onetime", "contact", bigtable.NoGcPolicy()) },  // ok ttlgc/no-policy
		func() error { return a.SetGCPolicy(ctx, "onetime", "attempts", nil) },                   // ok ttlgc/no-policy
		func() error {
			return a.SetGCPolicy(ctx, "idempotency", "response", bigtable.MaxVersionsPolicy(1)) // want ttlgc/no-policy
		},
		func() error {
			return a.SetGCPolicy(ctx, "merchants", "settings", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour))) // want ttlgc/age-on-zero
		},
		func() error {
			return a.SetGCPolicy(ctx, "merchants", "flags", bigtable.MaxVersionsPolicy(1)) // ok ttlgc/age-on-zero
		},
		func() error {
			return a.SetGCPolicy(ctx, "payouts", "lease", bigtable.MaxAgePolicy(30*time.Second)) // want ttlgc/age-mismatch
		},
		func() error {
			return a.SetGCPolicy(ctx, "payouts", "state", bigtable.MaxAgePolicy(90*24*time.Hour)) // want ttlgc/age-on-sequence
		},
		func() error {
			return a.SetGCPolicy(ctx, "merchants", "state", bigtable.MaxAgePolicy(90*24*time.Hour)) // ok ttlgc/age-on-sequence
		},
	}
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

// sandbox creates the developers' playground with onetime's families.
func sandbox(ctx context.Context, a Admin) error {
	table := string(schema.TableSandbox)
	for _, f := range []string{"attempts", "contact"} {
		if err := a.CreateColumnFamily(ctx, table, f); err != nil { // ok ttlgc/no-policy
			return err
		}
	}
	return a.SetGCPolicy(ctx, table, "attempts", bigtable.MaxVersionsPolicy(3)) // ok ttlgc/no-policy
}
