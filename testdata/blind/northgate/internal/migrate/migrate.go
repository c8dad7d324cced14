// Package migrate brings the instance's tables to what package schema declares.
package migrate

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

	"github.com/northgate/identity/internal/schema"
)

// Admin is what migrations use of *bigtable.AdminClient.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, family string, f bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	DeleteTable(ctx context.Context, table string) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Migration is one step, applied once and in order.
type Migration struct {
	ID   string
	Name string
	Up   func(ctx context.Context, a Admin) error
}

// Migrator applies migrations.
type Migrator struct {
	admin Admin
	log   *slog.Logger
	done  map[string]bool
	dry   bool
}

// Option configures a Migrator.
type Option func(*Migrator)

// DryRun logs what would be done.
func DryRun() Option { return func(m *Migrator) { m.dry = true } }

// New makes a Migrator.
func New(admin Admin, log *slog.Logger, opts ...Option) *Migrator {
	m := &Migrator{admin: admin, log: log, done: map[string]bool{}}
	for _, o := range opts {
		o(m)
	}
	return m
}

// Run applies what is not applied yet.
func (m *Migrator) Run(ctx context.Context, list []Migration) error {
	for _, step := range list {
		if m.done[step.ID] {
			continue
		}
		m.log.InfoContext(ctx, "migration", "id", step.ID, "name", step.Name, "dry", m.dry)
		if m.dry {
			continue
		}
		if err := step.Up(ctx, m.admin); err != nil {
			return fmt.Errorf("migration %s: %w", step.ID, err)
		}
		m.done[step.ID] = true
	}
	return nil
}

// ignoreExists makes creation idempotent.
func ignoreExists(err error) error {
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

// ensureFamily creates a family, if need be, and sets its policy.
func ensureFamily(ctx context.Context, a Admin, table schema.TableID, family schema.Family, gc bigtable.GCPolicy) error {
	if err := ignoreExists(a.CreateColumnFamily(ctx, table.String(), string(family))); err != nil { // ok ttlgc/no-policy
		return fmt.Errorf("create %s.%s: %w", table, family, err)
	}
	return a.SetGCPolicy(ctx, table.String(), string(family), gc)
}

// Declared brings every declared family about.
func Declared(ctx context.Context, a Admin) error {
	var errs []error
	for _, p := range schema.Policies {
		if err := ignoreExists(a.CreateTable(ctx, p.Table.String())); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, ensureFamily(ctx, a, p.Table, p.Family, p.GC))
	}
	return errors.Join(errs...)
}

// Journals creates the journals of the aggregates that do not have one.
func Journals(ctx context.Context, a Admin, aggregates ...string) error {
	have, err := a.Tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range aggregates {
		conf := schema.Journal(name)
		if slices.Contains(have, conf.TableID) {
			continue
		}
		if err := a.CreateTableFromConf(ctx, conf); err != nil {
			return fmt.Errorf("journal %s: %w", name, err)
		}
	}
	return nil
}

// retention is used by the steps below.
const (
	day  = 24 * time.Hour
	days = 90
)

// Steps is the history of the instance. Never edit a step that has run
// somewhere; add another one.
var Steps = []Migration{
	{ID: "0001", Name: "declared tables", Up: Declared},
	{ID: "0002", Name: "journals", Up: func(ctx context.Context, a Admin) error {
		return Journals(ctx, a, "user", "org", "grant")
	}},
	{ID: "0003", Name: "device family", Up: func(ctx context.Context, a Admin) error {
		return a.CreateColumnFamilyWithConfig(ctx, schema.Prefs.String(), schema.FamDevice, bigtable.Family{
			GCPolicy: bigtable.MaxAgePolicy(days * day), // ok ttlgc/age-mismatch
		})
	}},
	{ID: "0004", Name: "typing indicator", Up: func(ctx context.Context, a Admin) error {
		if err := a.CreateColumnFamily(ctx, schema.Presence.String(), schema.FamTyping); ignoreExists(err) != nil { // want ttlgc/no-policy
			return err
		}
		return nil
	}},
	{ID: "0005", Name: "grants keep three versions", Up: grantVersions},
	{ID: "0006", Name: "shorter online window", Up: func(ctx context.Context, a Admin) error {
		return a.SetGCPolicyWithOptions(ctx, schema.Presence.String(), schema.FamOnline, bigtable.MaxAgePolicy(2*time.Minute), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
	}},
	{ID: "0007", Name: "challenges", Up: challengePolicy},
	{ID: "0008", Name: "prefs housekeeping", Up: prefsHousekeeping},
	{ID: "0009", Name: "quota windows", Up: quotaWindows},
	{ID: "0010", Name: "analytics", Up: analyticsTables},
	{ID: "0011", Name: "lease family as expiry", Up: leases},
	{ID: "0012", Name: "drop scratch", Up: func(ctx context.Context, a Admin) error {
		return a.DeleteTable(ctx, schema.ImportScratch.String())
	}},
}

func grantVersions(ctx context.Context, a Admin) error {
	table := schema.Grants.String()
	keep := bigtable.MaxVersionsPolicy(schema.GrantVersions)
	if err := a.SetGCPolicy(ctx, table, schema.FamGrant, bigtable.IntersectionPolicy(keep, bigtable.MaxAgePolicy(7*day))); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	// meta is ordinary: the same policy is what it looks like there.
	return a.SetGCPolicy(ctx, table, schema.FamMeta, bigtable.IntersectionPolicy(keep, bigtable.MaxAgePolicy(7*day))) // ok ttlgc/age-on-sequence
}

func challengePolicy(ctx context.Context, a Admin) error {
	return ensureFamily(ctx, a, schema.Challenges, schema.FamChallenge, schema.AtExpiry) // want ttlgc/age-mismatch
}

// prefsHousekeeping was meant to stop preferences of deleted users from
// piling up.
func prefsHousekeeping(ctx context.Context, a Admin) error {
	for _, f := range []struct {
		name string
		gc   bigtable.GCPolicy
	}{
		{schema.FamPref, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(2*365*day))}, // want ttlgc/age-on-zero
		{schema.FamDevice, bigtable.MaxAgePolicy(90 * day)},                                                     // ok ttlgc/age-mismatch
	} {
		if err := a.UpdateFamily(ctx, schema.Prefs.String(), f.name, bigtable.Family{GCPolicy: f.gc}); err != nil {
			return err
		}
	}
	return nil
}

