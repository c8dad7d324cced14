package provision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/schema"
)

// migration changes the schema once.
type migration struct {
	id string
	up func(ctx context.Context, p *Provisioner) error
}

// _migrations are run in order.
var _migrations = []migration{
	{"2023-05-compact-payments", compactPayments},
	{"2023-11-cheaper-ledger", cheaperLedger},
	{"2024-02-limits", limits},
	{"2024-08-webhooks", webhooks},
	{"2025-01-audit", audit},
}

// ErrUnknownMigration means that there is no such migration.
var ErrUnknownMigration = errors.New("unknown migration")

// Migrate runs the migrations after the one named since.
func (p *Provisioner) Migrate(ctx context.Context, since string) error {
	start := 0
	if since != "" {
		start = -1
		for i, m := range _migrations {
			if m.id == since {
				start = i + 1
			}
		}
		if start < 0 {
			return fmt.Errorf("%w: %q", ErrUnknownMigration, since)
		}
	}
	for _, m := range _migrations[start:] {
		if err := m.up(ctx, p); err != nil {
			return fmt.Errorf("migration %s: %w", m.id, err)
		}
	}
	return nil
}

func compactPayments(ctx context.Context, p *Provisioner) error {
	table := schema.TablePayments.String()
	return errors.Join(
		p.admin.SetGCPolicy(ctx, table, schema.FamilyState.String(), bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(400*_day))), // want ttlgc/age-on-sequence
		p.admin.SetGCPolicy(ctx, table, schema.FamilyIdem.String(), bigtable.MaxAgePolicy(time.Second)),                                                    // ok ttlgc/age-mismatch
		p.admin.SetGCPolicy(ctx, table, schema.FamilyMeta.String(), bigtable.MaxAgePolicy(30*_day)),                                                        // ok ttlgc/age-on-sequence
	)
}

func cheaperLedger(ctx context.Context, p *Provisioner) error {
	table := schema.LedgerTable(p.region).String()
	year := bigtable.MaxAgePolicy(365 * _day)                                                 // want ttlgc/age-on-sequence[year]
	if err := p.admin.SetGCPolicy(ctx, table, schema.FamilyNote.String(), year); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, table, schema.FamilyEntry.String(), year); err != nil { // want ttlgc/age-on-sequence[year]
		return err
	}
	return p.admin.SetGCPolicyWithOptions(ctx, table, schema.FamilyHold.String(), bigtable.MaxAgePolicy(time.Hour), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

func limits(ctx context.Context, p *Provisioner) error {
	table := schema.TableWallets.String()
	if err := p.admin.SetGCPolicy(ctx, table, schema.FamilyLimit.String(), bigtable.MaxAgePolicy(90*_day)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return p.admin.SetGCPolicy(ctx, table, schema.FamilyInfo.String(), bigtable.MaxAgePolicy(90*_day)) // ok ttlgc/age-mismatch
}

func webhooks(ctx context.Context, p *Provisioner) error {
	table := schema.TableWebhooks.String()
	for family, policy := range map[string]bigtable.GCPolicy{
		"attempt": bigtable.NoGcPolicy(),           // want ttlgc/no-policy
		"cursor":  bigtable.MaxVersionsPolicy(100), // want ttlgc/policy-mismatch
	} {
		if err := p.admin.SetGCPolicy(ctx, table, family, policy); err != nil {
			return err
		}
	}
	return nil
}

func audit(ctx context.Context, p *Provisioner) error {
	table := schema.TableAudit.String()
	return errors.Join(
		p.admin.SetGCPolicy(ctx, table, schema.FamilyEvent.String(), bigtable.MaxAgePolicy(30*_day)), // want ttlgc/policy-mismatch
		p.admin.SetGCPolicy(ctx, table, schema.FamilyState.String(), bigtable.MaxVersionsPolicy(5)),  // ok ttlgc/policy-mismatch
		p.admin.SetGCPolicy(ctx, table, "counts", bigtable.MaxAgePolicy(86400)),                      // want ttlunit/age-unit
		p.admin.SetGCPolicy(ctx, table, "archive", bigtable.MaxAgePolicy(86400*time.Second)),         // ok ttlunit/age-unit
	)
}

// Options adjusts Relax and Tighten.
type Options struct {
	Keep    int
	History time.Duration
}

// Relax keeps entries of the ledger for longer.
func (p *Provisioner) Relax(ctx context.Context, o Options) error {
	table := schema.LedgerTable(p.region).String()
	policy := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*_day)) // want ttlgc/age-on-sequence[relax]
	if err := p.admin.SetGCPolicy(ctx, table, schema.FamilyEntry.String(), policy); err != nil {         // want ttlgc/age-on-sequence[relax]
		return err
	}
	return p.admin.SetGCPolicy(ctx, table, schema.FamilyNote.String(), bigtable.MaxAgePolicy(o.History)) // ok ttlgc/age-on-sequence
}

// Tighten keeps as many versions of entries as o says.
func (p *Provisioner) Tighten(ctx context.Context, o Options) error {
	table := schema.LedgerTable(p.region).String()
	return p.admin.SetGCPolicy(ctx, table, schema.FamilyEntry.String(), bigtable.MaxVersionsPolicy(o.Keep)) // ok ttlgc/policy-mismatch
}

// setAll sets one policy on several families.
func (p *Provisioner) setAll(ctx context.Context, table schema.Table, policy bigtable.GCPolicy, families ...schema.Family) error {
	for _, family := range families {
		if err := p.admin.SetGCPolicy(ctx, table.String(), family.String(), policy); err != nil {
			return fmt.Errorf("%s.%s: %w", table, family, err)
		}
	}
	return nil
}

// Reset sets short ages in a test environment.
func (p *Provisioner) Reset(ctx context.Context) error {
	return errors.Join(
		p.setAll(ctx, schema.TableSessions, bigtable.MaxAgePolicy(time.Second), schema.FamilyToken),               // ok ttlgc/age-mismatch
		p.setAll(ctx, schema.TablePayments, bigtable.MaxAgePolicy(_day), schema.FamilyState),                      // want ttlgc/age-on-sequence
		p.setAll(ctx, schema.TableSandbox, bigtable.MaxAgePolicy(_day), schema.FamilyToken, schema.FamilyProfile), // ok ttlgc/age-mismatch
		p.setAll(ctx, schema.TableReports, bigtable.MaxVersionsPolicy(1), schema.FamilyEntry, schema.FamilyState), // ok ttlgc/policy-mismatch
		p.setAll(ctx, schema.TableSessions, bigtable.MaxVersionsPolicy(1), schema.FamilyToken),                    // want ttlgc/no-policy
	)
}
