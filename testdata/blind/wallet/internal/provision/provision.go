// Package provision creates the platform's tables and sets their garbage
// collection.
package provision

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wallet.example/platform/internal/schema"
)

const _day = 24 * time.Hour

// admin is what the Provisioner needs of an admin client.
type admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
}

var _ admin = (*bigtable.AdminClient)(nil)

// Params is what New needs.
type Params struct {
	Admin  admin
	Region string
	Logger *slog.Logger
}

// Result is what New provides.
type Result struct {
	Provisioner *Provisioner
}

// New provides the Provisioner.
func New(p Params) (Result, error) {
	if p.Admin == nil {
		return Result{}, errors.New("provision: no admin client")
	}
	return Result{Provisioner: &Provisioner{admin: p.Admin, region: p.Region, logger: p.Logger}}, nil
}

// Provisioner creates tables.
type Provisioner struct {
	admin  admin
	region string
	logger *slog.Logger
}

// familyPolicy is a family and what is collected in it.
type familyPolicy struct {
	table  schema.Table
	family schema.Family
	policy bigtable.GCPolicy
}

// _policies is what every environment has.
var _policies = []familyPolicy{
	{schema.TableSessions, schema.FamilyToken, bigtable.MaxAgePolicy(time.Second)},                                                 // ok ttlgc/age-mismatch
	{schema.TableSessions, schema.FamilyProfile, bigtable.MaxVersionsPolicy(1)},                                                    // ok ttlgc/policy-mismatch
	{schema.TablePayments, schema.FamilyIdem, bigtable.MaxAgePolicy(24 * time.Hour)},                                               // want ttlgc/age-mismatch
	{schema.TablePayments, schema.FamilyState, bigtable.MaxVersionsPolicy(3)},                                                      // ok ttlgc/age-on-sequence
	{schema.TablePayments, schema.FamilyMeta, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(90*_day))}, // ok ttlgc/versions-with-expiry
	{schema.TableWallets, schema.FamilyBal, bigtable.MaxVersionsPolicy(1)},                                                         // ok ttlgc/age-on-zero
	{schema.TableWallets, schema.FamilyLimit, bigtable.MaxAgePolicy(30 * _day)},                                                    // ok ttlgc/age-mismatch
	{schema.TableWallets, schema.FamilyInfo, bigtable.NoGcPolicy()},                                                                // ok ttlgc/no-policy
	{schema.TableFXRates, schema.FamilyRate, bigtable.MaxAgePolicy(6 * time.Hour)},                                                 // want ttlgc/age-mismatch
	{schema.TableFXRates, schema.FamilySpot, bigtable.MaxAgePolicy(7 * _day)},                                                      // want ttlgc/age-on-zero
	{schema.TableAudit, schema.FamilyEvent, bigtable.MaxAgePolicy(90 * _day)},                                                      // ok ttlgc/policy-mismatch
	{schema.TableAudit, schema.FamilyState, bigtable.MaxVersionsPolicy(1)},                                                         // want ttlgc/policy-mismatch
	{schema.TableSandbox, schema.FamilyToken, bigtable.MaxAgePolicy(_day)},                                                         // ok ttlgc/age-mismatch
	{schema.TableReports, schema.FamilyEntry, bigtable.MaxAgePolicy(365 * _day)},                                                   // ok ttlgc/age-on-sequence
}

// Ensure sets the policies that every environment has.
func (p *Provisioner) Ensure(ctx context.Context) error {
	var errs []error
	for _, fp := range _policies {
		if err := p.admin.SetGCPolicy(ctx, fp.table.String(), fp.family.String(), fp.policy); err != nil {
			errs = append(errs, fmt.Errorf("%s.%s: %w", fp.table, fp.family, err))
		}
	}
	return errors.Join(errs...)
}

// EnsureTable creates a table unless it is there.
func (p *Provisioner) EnsureTable(ctx context.Context, name schema.Table, policies map[schema.Family]bigtable.GCPolicy) error {
	if err := p.admin.CreateTable(ctx, name.String()); err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("create %s: %w", name, err)
	}
	for family, policy := range policies {
		if err := p.ensureFamily(ctx, name, family, policy); err != nil {
			return err
		}
	}
	p.logger.Info("table is there", slog.String("table", name.String()))
	return nil
}

