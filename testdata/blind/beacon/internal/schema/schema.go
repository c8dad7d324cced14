// Package schema creates and updates the tables of tenants.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/beacon/internal/config"
	"example.com/beacon/internal/layout"
)

// Admin is what this package needs of *bigtable.AdminClient.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	DeleteTable(ctx context.Context, table string) error
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
}

var _ Admin = (*bigtable.AdminClient)(nil)

// day is what retentions are counted in.
const day = 24 * time.Hour

// expired deletes what a one-second family says is over.
func expired() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Second) }

// keep deletes by age.
func keep(d time.Duration) bigtable.GCPolicy { return bigtable.MaxAgePolicy(d) }

// FamilySpec is a family and its policy.
type FamilySpec struct {
	Name   string
	Policy bigtable.GCPolicy
}

// TableSpec is a table and its families.
type TableSpec struct {
	Name     string
	Families []FamilySpec
}

// Provisioner makes a tenant's tables as they should be.
type Provisioner struct {
	admin  Admin
	lay    config.Layout
	log    *slog.Logger
	dryRun bool
}

// New returns a provisioner.
func New(admin Admin, lay config.Layout, log *slog.Logger, dryRun bool) *Provisioner {
	if log == nil {
		log = slog.Default()
	}
	return &Provisioner{admin: admin, lay: lay, log: log, dryRun: dryRun}
}

// Specs lists the tables of a tenant.
func (p *Provisioner) Specs(names layout.Names) []TableSpec {
	return []TableSpec{
		{Name: names.Audit(), Families: []FamilySpec{
			{p.lay.Audit.Event, keep(p.lay.Audit.Retention)},   // ok ttlgc/age-mismatch
			{p.lay.Audit.Grant, expired()},                     // ok ttlgc/age-mismatch
			{p.lay.Audit.Actor, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/versions-with-expiry
		}},
		{Name: names.Metrics(), Families: []FamilySpec{
			{p.lay.Metrics.Point, keep(30 * day)},                 // ok ttlgc/age-mismatch
			{p.lay.Metrics.Latest, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
			{p.lay.Metrics.Rollup, keep(400 * day)},               // ok ttlgc/policy-mismatch
		}},
		{Name: names.Sessions(), Families: []FamilySpec{
			{p.lay.Sessions.Families.Token, expired()},                                                    // ok ttlgc/age-mismatch
			{p.lay.Sessions.Families.MFA, bigtable.UnionPolicy(expired(), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
			{p.lay.Sessions.Families.Profile, bigtable.MaxVersionsPolicy(2)},                              // ok ttlgc/versions-with-expiry
		}},
		{Name: names.Ledger(), Families: []FamilySpec{
			{layout.LedgerEntry, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), keep(3650*day))}, // want ttlgc/age-on-sequence
			{layout.LedgerHead, bigtable.MaxVersionsPolicy(1)},                                        // ok ttlgc/age-on-zero
		}},
		{Name: names.State(), Families: []FamilySpec{
			{p.lay.State.Cursor, bigtable.MaxVersionsPolicy(1)},                                    // ok ttlgc/policy-mismatch
			{p.lay.State.Lease, expired()},                                                         // ok ttlgc/age-mismatch
			{p.lay.State.Pref, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), keep(365*day))}, // want ttlgc/age-on-zero
			{p.lay.State.Meta, keep(90 * day)},                                                     // ok ttlgc/age-on-zero
		}},
		{Name: names.Traces(), Families: []FamilySpec{
			{layout.TraceFamilies[layout.Span], bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
			{layout.TraceFamilies[layout.SpanMeta], bigtable.MaxVersionsPolicy(1)},       // ok ttlgc/age-on-zero
		}},
		{Name: names.Journal(), Families: []FamilySpec{
			{layout.JournalEntry, bigtable.MaxVersionsPolicy(10)}, // ok ttlgc/policy-mismatch
		}},
	}
}

// Ensure creates what is missing and updates what is there.
func (p *Provisioner) Ensure(ctx context.Context, names layout.Names) error {
	have, err := p.admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	exists := make(map[string]bool, len(have))
	for _, t := range have {
		exists[t] = true
	}
	for _, spec := range p.Specs(names) {
		if err := p.ensure(ctx, spec, exists[spec.Name]); err != nil {
			return fmt.Errorf("table %s: %w", spec.Name, err)
		}
	}
	return nil
}

func (p *Provisioner) ensure(ctx context.Context, spec TableSpec, exists bool) error {
	log := p.log.With("table", spec.Name)
	if p.dryRun {
		log.Info("would ensure", "families", len(spec.Families), "exists", exists)
		return nil
	}
	if !exists {
		if err := p.admin.CreateTable(ctx, spec.Name); err != nil && status.Code(err) != codes.AlreadyExists {
			return err
		}
		log.Info("created")
	}
	for _, f := range spec.Families {
		err := p.admin.CreateColumnFamily(ctx, spec.Name, f.Name) // ok ttlgc/no-policy
		if err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("family %s: %w", f.Name, err)
		}
		if err := p.admin.SetGCPolicy(ctx, spec.Name, f.Name, f.Policy); err != nil { // ok ttlgc/age-mismatch
			return fmt.Errorf("policy of %s: %w", f.Name, err)
		}
	}
	return nil
}

