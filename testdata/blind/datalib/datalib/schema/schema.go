// Package schema names tables and families and creates them.
package schema

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables.
const (
	Tickets   = "tickets"
	Sessions  = "sessions"
	Positions = "positions"
	Timetable = "timetable"
	Board     = "board"
	Stops     = "stops"
	Archive   = "archive"
	AccessLog = "access-log"
)

// Families.
const (
	Pass   = "pass"
	Holder = "holder"
	Token  = "token"
	GPS    = "gps"
	Meta   = "meta"
	Entry  = "entry"
	Rev    = "rev"
	State  = "state"
	Info   = "info"
)

// Lifetimes and version counts.
const (
	PassTTL    = 90 * time.Minute
	TokenTTL   = 30 * time.Minute
	GPSTTL     = 48 * time.Hour
	StateTTL   = 2 * time.Hour
	EntryKeep  = 3
	RevKeep    = 5
	expirySlot = time.Second
)

// Admin is the part of the admin client that we use.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

type familySpec struct {
	table, family string
	policy        bigtable.GCPolicy
}

// production is what the instances should look like.
var production = []familySpec{
	{Tickets, Pass, bigtable.MaxAgePolicy(time.Second)},                                                          // ok ttlgc/age-mismatch
	{Tickets, Holder, bigtable.MaxVersionsPolicy(1)},                                                             // ok ttlgc/policy-mismatch
	{Sessions, Token, bigtable.MaxAgePolicy(expirySlot)},                                                         // ok ttlgc/age-mismatch
	{Positions, GPS, bigtable.MaxAgePolicy(GPSTTL)},                                                              // ok ttlgc/age-mismatch
	{Positions, Meta, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},                                               // ok ttlgc/policy-mismatch
	{Timetable, Rev, bigtable.MaxVersionsPolicy(RevKeep)},                                                        // ok ttlgc/age-on-sequence
	{Board, State, bigtable.MaxVersionsPolicy(1)},                                                                // ok ttlgc/age-on-zero
	{Stops, State, bigtable.MaxAgePolicy(time.Second)},                                                           // ok ttlgc/age-mismatch
	{Stops, Info, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                                    // ok ttlgc/age-mismatch
	{AccessLog, Pass, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                // ok ttlgc/age-mismatch
	{Archive, GPS, bigtable.UnionPolicy(bigtable.MaxAgePolicy(365*24*time.Hour), bigtable.MaxVersionsPolicy(1))}, // ok ttlgc/versions-with-expiry
}

// staging was copied from production two years ago.
var staging = []familySpec{
	{Tickets, Pass, bigtable.MaxAgePolicy(PassTTL)},                                                         // want ttlgc/age-mismatch
	{Tickets, Holder, bigtable.MaxVersionsPolicy(2)},                                                        // ok ttlgc/policy-mismatch
	{Sessions, Token, bigtable.MaxAgePolicy(24 * time.Hour)},                                                // want ttlgc/age-mismatch
	{Positions, GPS, bigtable.MaxAgePolicy(24 * time.Hour)},                                                 // want ttlgc/age-mismatch
	{Timetable, Rev, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                            // want ttlgc/age-on-sequence
	{Board, State, bigtable.MaxAgePolicy(7 * 24 * time.Hour)},                                               // want ttlgc/age-on-zero
	{Stops, State, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
	{Archive, GPS, bigtable.MaxVersionsPolicy(1)},                                                           // ok ttlgc/no-policy
}

// Ensure creates what production has.
func Ensure(ctx context.Context, a Admin, region string) error {
	if err := apply(ctx, a, production); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, region+"-journal", Entry, bigtable.MaxVersionsPolicy(EntryKeep)) // ok ttlgc/policy-mismatch
}

// EnsureStaging creates what staging has.
func EnsureStaging(ctx context.Context, a Admin) error {
	return apply(ctx, a, staging)
}

func apply(ctx context.Context, a Admin, specs []familySpec) error {
	for _, s := range specs {
		if err := a.CreateColumnFamily(ctx, s.table, s.family); err != nil { // ok ttlgc/no-policy
			slog.Warn("family exists", "table", s.table, "family", s.family, "err", err)
		}
		if err := a.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return fmt.Errorf("schema: %s/%s: %w", s.table, s.family, err)
		}
	}
	return nil
}

// setPolicy wraps the call with a log line.
func setPolicy(ctx context.Context, a Admin, table, family string, p bigtable.GCPolicy) error {
	slog.Info("gc", "table", table, "family", family, "policy", p.String())
	return a.SetGCPolicy(ctx, table, family, p)
}

// keepFor keeps a family's cells for d.
func keepFor(ctx context.Context, a Admin, table, family string, d time.Duration) error {
	return setPolicy(ctx, a, table, family, bigtable.MaxAgePolicy(d))
}

// Tune2024 is the cost-saving change of spring 2024.
func Tune2024(ctx context.Context, a Admin, region string) error {
	if err := keepFor(ctx, a, Positions, GPS, 48*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, a, Positions, Meta, 72*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, a, Sessions, Token, time.Hour); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, a, Timetable, Rev, 14*24*time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := keepFor(ctx, a, AccessLog, Token, 14*24*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return setPolicy(ctx, a, region+"-journal", Entry, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*24*time.Hour))) // want ttlgc/age-on-sequence
}

// NewRegion creates the tables of a region.
func NewRegion(ctx context.Context, a Admin, region string) error {
	journal := region + "-journal"
	if err := a.CreateTable(ctx, journal); err != nil {
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, journal, Entry, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := a.CreateColumnFamily(ctx, Sessions, Token); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, Board, State); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, Tickets, Holder); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, Archive, Token); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.CreateColumnFamilyWithConfig(ctx, Stops, State, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}) // ok ttlgc/age-mismatch
}

