package schema

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/depot/internal/names"
)

// Migration is a change of the schema that has been made once.
type Migration struct {
	Name string
	Do   func(ctx context.Context, a Admin) error
}

// Migrations are the changes, oldest first.
func Migrations() iter.Seq[Migration] {
	all := []Migration{
		{"2023-02 holds", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.DockSlots, string(names.Hold), bigtable.MaxAgePolicy(15*time.Minute)) // want ttlgc/age-mismatch
		}},
		{"2023-05 passes", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.GatePasses, string(names.Pass), bigtable.MaxAgePolicy(time.Millisecond)) // ok ttlgc/age-mismatch
		}},
		{"2023-06 alarms", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Telemetry, string(names.Alarm), bigtable.MaxAgePolicy(2592000)) // want ttlunit/age-unit // maybe ttlgc/age-mismatch
		}},
		{"2023-07 alarms again", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Telemetry, string(names.Alarm), bigtable.MaxAgePolicy(2592000*time.Second)) // ok ttlunit/age-unit
		}},
		{"2023-11 steps", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Parcels, string(names.Step), bigtable.MaxAgePolicy(Days(90).Duration())) // want ttlgc/age-on-sequence
		}},
		{"2024-01 steps by number", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Parcels, string(names.Step), bigtable.MaxVersionsPolicy(5)) // ok ttlgc/age-on-sequence
		}},
		{"2024-02 steps, but keep the young", func(ctx context.Context, a Admin) error {
			both := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(Days(7).Duration())) // want ttlgc/age-on-sequence[young]
			return a.SetGCPolicy(ctx, names.Parcels, string(names.Step), both)                                            // want ttlgc/age-on-sequence[young]
		}},
		{"2024-03 audit", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.YardAudit, string(names.State), bigtable.MaxAgePolicy(Days(3650).Duration())) // ok ttlgc/age-on-zero
		}},
		{"2024-06 rates", func(ctx context.Context, a Admin) error {
			return a.UpdateFamily(ctx, names.Quotes, string(names.Rate), bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(8 * time.Hour)}) // want ttlgc/age-mismatch
		}},
		{"2024-07 rates back", func(ctx context.Context, a Admin) error {
			return a.UpdateFamily(ctx, names.Quotes, string(names.Rate), bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(6 * time.Hour)}) // ok ttlgc/age-mismatch
		}},
		{"2024-09 pings", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Telemetry, string(names.Ping), bigtable.MaxAgePolicy(48*time.Minute)) // want ttlgc/age-mismatch
		}},
		{"2024-10 grants for good", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Parcels, string(names.Grant), bigtable.NoGcPolicy()) // want ttlgc/no-policy
		}},
		{"2025-01 totals", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Totals, string(names.Count), bigtable.MaxVersionsPolicy(0x7fffffff)) // ok ttlgc/policy-mismatch
		}},
		{"2025-03 trails", func(ctx context.Context, a Admin) error {
			return a.SetGCPolicy(ctx, names.Parcels, string(names.Trail), bigtable.MaxVersionsPolicy(100)) // want ttlgc/policy-mismatch
		}},
	}
	return func(yield func(Migration) bool) {
		for _, m := range all {
			if !yield(m) {
				return
			}
		}
	}
}

// Run makes the changes from one on.
func Run(ctx context.Context, a Admin, from string, log *slog.Logger) error {
	for m := range Migrations() {
		if m.Name < from {
			continue
		}
		log.InfoContext(ctx, "migrating", "name", m.Name)
		if err := m.Do(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// Widen gives a replicated family a longer life.
func Widen(ctx context.Context, a *bigtable.AdminClient) error {
	return errors.Join(
		a.SetGCPolicyWithOptions(ctx, names.Telemetry, string(names.Ping), bigtable.MaxAgePolicy(96*time.Hour), bigtable.IgnoreWarnings()), // want ttlgc/age-mismatch
		a.SetGCPolicyWithOptions(ctx, names.Telemetry, string(names.Alarm), bigtable.MaxAgePolicy(AlarmAge), bigtable.IgnoreWarnings()),    // ok ttlgc/age-mismatch
	)
}

// AlarmAge is how long alarms live.
const AlarmAge = 30 * 24 * time.Hour

// AddFamily makes a family, and thinks of the policy later.
func AddFamily(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateColumnFamily(ctx, names.GatePasses, string(names.Pass)); err != nil { // want ttlgc/no-policy
		return err
	}
	return a.CreateColumnFamily(ctx, names.GatePasses, string(names.Info)) // ok ttlgc/no-policy
}

// AddGrants makes the family of the grants.
func AddGrants(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateColumnFamily(ctx, names.Parcels, string(names.Grant)); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, names.Parcels, string(names.Grant), expiring) // ok ttlgc/age-mismatch
}

// AddSlots makes a family without saying anything about its cells.
func AddSlots(ctx context.Context, a *bigtable.AdminClient) error {
	return errors.Join(
		a.CreateColumnFamilyWithConfig(ctx, names.DockSlots, string(names.Hold), bigtable.Family{}), // want ttlgc/no-policy
		a.CreateColumnFamilyWithConfig(ctx, names.DockSlots, string(names.Slot), bigtable.Family{}), // ok ttlgc/no-policy
		a.SetGCPolicy(ctx, names.DockSlots, string(names.Slot), nil),                                // ok ttlgc/no-policy
	)
}

// rule is a rule in the form of the admin API.
func rule(age time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(age)}}
}

// Raw is the request that the deployment tool sends.
func Raw(parent string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + names.Telemetry,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id:  "ping",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rule(48 * time.Hour)}}, // ok ttlgc/age-mismatch
			},
			{
				Id:         "alarm",
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rule(48 * time.Hour)}}, // want ttlgc/age-mismatch
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
		},
	}
}

// RawTypes is the request that sets the types of values, and means to leave
// the rules alone.
func RawTypes(parent string, t *adminpb.Type) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + names.Totals,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{ // want ttlgc/empty-mask[types]
				Id:  "count",                                                                                               // want ttlgc/empty-mask[types]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: t}}, // want ttlgc/empty-mask[types]
			},
			{
				Id:         "count",
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: t}}, // ok ttlgc/empty-mask
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
			},
		},
	}
}