// Control creates the table that tenants share.
func Control(ctx context.Context, admin Admin) error {
	err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: layout.ControlTable,
		ColumnFamilies: map[string]bigtable.Family{
			layout.Control.Tenant: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                          // ok ttlgc/age-on-zero
			layout.Control.Invite: {GCPolicy: bigtable.MaxAgePolicy(72 * time.Hour)},                                                  // want ttlgc/age-mismatch
			layout.Control.Plan:   {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(day))}, // want ttlgc/age-on-sequence
			layout.Control.Note:   {GCPolicy: bigtable.MaxAgePolicy(365 * day)},                                                       // ok ttlgc/policy-mismatch
		},
	})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	return nil
}

// Trial creates the small tables of a trial, all at once.
func Trial(ctx context.Context, admin Admin, names layout.Names) error {
	confs := []*bigtable.TableConf{
		{TableID: names.Sessions(), Families: map[string]bigtable.GCPolicy{
			"token":   bigtable.MaxAgePolicy(30 * time.Minute), // want ttlgc/age-mismatch
			"mfa":     bigtable.MaxAgePolicy(time.Second),      // ok ttlgc/age-mismatch
			"profile": bigtable.NoGcPolicy(),                   // ok ttlgc/no-policy
		}},
		{TableID: names.Ledger(), Families: map[string]bigtable.GCPolicy{
			"entry": bigtable.MaxVersionsPolicy(1), // want ttlgc/policy-mismatch
			"head":  bigtable.MaxVersionsPolicy(1), // ok ttlgc/age-on-zero
		}},
		{TableID: names.Journal(), Families: map[string]bigtable.GCPolicy{
			"entry": bigtable.MaxAgePolicy(30 * day), // want ttlgc/policy-mismatch
		}},
		{TableID: names.State(), Families: map[string]bigtable.GCPolicy{
			"cursor": bigtable.MaxAgePolicy(7 * day),  // want ttlgc/age-on-sequence
			"lease":  bigtable.NoGcPolicy(),           // want ttlgc/no-policy
			"pref":   bigtable.NoGcPolicy(),           // ok ttlgc/no-policy
			"meta":   bigtable.MaxAgePolicy(30 * day), // ok ttlgc/age-on-zero
		}},
		{TableID: names.Traces(), Families: map[string]bigtable.GCPolicy{
			"span": bigtable.MaxAgePolicy(time.Second), // want ttlgc/age-mismatch
			"meta": bigtable.MaxAgePolicy(30 * day),    // want ttlgc/age-on-zero
		}},
	}
	for _, c := range confs {
		if err := admin.CreateTableFromConf(ctx, c); err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("create %s: %w", c.TableID, err)
		}
	}
	return nil
}

// Retention changes how long a tenant's events are kept. The policy has to follow
// the agreement; only the events' timestamps can differ.
func (p *Provisioner) Retention(ctx context.Context, names layout.Names, days int) error {
	if days <= 0 {
		return errors.New("retention must be positive")
	}
	return p.admin.SetGCPolicy(ctx, names.Audit(), p.lay.Audit.Event, bigtable.MaxAgePolicy(time.Duration(days)*day)) // ok ttlgc/age-mismatch
}

// LegalHold keeps a tenant's events until further notice.
func (p *Provisioner) LegalHold(ctx context.Context, names layout.Names) error {
	return p.admin.SetGCPolicy(ctx, names.Audit(), p.lay.Audit.Event, bigtable.NoGcPolicy()) // want ttlgc/no-policy
}

// EndHold goes back to the usual policy, also where the table is replicated.
func (p *Provisioner) EndHold(ctx context.Context, names layout.Names) error {
	policy := keep(p.lay.Audit.Retention)
	return p.admin.SetGCPolicyWithOptions(ctx, names.Audit(), p.lay.Audit.Event, policy, bigtable.IgnoreWarnings()) // ok ttlgc/age-mismatch
}