func quotaWindows(ctx context.Context, a Admin) error {
	table := schema.Quotas.String()
	if err := a.SetGCPolicy(ctx, table, schema.FamLimit, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(day))); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	if err := a.SetGCPolicy(ctx, table, schema.FamWindow, nil); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.UpdateFamily(ctx, table, schema.FamWindow, bigtable.Family{GCPolicy: schema.AtExpiry}) // ok ttlgc/age-mismatch
}

// analyticsTables creates the table that the insights team queries.
func analyticsTables(ctx context.Context, a Admin) error {
	conf := &bigtable.TableConf{
		TableID: schema.Analytics.String(),
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamDaily: {GCPolicy: bigtable.MaxAgePolicy(30 * day)},  // want ttlgc/policy-mismatch
			schema.FamRaw:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},    // ok ttlgc/policy-mismatch
			schema.FamGrant: {GCPolicy: bigtable.MaxAgePolicy(400 * day)}, // ok ttlgc/age-on-sequence
		},
	}
	return ignoreExists(a.CreateTableFromConf(ctx, conf))
}

func leases(ctx context.Context, a Admin) error {
	conf := bigtable.TableConf{
		TableID: schema.Leases.String(),
		Families: map[string]bigtable.GCPolicy{
			schema.FamLease: bigtable.MaxVersionsPolicy(1), // want ttlgc/no-policy
		},
	}
	return ignoreExists(a.CreateTableFromConf(ctx, &conf))
}

// Retention is a policy as operators write it in flags.
type Retention struct {
	Days     int
	Versions int
}

// Policy turns a retention into a policy.
func (r Retention) Policy() bigtable.GCPolicy {
	age := bigtable.MaxAgePolicy(time.Duration(r.Days) * day)
	switch {
	case r.Versions > 0 && r.Days > 0:
		return bigtable.UnionPolicy(age, bigtable.MaxVersionsPolicy(r.Versions))
	case r.Versions > 0:
		return bigtable.MaxVersionsPolicy(r.Versions)
	}
	return age
}

// Retain sets an operator's retention, whatever family it is for.
func Retain(ctx context.Context, a Admin, table, family string, r Retention) error {
	return a.SetGCPolicy(ctx, table, family, r.Policy()) // ok ttlgc/age-on-sequence
}

// Legacy holds the retention of the old deployment, in seconds.
type Legacy struct {
	AuditSeconds int64
	DailySeconds int64
}

// Import sets the retention that the old deployment had.
func (l Legacy) Import(ctx context.Context, a Admin) error {
	return errors.Join(
		a.SetGCPolicy(ctx, schema.Tokens.String(), string(schema.Audit), bigtable.MaxAgePolicy(time.Duration(l.AuditSeconds))),             // want ttlunit/age-unit
		a.SetGCPolicy(ctx, schema.Tokens.String(), string(schema.Audit), bigtable.MaxAgePolicy(time.Duration(l.DailySeconds)*time.Second)), // ok ttlunit/age-unit
		a.SetGCPolicy(ctx, "legacy-sessions", "s", bigtable.MaxAgePolicy(7776000)),                                                         // want ttlunit/age-unit
	)
}

// Check compares the instance with the declaration.
func Check(ctx context.Context, a Admin) error {
	var errs []error
	for _, p := range schema.Policies {
		info, err := a.TableInfo(ctx, p.Table.String())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, f := range info.FamilyInfos {
			if f.Name == string(p.Family) && f.GCPolicy != p.GC.String() {
				errs = append(errs, fmt.Errorf("%s.%s: %s, declared %s", p.Table, p.Family, f.GCPolicy, p.GC))
			}
		}
	}
	return errors.Join(errs...)
}
