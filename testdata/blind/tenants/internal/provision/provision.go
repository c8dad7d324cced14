// Package provision creates tables and families of new tenants and keeps policies as they should be.
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

	"tenants.example/platform/internal/schema"
)

// Admin is what provisioning needs of the admin client.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

// Provisioner creates what is missing.
type Provisioner struct {
	Admin  Admin
	DryRun bool
	Log    *slog.Logger
}

type familySpec struct {
	name   string
	policy bigtable.GCPolicy
}

// authFamilies are the auth table's families.
var authFamilies = []familySpec{
	{schema.FamSession, bigtable.MaxAgePolicy(time.Second)},     // ok ttlgc/age-mismatch
	{schema.FamInvite, bigtable.MaxAgePolicy(schema.InviteTTL)}, // want ttlgc/age-mismatch
	{schema.FamProfile, bigtable.MaxVersionsPolicy(1)},          // ok ttlgc/policy-mismatch
}

// docFamilies are the families of a tenant's documents.
var docFamilies = map[string]bigtable.GCPolicy{
	schema.FamRev:   bigtable.MaxVersionsPolicy(schema.RevVersions), // ok ttlgc/policy-mismatch
	schema.FamDraft: bigtable.MaxAgePolicy(schema.DraftTTL),         // ok ttlgc/age-mismatch
	schema.FamMeta:  bigtable.MaxVersionsPolicy(1),                  // ok ttlgc/age-on-zero
}

// legacyDocFamilies are those of tenants from before the move.
var legacyDocFamilies = map[string]bigtable.GCPolicy{
	schema.FamRev:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.RevVersions), bigtable.MaxAgePolicy(90*24*time.Hour)), // want ttlgc/age-on-sequence
	schema.FamDraft: bigtable.MaxAgePolicy(30 * 24 * time.Hour),                                                                   // want ttlgc/age-mismatch
	schema.FamMeta:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*24*time.Hour)),                 // want ttlgc/age-on-zero
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// ensure creates a family and sets its policy.
func (p *Provisioner) ensure(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	p.Log.Info("family", "table", table, "family", family, "policy", policy.String())
	if p.DryRun {
		return nil
	}
	if err := p.Admin.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return fmt.Errorf("%s/%s: %w", table, family, err)
	}
	return p.Admin.SetGCPolicy(ctx, table, family, policy)
}

// ensureAge is ensure for families with nothing but an age.
func (p *Provisioner) ensureAge(ctx context.Context, table, family string, age time.Duration) error {
	return p.ensure(ctx, table, family, bigtable.MaxAgeGCPolicy(age))
}

// ensureVersions is ensure for families with nothing but versions.
func (p *Provisioner) ensureVersions(ctx context.Context, table, family string, n int) error {
	return p.ensure(ctx, table, family, bigtable.MaxVersionsGCPolicy(n))
}

// Shared creates the shared tables.
func (p *Provisioner) Shared(ctx context.Context) error {
	for _, name := range []string{schema.AuthTable, schema.FlagsTable, schema.ActivityTable, schema.DirectoryTable} {
		if err := p.Admin.CreateTable(ctx, name); err != nil && !exists(err) {
			return err
		}
	}
	for _, f := range authFamilies {
		if err := p.ensure(ctx, schema.AuthTable, f.name, f.policy); err != nil {
			return err
		}
	}
	return errors.Join(
		p.ensure(ctx, schema.FlagsTable, schema.FamFlag, bigtable.MaxVersionsPolicy(1)),                                                                    // ok ttlgc/age-on-zero
		p.ensure(ctx, schema.FlagsTable, schema.FamRollout, bigtable.MaxAgePolicy(365*24*time.Hour)),                                                       // want ttlgc/age-on-sequence
		p.ensure(ctx, schema.ActivityTable, schema.FamEvent, bigtable.MaxAgePolicy(schema.EventTTL)),                                                       // ok ttlgc/policy-mismatch
		p.ensure(ctx, schema.ActivityTable, schema.FamRev, bigtable.MaxAgePolicy(schema.EventTTL)),                                                         // ok ttlgc/age-on-sequence
		p.ensure(ctx, schema.DirectoryTable, schema.FamMeta, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(365*24*time.Hour))), // ok ttlgc/age-on-zero
	)
}