// Shrink makes the log of a tenant that left go sooner.
func (p *Provisioner) Shrink(ctx context.Context, names layout.Names) error {
	return p.admin.SetGCPolicyWithOptions(ctx, names.Audit(), p.lay.Audit.Event, keep(30*day), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

// MFA adds the family that older tenants do not have.
func (p *Provisioner) MFA(ctx context.Context, names layout.Names) error {
	return p.admin.CreateColumnFamily(ctx, names.Sessions(), p.lay.Sessions.Families.MFA) // want ttlgc/no-policy
}

// Profiles adds the family of profiles.
func (p *Provisioner) Profiles(ctx context.Context, names layout.Names) error {
	return p.admin.CreateColumnFamily(ctx, names.Sessions(), p.lay.Sessions.Families.Profile) // ok ttlgc/no-policy
}

// Leases adds the family of leases, with its policy.
func (p *Provisioner) Leases(ctx context.Context, names layout.Names) error {
	if err := p.admin.CreateColumnFamily(ctx, names.State(), p.lay.State.Lease); err != nil { // ok ttlgc/no-policy
		return err
	}
	return p.admin.SetGCPolicy(ctx, names.State(), p.lay.State.Lease, expired()) // ok ttlgc/age-mismatch
}

// Cursors adds the family of cursors.
func (p *Provisioner) Cursors(ctx context.Context, names layout.Names, versions int) error {
	return p.admin.CreateColumnFamilyWithConfig(ctx, names.State(), p.lay.State.Cursor, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(versions)}) // ok ttlgc/policy-mismatch
}

// Compact makes cursors small again after an incident.
func (p *Provisioner) Compact(ctx context.Context, names layout.Names) error {
	return p.admin.UpdateFamily(ctx, names.State(), p.lay.State.Cursor, bigtable.Family{GCPolicy: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(1), bigtable.MaxAgeGCPolicy(time.Hour)}}}) // want ttlgc/age-on-sequence
}

// Tokens sets the policy of tokens in a table that has another name in old regions.
func Tokens(ctx context.Context, admin Admin, table string) error {
	if err := admin.SetGCPolicy(ctx, table, "token", bigtable.MaxAgeGCPolicy(time.Minute)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return admin.SetGCPolicy(ctx, table, "mfa", bigtable.MaxAgeGCPolicy(time.Second)) // ok ttlgc/age-mismatch
}

// Plans sets how many revisions of plans are kept.
func Plans(ctx context.Context, admin Admin) error {
	return admin.SetGCPolicy(ctx, layout.ControlTable, layout.Control.Plan, bigtable.MaxVersionsPolicy(5)) // ok ttlgc/policy-mismatch
}

// Notes sets how long remarks are kept.
func Notes(ctx context.Context, admin Admin) error {
	return admin.SetGCPolicy(ctx, layout.ControlTable, layout.Control.Note, bigtable.MaxAgePolicy(180*day)) // want ttlgc/policy-mismatch
}

// Import makes the table that importers fill; it has nothing to do with tenants' tables.
func Import(ctx context.Context, admin Admin) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "import_scratch",
		Families: map[string]bigtable.GCPolicy{
			"event":  bigtable.MaxAgePolicy(7 * day), // ok ttlgc/age-mismatch
			"entry":  bigtable.MaxAgePolicy(7 * day), // ok ttlgc/age-on-sequence
			"token":  bigtable.MaxVersionsPolicy(1),  // ok ttlgc/no-policy
			"cursor": bigtable.MaxAgePolicy(2 * day), // ok ttlgc/age-on-sequence
		},
	})
}

// Drop deletes a tenant's tables.
func (p *Provisioner) Drop(ctx context.Context, names layout.Names) error {
	var errs []error
	for _, t := range names.All() {
		if p.dryRun {
			p.log.Info("would drop", "table", t)
			continue
		}
		if err := p.admin.DeleteTable(ctx, t); err != nil && status.Code(err) != codes.NotFound {
			errs = append(errs, fmt.Errorf("drop %s: %w", t, err))
		}
	}
	return errors.Join(errs...)
}

// Diff lists how a tenant's tables differ from what they should be.
func (p *Provisioner) Diff(ctx context.Context, names layout.Names) ([]string, error) {
	var out []string
	for _, spec := range p.Specs(names) {
		info, err := p.admin.TableInfo(ctx, spec.Name)
		if status.Code(err) == codes.NotFound {
			out = append(out, "table "+spec.Name+" is missing")
			continue
		}
		if err != nil {
			return nil, err
		}
		have := map[string]string{}
		for _, f := range info.FamilyInfos {
			have[f.Name] = f.GCPolicy
		}
		for _, f := range spec.Families {
			got, ok := have[f.Name]
			switch {
			case !ok:
				out = append(out, fmt.Sprintf("%s: family %s is missing", spec.Name, f.Name))
			case got != f.Policy.String():
				out = append(out, fmt.Sprintf("%s: family %s has policy %q, should have %q", spec.Name, f.Name, got, f.Policy))
			}
		}
	}
	return out, nil
}
