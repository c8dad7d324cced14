// Package schema creates the tables and keeps their garbage collection in step.
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

	"github.com/carebook/appointments/internal/domain/patient"
	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/domain/slot"
	"github.com/carebook/appointments/internal/names"
)

// Admin is the part of the admin client that is used here.
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

// atExpiry is the policy of families whose timestamps are moments of expiry.
var atExpiry = bigtable.MaxAgePolicy(time.Second)

// Migrator applies the schema.
type Migrator struct {
	admin Admin
	log   *slog.Logger
	dry   bool
}

// New returns a migrator.
func New(admin Admin, log *slog.Logger, dry bool) *Migrator { return &Migrator{admin, log, dry} }

type family struct {
	table, name string
	policy      bigtable.GCPolicy
}

// current is the schema as it should be in all environments.
var current = []family{
	{names.Sessions, names.FamToken, atExpiry},                                              // ok ttlgc/age-mismatch
	{names.Sessions, names.FamDevice, bigtable.MaxAgePolicy(session.DeviceLife)},            // ok ttlgc/age-mismatch
	{names.Sessions, names.FamProfile, bigtable.MaxVersionsPolicy(1)},                       // ok ttlgc/policy-mismatch
	{names.Slots, names.FamHold, atExpiry},                                                  // ok ttlgc/age-mismatch
	{names.Slots, names.FamState, bigtable.MaxVersionsPolicy(slot.Keep)},                    // ok ttlgc/policy-mismatch
	{names.Slots, names.FamClinic, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},             // ok ttlgc/policy-mismatch
	{names.Patients, names.FamConsent, bigtable.MaxVersionsPolicy(patient.ConsentVersions)}, // ok ttlgc/policy-mismatch
	{names.Patients, names.FamPref, bigtable.MaxVersionsPolicy(1)},                          // ok ttlgc/age-on-zero
	{names.Patients, names.FamDemo, bigtable.MaxVersionsPolicy(10)},                         // ok ttlgc/policy-mismatch
	{names.Reminders, names.FamDue, bigtable.MaxAgePolicy(reminder.Horizon)},                // ok ttlgc/age-mismatch
	{names.Reminders, names.FamLog, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},             // ok ttlgc/policy-mismatch
	{names.Equipment, names.FamState, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},           // ok ttlgc/age-on-sequence
	{names.Equipment, names.FamLease, atExpiry},                                             // want ttlgc/age-mismatch
	{names.Invites, names.FamCode, bigtable.MaxAgePolicy(time.Second)},                      // ok ttlgc/age-mismatch
	{names.Waitlist, names.FamPlace, bigtable.MaxAgePolicy(14 * 24 * time.Hour)},            // ok ttlgc/age-mismatch
	{names.Archive, names.FamState, bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour)},       // ok ttlgc/age-on-sequence
	{names.SessionAudit, names.FamToken, bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour)},  // ok ttlgc/age-mismatch
}

// staging is smaller; it was written before the numbers came.
var staging = []family{
	{names.Sessions, names.FamToken, bigtable.MaxAgePolicy(24 * time.Hour)},                                                      // want ttlgc/age-mismatch
	{names.Sessions, names.FamDevice, bigtable.MaxAgePolicy(7 * 24 * time.Hour)},                                                 // want ttlgc/age-mismatch
	{names.Slots, names.FamHold, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))},        // want ttlgc/versions-with-expiry
	{names.Slots, names.FamState, bigtable.MaxAgePolicy(7 * 24 * time.Hour)},                                                     // want ttlgc/age-on-sequence
	{names.Patients, names.FamConsent, bigtable.UnionPolicy(bigtable.MaxAgePolicy(48*time.Hour), bigtable.MaxVersionsPolicy(5))}, // want ttlgc/age-on-sequence
	{names.Patients, names.FamPref, bigtable.MaxAgePolicy(48 * time.Hour)},                                                       // want ttlgc/age-on-zero
	{names.Patients, names.FamDemo, bigtable.MaxVersionsPolicy(1)},                                                               // want ttlgc/policy-mismatch
	{names.Reminders, names.FamDue, bigtable.MaxVersionsPolicy(1)},                                                               // want ttlgc/no-policy
	{names.Reminders, names.FamLog, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                  // ok ttlgc/policy-mismatch
	{names.Equipment, names.FamState, bigtable.MaxAgePolicy(720 * time.Hour)},                                                    // ok ttlgc/age-on-sequence
	{names.Equipment, names.FamLease, bigtable.MaxAgePolicy(time.Millisecond)},                                                   // ok ttlgc/age-mismatch
	{names.Waitlist, names.FamPlace, bigtable.MaxAgePolicy(24 * time.Hour)},                                                      // want ttlgc/age-mismatch
}