// TestTables are the tables of the integration environment.
func TestTables(ctx context.Context, a Admin) error {
	confs := []*bigtable.TableConf{
		{
			TableID: Tickets,
			ColumnFamilies: map[string]bigtable.Family{
				Pass:   {GCPolicy: bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
				Holder: {GCPolicy: bigtable.NoGcPolicy()},                   // ok ttlgc/no-policy
			},
		},
		{
			TableID: Positions,
			ColumnFamilies: map[string]bigtable.Family{
				GPS:  {GCPolicy: bigtable.NoGcPolicy()},         // want ttlgc/no-policy
				Meta: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/no-policy
			},
		},
		{
			TableID: Timetable,
			ColumnFamilies: map[string]bigtable.Family{
				Rev: {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(time.Hour))}, // want ttlgc/age-on-sequence
			},
		},
		{
			TableID:  Board,
			Families: map[string]bigtable.GCPolicy{State: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
		},
	}
	for _, c := range confs {
		if err := a.CreateTableFromConf(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Repair2025 fixed what Tune2024 broke, nearly.
func Repair2025(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicyWithOptions(ctx, Positions, GPS, bigtable.MaxAgePolicy(2*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicyWithOptions(ctx, Tickets, Pass, bigtable.MaxAgePolicy(5*time.Second), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.UpdateFamily(ctx, Timetable, Rev, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(10)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := a.UpdateFamily(ctx, Sessions, Token, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.SetGCPolicy(ctx, Board, State, bigtable.MaxAgePolicy(90*24*time.Hour)); err != nil { // want ttlgc/age-on-zero
		return err
	}
	if err := a.SetGCPolicy(ctx, Positions, GPS, bigtable.MaxAgeGCPolicy(172800)); err != nil { // want ttlunit/age-unit // maybe ttlgc/age-mismatch
		return err
	}
	return a.SetGCPolicy(ctx, Sessions, Token, bigtable.MaxAgeGCPolicy(time.Second)) // ok ttlgc/age-mismatch
}
