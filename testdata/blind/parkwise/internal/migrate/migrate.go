// Package migrate creates and changes tables, step by step.
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

	"github.com/parkwise/parkwise/internal/bt"
)

// Admin is the part of the admin client that migrations use.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateTable(ctx context.Context, table string) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	DeleteColumnFamily(ctx context.Context, table, family string) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Step is one migration.
type Step struct {
	Number int
	Name   string
	Run    func(ctx context.Context, m *Migrator) error
}

// Migrator runs steps.
type Migrator struct {
	admin  Admin
	region string
	log    *slog.Logger
	dry    bool
}

// Option configures a Migrator.
type Option func(*Migrator)

// DryRun only logs.
func DryRun() Option { return func(m *Migrator) { m.dry = true } }

// New makes a Migrator.
func New(admin Admin, region string, log *slog.Logger, opts ...Option) *Migrator {
	m := &Migrator{admin: admin, region: region, log: log}
	for _, o := range opts {
		o(m)
	}
	return m
}

// Steps are all migrations, in order.
func Steps() []Step {
	steps := []Step{
		{1, "auth and reservations", createAuth},
		{2, "charging and tariffs", createCharging},
		{3, "devices", createDevices},
		{4, "counters", createCounters},
		{5, "audit", createAudit},
		{6, "idempotency", createIdempotency},
		{7, "analytics", createAnalytics},
		{8, "revise policies", revisePolicies},
		{9, "tidy", tidy},
	}
	slices.SortFunc(steps, func(a, b Step) int { return a.Number - b.Number })
	return steps
}

// Up runs the steps from from on.
func (m *Migrator) Up(ctx context.Context, from int) error {
	for _, s := range Steps() {
		if s.Number < from {
			continue
		}
		m.log.InfoContext(ctx, "migration", "number", s.Number, "name", s.Name)
		if m.dry {
			continue
		}
		if err := s.Run(ctx, m); err != nil {
			return fmt.Errorf("migration %d (%s): %w", s.Number, s.Name, err)
		}
	}
	return nil
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// table creates a table with its families.
func (m *Migrator) table(ctx context.Context, name string, families map[string]bigtable.GCPolicy) error {
	conf := &bigtable.TableConf{TableID: name, ColumnFamilies: map[string]bigtable.Family{}}
	for fam, policy := range families {
		conf.ColumnFamilies[fam] = bigtable.Family{GCPolicy: policy}
	}
	if err := m.admin.CreateTableFromConf(ctx, conf); err != nil && !exists(err) {
		return err
	}
	return nil
}

// family creates a family and sets its policy.
func (m *Migrator) family(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	if err := m.admin.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return err
	}
	return m.admin.SetGCPolicy(ctx, table, family, policy)
}

// expiring is the policy of families whose timestamp is the expiry.
func expiring() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Second) }

// keepFor is the policy of families that are collected by age.
func keepFor(days int) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour)
}

func createAuth(ctx context.Context, m *Migrator) error {
	err := m.table(ctx, bt.TableAuth, map[string]bigtable.GCPolicy{
		bt.FamOTP:     expiring(),                         // ok ttlgc/age-mismatch
		bt.FamSession: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		bt.FamProfile: bigtable.MaxVersionsPolicy(1),      // ok ttlgc/no-policy
	})
	if err != nil {
		return err
	}
	return m.table(ctx, bt.TableReservations, map[string]bigtable.GCPolicy{
		bt.FamHold:   keepFor(1),                    // want ttlgc/age-mismatch
		bt.FamDetail: bigtable.MaxVersionsPolicy(3), // ok ttlgc/policy-mismatch
	})
}

func createCharging(ctx context.Context, m *Migrator) error {
	return errors.Join(
		m.table(ctx, bt.TableCharging, map[string]bigtable.GCPolicy{
			bt.FamSample:  keepFor(7),            // ok ttlgc/age-mismatch
			bt.FamSession: bigtable.NoGcPolicy(), // ok ttlgc/no-policy
		}),
		m.table(ctx, bt.TableTariffs, map[string]bigtable.GCPolicy{
			bt.FamRate: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), keepFor(400)), // want ttlgc/age-on-sequence
			bt.FamInfo: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), keepFor(400)), // ok ttlgc/age-on-sequence
		}),
	)
}

func createDevices(ctx context.Context, m *Migrator) error {
	name := bt.DevicesTable(m.region)
	if err := m.admin.CreateTable(ctx, name); err != nil && !exists(err) {
		return err
	}
	policies := []struct {
		family string
		policy bigtable.GCPolicy
	}{
		{bt.FamConfig, bigtable.MaxVersionsPolicy(3)},            // ok ttlgc/age-on-sequence
		{bt.FamState, bigtable.MaxVersionsPolicy(1)},             // ok ttlgc/age-on-zero
		{bt.FamHeartbeat, bigtable.MaxAgePolicy(48 * time.Hour)}, // ok ttlgc/age-mismatch
	}
	for _, p := range policies {
		if err := m.family(ctx, name, p.family, p.policy); err != nil {
			return fmt.Errorf("%s: %w", p.family, err)
		}
	}
	return nil
}

func createCounters(ctx context.Context, m *Migrator) error {
	sum := bigtable.AggregateType{Input: bigtable.Int64Type{}, Aggregator: bigtable.SumAggregator{}}
	conf := &bigtable.TableConf{
		TableID: bt.TableCounters,
		ColumnFamilies: map[string]bigtable.Family{
			bt.FamAgg:    {ValueType: sum, GCPolicy: keepFor(400)},                                                            // ok ttlgc/age-mismatch
			bt.FamGauge:  {GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                              // want ttlgc/age-on-zero
			bt.FamLimit:  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
			bt.FamWindow: {GCPolicy: bigtable.MaxAgeGCPolicy(bt.WindowRetention)},                                             // ok ttlgc/age-mismatch
		},
	}
	if err := m.admin.CreateTableFromConf(ctx, conf); err != nil && !exists(err) {
		return err
	}
	return nil
}

func createAudit(ctx context.Context, m *Migrator) error {
	return m.table(ctx, bt.TableAudit, map[string]bigtable.GCPolicy{
		bt.FamEvent: bigtable.MaxAgePolicy(bt.AuditRetention), // ok ttlgc/policy-mismatch
	})
}

func createIdempotency(ctx context.Context, m *Migrator) error {
	if err := m.admin.CreateTable(ctx, bt.TableIdempotency); err != nil && !exists(err) {
		return err
	}
	if err := m.admin.CreateColumnFamily(ctx, bt.TableIdempotency, bt.FamResp); err != nil && !exists(err) { // want ttlgc/no-policy
		return err
	}
	return nil
}

func createAnalytics(ctx context.Context, m *Migrator) error {
	return errors.Join(
		m.table(ctx, bt.TableAnalytics, map[string]bigtable.GCPolicy{
			bt.FamSample:  keepFor(30),                   // ok ttlgc/age-mismatch
			bt.FamSession: keepFor(400),                  // ok ttlgc/age-mismatch
			bt.FamRate:    keepFor(400),                  // ok ttlgc/age-on-sequence
			bt.FamState:   bigtable.MaxVersionsPolicy(9), // ok ttlgc/age-on-zero
		}),
		m.table(ctx, bt.TableSandbox, map[string]bigtable.GCPolicy{
			bt.FamHold: bigtable.MaxVersionsPolicy(1),  // ok ttlgc/no-policy
			"scratch":  bigtable.MaxAgePolicy(86400),   // want ttlunit/age-unit
			"notes":    bigtable.MaxAgePolicy(86400e9), // ok ttlunit/age-unit
		}),
	)
}
