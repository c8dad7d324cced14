// Package schema creates the tables. The order of things follows the old
// migrations folder.
package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/chirpnest/internal/tables"
)

const day = 24 * time.Hour

// Family is a column family with its policy.
type Family struct {
	Name   string
	Policy bigtable.GCPolicy
}

// Table is a table with its families.
type Table struct {
	Name     string
	Families []Family
}

// Admin is what we use of the admin client.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// Current is the schema as it should be.
func Current() []Table {
	return []Table{
		{Name: tables.Sessions, Families: []Family{
			{tables.FamSess, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			{tables.FamRefresh, bigtable.MaxAgePolicy(30 * day)}, // want ttlgc/age-mismatch
			{tables.FamMeta, bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
		}},
		{Name: tables.Presence, Families: []Family{
			{tables.FamOnline, bigtable.MaxAgePolicy(time.Second)},      // ok ttlgc/age-mismatch
			{tables.FamTyping, bigtable.MaxAgePolicy(10 * time.Second)}, // want ttlgc/age-mismatch
		}},
		{Name: tables.Notifications, Families: []Family{
			{tables.FamInbox, bigtable.MaxAgePolicy(30 * day)},  // ok ttlgc/age-mismatch
			{tables.FamDigest, bigtable.MaxAgePolicy(30 * day)}, // want ttlgc/age-mismatch
			{tables.FamPrefs, bigtable.MaxVersionsPolicy(1)},    // ok ttlgc/policy-mismatch
		}},
		{Name: tables.Posts, Families: []Family{
			{tables.FamRev, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*day))}, // want ttlgc/age-on-sequence
			{tables.FamBody, bigtable.MaxVersionsPolicy(1)},                                                      // ok ttlgc/age-on-zero
			{tables.FamStats, bigtable.MaxVersionsPolicy(3)},                                                     // ok ttlgc/policy-mismatch
		}},
		{Name: tables.Timelines, Families: []Family{
			{tables.FamEntry, bigtable.MaxAgePolicy(14 * day)},  // ok ttlgc/age-mismatch
			{tables.FamCursor, bigtable.MaxAgePolicy(90 * day)}, // want ttlgc/age-on-zero
		}},
		{Name: tables.Counters, Families: []Family{
			{tables.FamTotal, bigtable.MaxVersionsPolicy(1)},                                                            // ok ttlgc/policy-mismatch
			{tables.FamWindow, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}, // want ttlgc/versions-with-expiry
		}},
		{Name: tables.Jobs, Families: []Family{
			{tables.FamLease, bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
			{tables.FamState, bigtable.MaxVersionsPolicy(1)},           // want ttlgc/policy-mismatch
			{tables.FamPayload, bigtable.MaxVersionsPolicy(1)},         // ok ttlgc/policy-mismatch
		}},
		{Name: tables.Profiles, Families: []Family{
			{tables.FamCard, bigtable.MaxVersionsPolicy(1)},     // ok ttlgc/age-on-zero
			{tables.FamMeta, bigtable.MaxAgePolicy(90 * day)},   // ok ttlgc/policy-mismatch
			{tables.FamBadge, bigtable.MaxAgePolicy(180 * day)}, // ok ttlgc/age-mismatch
		}},
		{Name: tables.Stories, Families: []Family{
			{tables.FamFrame, bigtable.MaxAgePolicy(day)},     // ok ttlgc/age-mismatch
			{tables.FamRev, bigtable.MaxAgePolicy(365 * day)}, // ok ttlgc/age-on-sequence
		}},
		{Name: tables.Archive, Families: []Family{
			{tables.FamSess, bigtable.MaxAgePolicy(400 * day)}, // ok ttlgc/age-mismatch
			{tables.FamRev, bigtable.MaxAgePolicy(400 * day)},  // ok ttlgc/age-on-sequence
			{tables.FamInbox, bigtable.MaxVersionsPolicy(1)},   // ok ttlgc/no-policy
		}},
	}
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// Apply brings an instance to the schema.
func Apply(ctx context.Context, admin Admin, ts []Table) error {
	for _, t := range ts {
		if err := admin.CreateTable(ctx, t.Name); err != nil && !exists(err) {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		for _, f := range t.Families {
			if err := admin.CreateColumnFamily(ctx, t.Name, f.Name); err != nil && !exists(err) { // ok ttlgc/no-policy
				return fmt.Errorf("family %s.%s: %w", t.Name, f.Name, err)
			}
			if err := admin.SetGCPolicy(ctx, t.Name, f.Name, f.Policy); err != nil {
				return fmt.Errorf("policy of %s.%s: %w", t.Name, f.Name, err)
			}
		}
	}
	return nil
}

// EnsureFamily makes one family sure.
func EnsureFamily(ctx context.Context, admin Admin, table, family string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, table, family, policy)
}

// AddFamily makes one without more.
func AddFamily(ctx context.Context, admin Admin, table, family string) error {
	err := admin.CreateColumnFamily(ctx, table, family)
	if exists(err) {
		return nil
	}
	return err
}

// ErrDrift is a schema that differs.
var ErrDrift = errors.New("schema drift")

// Verify compares names only.
func Verify(ctx context.Context, have map[string][]string, want []Table) error {
	var errs []error
	for _, t := range want {
		fams := map[string]bool{}
		for _, f := range have[t.Name] {
			fams[f] = true
		}
		for _, f := range t.Families {
			if !fams[f.Name] {
				errs = append(errs, fmt.Errorf("%w: %s.%s is missing", ErrDrift, t.Name, f.Name))
			}
		}
	}
	return errors.Join(errs...)
}
