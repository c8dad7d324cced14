// Package schema makes the tables and keeps their families' policies.
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

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/pipeline"
)

const day = 24 * time.Hour

type family struct {
	table, name string
	policy      bigtable.GCPolicy
}

// plan is what production has.
var plan = []family{
	{bt.Devices, bt.FamLive, bigtable.MaxAgePolicy(time.Second)},                                                   // ok ttlgc/age-mismatch
	{bt.Devices, bt.FamShadow, bigtable.MaxAgePolicy(90 * day)},                                                    // want ttlgc/age-mismatch
	{bt.Devices, bt.FamInfo, bigtable.MaxVersionsPolicy(3)},                                                        // ok ttlgc/policy-mismatch
	{bt.Alerts, bt.FamHold, bigtable.MaxAgePolicy(bt.HoldTTL)},                                                     // want ttlgc/age-mismatch
	{bt.Alerts, bt.FamState, bigtable.MaxVersionsPolicy(1)},                                                        // ok ttlgc/age-on-zero
	{bt.Alerts, bt.FamHist, bigtable.MaxAgePolicy(90 * day)},                                                       // ok ttlgc/policy-mismatch
	{bt.Outbox, bt.FamJob, bigtable.MaxAgePolicy(time.Second)},                                                     // ok ttlgc/age-mismatch
	{bt.Outbox, bt.FamReceipt, bigtable.MaxAgePolicy(bt.ReceiptTTL)},                                               // ok ttlgc/age-mismatch
	{bt.Samples, bt.FamRaw, bigtable.MaxAgePolicy(3 * day)},                                                        // ok ttlgc/age-mismatch
	{bt.Samples, bt.FamRollup, bigtable.MaxVersionsPolicy(3)},                                                      // want ttlgc/policy-mismatch
	{bt.Settings, bt.FamV, bigtable.MaxVersionsPolicy(1)},                                                          // ok ttlgc/age-on-zero
	{bt.Tokens, bt.FamPush, bigtable.MaxAgePolicy(time.Second)},                                                    // ok ttlgc/age-mismatch
	{bt.Tokens, bt.FamOwner, bigtable.NoGcPolicy()},                                                                // ok ttlgc/no-policy
	{bt.Offsets, bt.FamCommit, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))}, // want ttlgc/age-on-sequence
	{bt.Dedupe, bt.FamSeen, bigtable.MaxAgePolicy(time.Millisecond)},                                               // ok ttlgc/age-mismatch
	{bt.Audit, bt.FamEv, bigtable.MaxAgePolicy(365 * day)},                                                         // ok ttlgc/age-on-sequence
	{"fleet-journal", bt.FamEv, bigtable.MaxVersionsPolicy(5)},                                                     // ok ttlgc/policy-mismatch
	{"fleet-journal", bt.FamNote, bigtable.MaxAgePolicy(30 * day)},                                                 // ok ttlgc/age-on-sequence
	{"billing-journal", bt.FamEv, bigtable.MaxAgePolicy(30 * day)},                                                 // want ttlgc/age-on-sequence
	{"billing-journal", bt.FamNote, bigtable.MaxAgePolicy(30 * day)},                                               // ok ttlgc/age-on-sequence
}

// staging is what the staging instance has: smaller where that is harmless.
var staging = map[string]map[string]bigtable.GCPolicy{
	bt.Devices: {
		bt.FamLive:   bigtable.MaxAgePolicy(time.Second),                                                       // ok ttlgc/age-mismatch
		bt.FamShadow: bigtable.UnionPolicy(bigtable.MaxAgePolicy(bt.ShadowTTL), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
	},
	bt.Alerts: {
		bt.FamHold:  bigtable.MaxAgeGCPolicy(time.Second),                                              // ok ttlgc/age-mismatch
		bt.FamState: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(7*day)), // want ttlgc/age-on-zero
		bt.FamHist:  bigtable.MaxAgePolicy(7 * day),                                                    // want ttlgc/policy-mismatch
	},
	bt.Outbox: {
		bt.FamJob:     bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), // want ttlgc/versions-with-expiry
		bt.FamReceipt: bigtable.MaxAgeGCPolicy(24 * time.Hour),                                                 // want ttlgc/age-mismatch
	},
	bt.Samples: {
		bt.FamRaw:    bigtable.MaxVersionsPolicy(1), // want ttlgc/no-policy
		bt.FamRollup: bigtable.MaxVersionsPolicy(1), // ok ttlgc/policy-mismatch
	},
	"staging-journal": {
		bt.FamEv: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(day)), // want ttlgc/age-on-sequence
	},
	bt.Archive: {
		bt.FamLive:   bigtable.MaxAgePolicy(30 * day), // ok ttlgc/age-mismatch
		bt.FamShadow: bigtable.NoGcPolicy(),           // ok ttlgc/no-policy
		bt.FamEv:     bigtable.MaxAgePolicy(30 * day), // ok ttlgc/age-on-sequence
	},
}