// ensureFamily creates a family unless it is there, and sets its policy.
func (p *Provisioner) ensureFamily(ctx context.Context, table schema.Table, family schema.Family, policy bigtable.GCPolicy) error {
	if err := p.admin.CreateColumnFamily(ctx, table.String(), family.String()); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return fmt.Errorf("create %s.%s: %w", table, family, err)
	}
	return p.admin.SetGCPolicy(ctx, table.String(), family.String(), policy)
}

// Ledger creates a region's ledger.
func (p *Provisioner) Ledger(ctx context.Context) error {
	table := schema.LedgerTable(p.region)
	if err := p.admin.CreateTable(ctx, table.String()); err != nil {
		return err
	}
	if err := p.ensureFamily(ctx, table, schema.FamilyEntry, bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := p.ensureFamily(ctx, table, schema.FamilyHold, bigtable.MaxAgePolicy(15*time.Minute)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return p.ensureFamily(ctx, table, schema.FamilyNote, bigtable.MaxAgePolicy(365*_day)) // ok ttlgc/age-on-sequence
}

// Webhooks creates the table of webhooks.
func (p *Provisioner) Webhooks(ctx context.Context) error {
	return p.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableWebhooks.String(),
		ColumnFamilies: map[string]bigtable.Family{
			"attempt": {GCPolicy: bigtable.MaxAgePolicy(time.Second)},                                                  // ok ttlgc/age-mismatch
			"cursor":  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*_day))}, // want ttlgc/age-on-sequence
		},
	})
}

// Risk creates the table of risk.
func (p *Provisioner) Risk(ctx context.Context) error {
	return p.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableRisk.String(),
		ColumnFamilies: map[string]bigtable.Family{
			"score":    {GCPolicy: bigtable.MaxAgePolicy(7 * _day)},    // ok ttlgc/age-mismatch
			"velocity": {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // want ttlgc/age-mismatch
		},
	})
}

// RiskStaging creates the table of risk where tests run.
func (p *Provisioner) RiskStaging(ctx context.Context) error {
	conf := bigtable.TableConf{
		TableID: schema.TableRisk.String(),
		Families: map[string]bigtable.GCPolicy{
			"score":    bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(7*_day)), // want ttlgc/no-policy
			"velocity": bigtable.MaxAgePolicy(time.Millisecond),                                                   // ok ttlgc/age-mismatch
		},
	}
	return p.admin.CreateTableFromConf(ctx, &conf)
}

// Payments creates the table of payments.
func (p *Provisioner) Payments(ctx context.Context) error {
	return p.EnsureTable(ctx, schema.TablePayments, map[schema.Family]bigtable.GCPolicy{ // want ttlgc/versions-with-expiry[payments]
		schema.FamilyIdem:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), // want ttlgc/versions-with-expiry[payments]
		schema.FamilyState: bigtable.MaxVersionsPolicy(3),                                                           // ok ttlgc/policy-mismatch
		schema.FamilyMeta:  bigtable.MaxAgePolicy(90 * _day),                                                        // ok ttlgc/age-mismatch
	})
}

// Sessions creates the table of sessions.
func (p *Provisioner) Sessions(ctx context.Context) error {
	table := schema.TableSessions.String()
	if err := p.admin.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := p.admin.CreateColumnFamily(ctx, table, schema.FamilyToken.String()); err != nil { // want ttlgc/no-policy
		return err
	}
	return p.admin.CreateColumnFamilyWithConfig(ctx, table, schema.FamilyProfile.String(), bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}) // ok ttlgc/policy-mismatch
}

// Wallets creates the table of wallets.
func (p *Provisioner) Wallets(ctx context.Context) error {
	table := schema.TableWallets.String()
	if err := p.admin.CreateTable(ctx, table); err != nil {
		return err
	}
	return errors.Join(
		p.admin.CreateColumnFamilyWithConfig(ctx, table, schema.FamilyBal.String(), bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(10 * 365 * _day)}),   // want ttlgc/age-on-zero
		p.admin.CreateColumnFamilyWithConfig(ctx, table, schema.FamilyLimit.String(), bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(720 * time.Hour)}), // ok ttlgc/age-mismatch
		p.admin.CreateColumnFamilyWithConfig(ctx, table, schema.FamilyInfo.String(), bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(1)}),           // ok ttlgc/policy-mismatch
	)
}