// Tenant creates a tenant's tables.
func (p *Provisioner) Tenant(ctx context.Context, id string) error {
	docs := schema.DocsTable(id)
	if err := p.Admin.CreateTable(ctx, docs); err != nil && !exists(err) {
		return err
	}
	for family, policy := range docFamilies {
		if err := p.ensure(ctx, docs, family, policy); err != nil {
			return err
		}
	}
	return errors.Join(p.cache(ctx, id), p.limits(ctx, id))
}

// Legacy creates the documents of a tenant from before the move.
func (p *Provisioner) Legacy(ctx context.Context, id string) error {
	for family, policy := range legacyDocFamilies {
		if err := p.ensure(ctx, schema.DocsTable(id), family, policy); err != nil {
			return err
		}
	}
	return nil
}

func (p *Provisioner) cache(ctx context.Context, id string) error {
	name := schema.CacheTable(id)
	err := p.Admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: name,
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamPage: {GCPolicy: bigtable.MaxAgePolicy(schema.PageTTL)}, // ok ttlgc/age-mismatch
			schema.FamLock: {GCPolicy: bigtable.MaxAgePolicy(schema.LockTTL)}, // want ttlgc/age-mismatch
		},
	})
	if err != nil && !exists(err) {
		return err
	}
	return nil
}

// cacheV2 is cache with what the incident taught.
func (p *Provisioner) cacheV2(ctx context.Context, id string) error {
	return p.Admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.CacheTable(id),
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamPage: {GCPolicy: bigtable.MaxAgeGCPolicy(time.Hour)},        // ok ttlgc/age-mismatch
			schema.FamLock: {GCPolicy: bigtable.MaxAgeGCPolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
		},
	})
}

func (p *Provisioner) limits(ctx context.Context, id string) error {
	name := schema.LimitsTable(id)
	if err := p.Admin.CreateTable(ctx, name); err != nil && !exists(err) {
		return err
	}
	if err := p.ensureAge(ctx, name, schema.FamWindow, schema.WindowTTL); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return p.ensureVersions(ctx, name, schema.FamQuota, schema.QuotaVersions) // ok ttlgc/policy-mismatch
}

// limitsV2 is limits with the right age and too many versions.
func (p *Provisioner) limitsV2(ctx context.Context, id string) error {
	name := schema.LimitsTable(id)
	return errors.Join(
		p.ensureAge(ctx, name, schema.FamWindow, time.Second), // ok ttlgc/age-mismatch
		p.ensureVersions(ctx, name, schema.FamQuota, 24),      // want ttlgc/policy-mismatch
	)
}

// Upgrade moves a tenant to the second layout.
func (p *Provisioner) Upgrade(ctx context.Context, id string) error {
	return errors.Join(p.cacheV2(ctx, id), p.limitsV2(ctx, id))
}