// Admin is what the package needs of an admin client.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

// Manager applies the schema.
type Manager struct {
	ac  Admin
	log *slog.Logger
}

// New returns a manager.
func New(ac *bigtable.AdminClient, log *slog.Logger) *Manager { return &Manager{ac: ac, log: log} }

// Apply makes what production needs.
func (m *Manager) Apply(ctx context.Context) error {
	have, err := m.ac.Tables(ctx)
	if err != nil {
		return err
	}
	for _, f := range plan {
		if !slices.Contains(have, f.table) {
			if err := m.ac.CreateTable(ctx, f.table); err != nil {
				return fmt.Errorf("table %s: %w", f.table, err)
			}
			have = append(have, f.table)
		}
		if err := m.ensure(ctx, f.table, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

// Staging makes what the staging instance needs.
func (m *Manager) Staging(ctx context.Context) error {
	var errs []error
	for table, families := range staging {
		for name, policy := range families {
			errs = append(errs, m.ensure(ctx, table, name, policy))
		}
	}
	return errors.Join(errs...)
}

// ensure makes a family with a policy, whether or not it is there.
func (m *Manager) ensure(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	err := m.ac.CreateColumnFamily(ctx, table, family) // ok ttlgc/no-policy
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("family %s of %s: %w", family, table, err)
	}
	m.log.Info("policy", "table", table, "family", family)
	return pipeline.Retry(ctx, pipeline.Backoff{Attempts: 3, Base: time.Second, Cap: 10 * time.Second}, func(ctx context.Context) error {
		return m.ac.SetGCPolicy(ctx, table, family, policy)
	})
}

// keepFor has a family keep its cells for some days.
func (m *Manager) keepFor(ctx context.Context, table, family string, days int) error {
	return m.ac.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(time.Duration(days)*24*time.Hour))
}

// keepVersions has a family keep n versions.
func (m *Manager) keepVersions(ctx context.Context, table, family string, n int) error {
	return m.ac.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(n))
}

// Retention is the yearly clean-up of lifetimes.
func (m *Manager) Retention(ctx context.Context) error {
	return errors.Join(
		m.keepFor(ctx, bt.Samples, bt.FamRaw, 3),           // ok ttlgc/age-mismatch
		m.keepFor(ctx, bt.Devices, bt.FamShadow, 31),       // want ttlgc/age-mismatch
		m.keepFor(ctx, bt.Outbox, bt.FamReceipt, 7),        // ok ttlgc/age-mismatch
		m.keepFor(ctx, bt.Alerts, bt.FamHist, 90),          // ok ttlgc/policy-mismatch
		m.keepFor(ctx, bt.Settings, bt.FamV, 730),          // want ttlgc/age-on-zero
		m.keepFor(ctx, bt.Offsets, bt.FamCommit, 30),       // want ttlgc/age-on-sequence
		m.keepFor(ctx, bt.Audit, bt.FamEv, 365),            // ok ttlgc/age-on-sequence
		m.keepVersions(ctx, bt.Offsets, bt.FamCommit, 1),   // ok ttlgc/policy-mismatch
		m.keepVersions(ctx, "fleet-journal", bt.FamEv, 10), // want ttlgc/policy-mismatch
		m.keepVersions(ctx, bt.Archive, bt.FamCommit, 10),  // ok ttlgc/policy-mismatch
	)
}