// Apply brings the tables of an environment up to date.
func (m *Migrator) Apply(ctx context.Context, env string) error {
	list := current
	if env == "staging" {
		list = staging
	}
	var errs []error
	for _, f := range list {
		if m.dry {
			m.log.InfoContext(ctx, "would set", "table", f.table, "family", f.name, "policy", f.policy)
			continue
		}
		if err := m.ensure(ctx, f.table, f.name); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := m.admin.SetGCPolicy(ctx, f.table, f.name, f.policy); err != nil {
			errs = append(errs, fmt.Errorf("%s/%s: %w", f.table, f.name, err))
		}
	}
	return errors.Join(errs...)
}

// ensure creates what does not exist; its caller sets the policy.
func (m *Migrator) ensure(ctx context.Context, table, family string) error {
	if err := m.admin.CreateTable(ctx, table); err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("%s: %w", table, err)
	}
	if err := m.admin.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("%s/%s: %w", table, family, err)
	}
	return nil
}

// Referrals creates the ledger of a tenant.
func (m *Migrator) Referrals(ctx context.Context, tenant string) error {
	return m.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: tenant + names.ReferralSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamEntry: {GCPolicy: bigtable.MaxVersionsPolicy(4)},                 // ok ttlgc/policy-mismatch
			names.FamLock:  {GCPolicy: bigtable.MaxAgePolicy(500 * time.Millisecond)}, // ok ttlgc/age-mismatch
		},
	})
}

// ReferralsOld is what the first tenants got.
func (m *Migrator) ReferralsOld(ctx context.Context) error {
	return m.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "north-referrals",
		Families: map[string]bigtable.GCPolicy{
			names.FamEntry: bigtable.MaxVersionsPolicy(2),    // want ttlgc/policy-mismatch
			names.FamLock:  bigtable.MaxAgePolicy(time.Hour), // want ttlgc/age-mismatch
		},
	})
}

// Invites creates the table of invitations.
func (m *Migrator) Invites(ctx context.Context) error {
	if err := m.admin.CreateTable(ctx, names.Invites); err != nil {
		return err
	}
	return m.admin.CreateColumnFamily(ctx, names.Invites, names.FamCode) // want ttlgc/no-policy
}

// Waitlist creates the waiting list.
func (m *Migrator) Waitlist(ctx context.Context) error {
	if err := m.admin.CreateColumnFamily(ctx, names.Waitlist, names.FamPlace); err != nil { // ok ttlgc/no-policy
		return err
	}
	return m.admin.SetGCPolicy(ctx, names.Waitlist, names.FamPlace, bigtable.MaxAgePolicy(336*time.Hour)) // ok ttlgc/age-mismatch
}

// Equipment creates the equipment table; states need no policy to be right.
func (m *Migrator) Equipment(ctx context.Context) error {
	err := m.admin.CreateColumnFamilyWithConfig(ctx, names.Equipment, names.FamLease, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Millisecond)}) // ok ttlgc/age-mismatch
	if err != nil {
		return err
	}
	return m.admin.CreateColumnFamilyWithConfig(ctx, names.Equipment, names.FamState, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(720 * time.Hour)}) // ok ttlgc/age-on-sequence
}

// ensureFamily creates a family with versions and an age, whatever is given.
func (m *Migrator) ensureFamily(ctx context.Context, table, family string, versions int, age time.Duration) error {
	if err := m.admin.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return err
	}
	if age > 0 {
		return m.admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
	}
	return m.admin.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(versions))
}

// Rebuild sets up the tables of a new region.
func (m *Migrator) Rebuild(ctx context.Context) error {
	return errors.Join(
		m.ensureFamily(ctx, names.Sessions, names.FamToken, 0, time.Second),       // ok ttlgc/age-mismatch
		m.ensureFamily(ctx, names.Sessions, names.FamDevice, 0, 90*24*time.Hour),  // want ttlgc/age-mismatch
		m.ensureFamily(ctx, names.Sessions, names.FamProfile, 1, 0),               // ok ttlgc/policy-mismatch
		m.ensureFamily(ctx, names.Slots, names.FamHold, 0, slot.HoldFor),          // want ttlgc/age-mismatch
		m.ensureFamily(ctx, names.Slots, names.FamState, 3, 0),                    // ok ttlgc/policy-mismatch
		m.ensureFamily(ctx, names.Slots, names.FamClinic, 0, 8760*time.Hour),      // ok ttlgc/policy-mismatch
		m.ensureFamily(ctx, names.Patients, names.FamConsent, 5, 30*24*time.Hour), // want ttlgc/age-on-sequence
		m.ensureFamily(ctx, names.Patients, names.FamPref, 1, 0),                  // ok ttlgc/age-on-zero
		m.ensureFamily(ctx, names.Reminders, names.FamDue, 1, 168*time.Hour),      // ok ttlgc/age-mismatch
		m.ensureFamily(ctx, names.Reminders, names.FamLog, 0, 30*24*time.Hour),    // want ttlgc/policy-mismatch
	)
}