// Tighten lowers policies where the finance department asked for it.
func (p *Provisioner) Tighten(ctx context.Context, tenants []string) error {
	var errs []error
	for _, id := range tenants {
		docs, cache, limits := schema.DocsTable(id), schema.CacheTable(id), schema.LimitsTable(id)
		errs = append(errs,
			p.Admin.SetGCPolicy(ctx, docs, schema.FamDraft, bigtable.MaxAgePolicy(24*time.Hour)),                                                           // want ttlgc/age-mismatch
			p.Admin.SetGCPolicy(ctx, docs, schema.FamRev, bigtable.MaxAgePolicy(30*24*time.Hour)),                                                          // want ttlgc/age-on-sequence
			p.Admin.SetGCPolicy(ctx, cache, schema.FamPage, bigtable.MaxAgePolicy(60*time.Minute)),                                                         // ok ttlgc/age-mismatch
			p.Admin.SetGCPolicy(ctx, limits, schema.FamQuota, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(31*24*time.Hour))), // want ttlgc/age-on-sequence
			p.Admin.SetGCPolicy(ctx, limits, schema.FamQuota, bigtable.MaxVersionsPolicy(2)),                                                               // ok ttlgc/age-on-sequence
			p.Admin.SetGCPolicyWithOptions(ctx, cache, schema.FamPage, bigtable.MaxAgePolicy(30*time.Minute), bigtable.IgnoreWarnings()),                   // want ttlgc/age-mismatch
			p.Admin.SetGCPolicyWithOptions(ctx, cache, schema.FamLock, bigtable.MaxAgePolicy(time.Second), bigtable.IgnoreWarnings()),                      // ok ttlgc/age-mismatch
			p.Admin.SetGCPolicy(ctx, schema.ActivityTable, schema.FamEvent, bigtable.MaxAgePolicy(30*24*time.Hour)),                                        // want ttlgc/policy-mismatch
		)
	}
	return errors.Join(errs...)
}

// OneSession shall keep one session cell per column.
func (p *Provisioner) OneSession(ctx context.Context) error {
	policy := bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)) // want ttlgc/versions-with-expiry[onesession]
	if err := p.Admin.SetGCPolicy(ctx, schema.AuthTable, schema.FamSession, policy); err != nil {     // want ttlgc/versions-with-expiry[onesession]
		return err
	}
	return p.Admin.SetGCPolicy(ctx, schema.AuthTable, schema.FamProfile, bigtable.UnionPolicy(bigtable.MaxAgePolicy(5*365*24*time.Hour), bigtable.MaxVersionsPolicy(1))) // ok ttlgc/versions-with-expiry
}

// Relax takes policies off during a migration.
func (p *Provisioner) Relax(ctx context.Context, id string) error {
	cache := schema.CacheTable(id)
	return errors.Join(
		p.Admin.SetGCPolicy(ctx, cache, schema.FamPage, bigtable.NoGcPolicy()),                       // want ttlgc/no-policy
		p.Admin.SetGCPolicy(ctx, schema.DirectoryTable, schema.FamMeta, bigtable.NoGcPolicy()),       // ok ttlgc/no-policy
		p.Admin.SetGCPolicy(ctx, schema.FlagsTable, schema.FamFlag, bigtable.NoGcPolicy()),           // ok ttlgc/no-policy
		p.Admin.SetGCPolicy(ctx, schema.AuthTable, schema.FamInvite, bigtable.MaxVersionsPolicy(3)),  // want ttlgc/no-policy
		p.Admin.SetGCPolicy(ctx, schema.AuthTable, schema.FamProfile, bigtable.MaxVersionsPolicy(3)), // ok ttlgc/no-policy
	)
}

// Both keeps a revision if it is young or one of the newest.
func (p *Provisioner) Both(ctx context.Context, id string) error {
	name := schema.DocsTable(id)
	return errors.Join(
		p.Admin.UpdateFamily(ctx, name, schema.FamRev, bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxVersionsPolicy(5))}), // want ttlgc/age-on-sequence
		p.Admin.UpdateFamily(ctx, name, schema.FamRev, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(5)}),                                                                 // ok ttlgc/age-on-sequence
		p.Admin.UpdateFamily(ctx, name, schema.FamMeta, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(schema.EventTTL)}),                                                       // want ttlgc/age-on-zero
	)
}

// Flags creates the flags table in one step.
func (p *Provisioner) Flags(ctx context.Context) error {
	return p.Admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.FlagsTable,
		Families: map[string]bigtable.GCPolicy{
			schema.FamFlag:    bigtable.MaxVersionsPolicy(1),                          // ok ttlgc/policy-mismatch
			schema.FamRollout: bigtable.MaxVersionsPolicy(schema.RolloutVersions / 5), // want ttlgc/policy-mismatch
		},
	})
}