// Journal makes the table of a product line.
func (m *Manager) Journal(ctx context.Context, line string) error {
	return m.ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: line + "-journal",
		ColumnFamilies: map[string]bigtable.Family{
			bt.FamEv:   {GCPolicy: bigtable.MaxVersionsPolicy(5)}, // ok ttlgc/policy-mismatch
			bt.FamNote: {},                                        // ok ttlgc/no-policy
		},
	})
}

// Demo makes tables for the sales team's demo.
func (m *Manager) Demo(ctx context.Context) error {
	if err := m.ac.CreateTableFromConf(ctx, &bigtable.TableConf{ // want ttlgc/no-policy[demo]
		TableID: bt.Tokens,
		ColumnFamilies: map[string]bigtable.Family{
			bt.FamPush:  {}, // want ttlgc/no-policy[demo]
			bt.FamOwner: {}, // ok ttlgc/no-policy
		},
	}); err != nil {
		return err
	}
	return m.ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "demo-journal",
		Families: map[string]bigtable.GCPolicy{
			bt.FamEv:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(14*day)), // want ttlgc/age-on-sequence
			bt.FamNote: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(14*day)), // ok ttlgc/age-on-sequence
		},
	})
}

// Migrate brings old instances up to date.
func (m *Manager) Migrate(ctx context.Context, version int) error {
	switch version {
	case 1:
		if err := m.ac.CreateColumnFamily(ctx, bt.Outbox, bt.FamReceipt); err != nil { // want ttlgc/no-policy
			return err
		}
		return m.ac.CreateColumnFamily(ctx, bt.Settings, bt.FamV) // ok ttlgc/no-policy
	case 2:
		if err := m.ac.CreateColumnFamily(ctx, bt.Alerts, bt.FamHold); err != nil { // ok ttlgc/no-policy
			return err
		}
		return m.ac.SetGCPolicy(ctx, bt.Alerts, bt.FamHold, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
	case 3:
		return m.ac.SetGCPolicyWithOptions(ctx, bt.Samples, bt.FamRaw, bigtable.MaxAgePolicy(7*day), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
	case 4:
		return m.ac.UpdateFamily(ctx, bt.Dedupe, bt.FamSeen, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}) // want ttlgc/age-mismatch
	case 5:
		return m.ac.UpdateFamily(ctx, bt.Devices, bt.FamLive, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}) // ok ttlgc/age-mismatch
	case 6:
		return m.ac.CreateColumnFamilyWithConfig(ctx, bt.Tokens, bt.FamPush, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(bt.PushTTL)}) // want ttlgc/age-mismatch
	case 7:
		return m.ac.CreateColumnFamilyWithConfig(ctx, bt.Offsets, bt.FamCommit, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(1)}) // ok ttlgc/policy-mismatch
	case 8:
		return m.ac.SetGCPolicy(ctx, bt.Archive, "months", bigtable.MaxAgePolicy(7776000)) // want ttlunit/age-unit
	case 9:
		return m.ac.SetGCPolicy(ctx, bt.Archive, "years", bigtable.MaxAgePolicy(7776000*time.Second)) // ok ttlunit/age-unit
	case 10:
		return m.ac.SetGCPolicy(ctx, bt.Devices, bt.FamLive, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))) // want ttlgc/no-policy
	case 11:
		return m.ac.SetGCPolicy(ctx, bt.Offsets, bt.FamCommit, bigtable.NoGcPolicy()) // want ttlgc/no-policy
	}
	return fmt.Errorf("no migration %d", version)
}

// Lines sets the policy of every product line's journal.
func (m *Manager) Lines(ctx context.Context) error {
	for _, line := range []string{"fleet", "billing", "demo"} {
		table := line + "-journal"
		if err := m.ac.SetGCPolicy(ctx, table, bt.FamNote, bigtable.MaxAgePolicy(30*day)); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
		if err := m.ac.SetGCPolicy(ctx, table, bt.FamEv, bigtable.MaxAgePolicy(30*day)); err != nil { // want ttlgc/age-on-sequence
			return err
		}
	}
	return nil
}