// Bare creates families and leaves the policies to somebody else.
func (p *Provisioner) Bare(ctx context.Context, id string) error {
	return errors.Join(
		p.Admin.CreateColumnFamily(ctx, schema.LimitsTable(id), schema.FamWindow),                          // want ttlgc/no-policy
		p.Admin.CreateColumnFamily(ctx, schema.AuthTable, schema.FamProfile),                               // ok ttlgc/no-policy
		p.Admin.CreateColumnFamilyWithConfig(ctx, schema.FlagsTable, schema.FamRollout, bigtable.Family{}), // want ttlgc/no-policy
		p.Admin.CreateColumnFamilyWithConfig(ctx, schema.FlagsTable, schema.FamFlag, bigtable.Family{}),    // ok ttlgc/no-policy
	)
}

// Scratch creates the scratch table, which has rules of nobody.
func (p *Provisioner) Scratch(ctx context.Context) error {
	if err := p.Admin.CreateTable(ctx, schema.ScratchTable); err != nil && !exists(err) {
		return err
	}
	return errors.Join(
		p.ensure(ctx, schema.ScratchTable, schema.FamSession, bigtable.MaxAgePolicy(24*time.Hour)),     // ok ttlgc/age-mismatch
		p.ensure(ctx, schema.ScratchTable, schema.FamRev, bigtable.MaxAgePolicy(24*time.Hour)),         // ok ttlgc/age-on-sequence
		p.ensure(ctx, schema.ScratchTable, "tmp", bigtable.MaxAgePolicy(86400)),                        // want ttlunit/age-unit
		p.ensure(ctx, schema.ScratchTable, "tmp2", bigtable.MaxAgePolicy(86400*time.Second)),           // ok ttlunit/age-unit
		p.ensure(ctx, schema.LedgerTable, schema.FamQuota, bigtable.MaxAgePolicy(10*365*24*time.Hour)), // ok ttlgc/age-on-sequence
	)
}

// Retention is what an operator may set per tenant.
type Retention struct {
	Draft time.Duration
	Page  time.Duration
	Event time.Duration
	Revs  int
}

// DefaultRetention is what tenants get.
func DefaultRetention() Retention {
	return Retention{
		Draft: schema.DraftTTL,
		Page:  2 * schema.PageTTL, // want ttlgc/age-mismatch[retention]
		Event: schema.EventTTL,
		Revs:  3, // want ttlgc/policy-mismatch[retrevs]
	}
}

// Apply sets a tenant's retention.
func (p *Provisioner) Apply(ctx context.Context, id string, r Retention) error {
	return errors.Join(
		p.Admin.SetGCPolicy(ctx, schema.DocsTable(id), schema.FamDraft, bigtable.MaxAgePolicy(r.Draft)),   // ok ttlgc/age-mismatch
		p.Admin.SetGCPolicy(ctx, schema.CacheTable(id), schema.FamPage, bigtable.MaxAgePolicy(r.Page)),    // want ttlgc/age-mismatch[retention]
		p.Admin.SetGCPolicy(ctx, schema.ActivityTable, schema.FamEvent, bigtable.MaxAgePolicy(r.Event)),   // ok ttlgc/policy-mismatch
		p.Admin.SetGCPolicy(ctx, schema.DocsTable(id), schema.FamRev, bigtable.MaxVersionsPolicy(r.Revs)), // want ttlgc/policy-mismatch[retrevs]
	)
}

// ApplyDefault sets the usual retention.
func (p *Provisioner) ApplyDefault(ctx context.Context, id string) error {
	return p.Apply(ctx, id, DefaultRetention()) // want ttlgc/age-mismatch[retention] ttlgc/policy-mismatch[retrevs]
}
