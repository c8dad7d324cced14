package schema

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/carebook/appointments/internal/names"
)

// byTable is the schema of the load test.
var byTable = map[string]map[string]bigtable.GCPolicy{
	names.Slots: {
		names.FamHold:   bigtable.MaxAgeGCPolicy(time.Second),      // ok ttlgc/age-mismatch
		names.FamState:  bigtable.MaxAgeGCPolicy(24 * time.Hour),   // want ttlgc/age-on-sequence
		names.FamClinic: bigtable.MaxAgeGCPolicy(8760 * time.Hour), // ok ttlgc/policy-mismatch
	},
	names.Equipment: {
		names.FamState: bigtable.MaxAgeGCPolicy(720 * time.Hour), // ok ttlgc/age-on-sequence
		names.FamLease: bigtable.NoGcPolicy(),                    // want ttlgc/no-policy
	},
	names.Waitlist: {
		names.FamPlace: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{ // want ttlgc/versions-with-expiry[lt]
			bigtable.MaxAgeGCPolicy(336 * time.Hour),
			bigtable.MaxVersionsGCPolicy(2), // want ttlgc/versions-with-expiry[lt]
		}},
	},
}

// LoadTest applies the schema of the load test.
func (m *Migrator) LoadTest(ctx context.Context) error {
	for table, fams := range byTable {
		for fam, p := range fams {
			if err := m.admin.SetGCPolicyWithOptions(ctx, table, fam, p, bigtable.IgnoreWarnings()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Patch2023 was run once by hand and stays as a record.
func (m *Migrator) Patch2023(ctx context.Context) error {
	day := 24 * time.Hour
	both := bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(30*day), bigtable.MaxVersionsPolicy(3))
	return errors.Join(
		m.admin.SetGCPolicy(ctx, names.Slots, names.FamState, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(30*day), bigtable.MaxVersionsPolicy(3))), // want ttlgc/age-on-sequence
		m.admin.SetGCPolicy(ctx, names.Sessions, names.FamProfile, both),                                                                                 // ok ttlgc/age-on-sequence
		m.admin.SetGCPolicy(ctx, names.Sessions, names.FamDevice, bigtable.MaxAgePolicy(30*day)),                                                         // ok ttlgc/age-mismatch
		m.admin.SetGCPolicy(ctx, names.Reminders, names.FamDue, bigtable.MaxAgePolicy(30*day)),                                                           // want ttlgc/age-mismatch
		m.admin.SetGCPolicy(ctx, names.Patients, names.FamConsent, bigtable.MaxVersionsPolicy(3)),                                                        // want ttlgc/policy-mismatch
		m.admin.SetGCPolicy(ctx, names.Patients, names.FamPref, bigtable.NoGcPolicy()),                                                                   // ok ttlgc/no-policy
		m.admin.SetGCPolicy(ctx, names.Patients, names.FamConsent, bigtable.NoGcPolicy()),                                                                // want ttlgc/no-policy
		m.admin.SetGCPolicy(ctx, names.Patients, names.FamPref, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))),      // want ttlgc/age-on-zero
	)
}

// Patch2024 moves the invitations to their table and widens the leases.
func (m *Migrator) Patch2024(ctx context.Context) error {
	p := bigtable.MaxAgePolicy(2 * time.Minute)                                                                      // want ttlgc/age-mismatch[lease24]
	if err := m.admin.UpdateFamily(ctx, names.Equipment, names.FamLease, bigtable.Family{GCPolicy: p}); err != nil { // want ttlgc/age-mismatch[lease24]
		return err
	}
	return m.admin.UpdateFamily(ctx, names.Invites, names.FamCode, bigtable.Family{GCPolicy: atExpiry}) // ok ttlgc/age-mismatch
}

// retention is what the archive keeps, as the contract names it.
const retention = 315360000

// ArchivePolicies sets the policies of compliance.
func (m *Migrator) ArchivePolicies(ctx context.Context) error {
	return errors.Join(
		m.admin.SetGCPolicy(ctx, names.Archive, names.FamState, bigtable.MaxAgePolicy(retention)),                  // want ttlunit/age-unit
		m.admin.SetGCPolicy(ctx, names.SessionAudit, names.FamToken, bigtable.MaxAgePolicy(retention*time.Second)), // ok ttlunit/age-unit
		m.admin.SetGCPolicy(ctx, names.Stats, "marker", bigtable.MaxAgePolicy(86400)),                              // want ttlunit/age-unit
		m.admin.SetGCPolicy(ctx, names.Stats, "uniques", bigtable.MaxAgePolicy(86400*time.Second)),                 // ok ttlunit/age-unit
	)
}

// Raw speaks the admin API's own language, for the tool that plans changes without a client.
func Raw(project, instance string) []*adminpb.ModifyColumnFamiliesRequest {
	table := func(name string) string { return "projects/" + project + "/instances/" + instance + "/tables/" + name }
	age := func(d time.Duration) *adminpb.GcRule {
		return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
	}
	mask := &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: table(names.Sessions),
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id:         names.FamToken,
				UpdateMask: mask,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(time.Second)}}, // ok ttlgc/age-mismatch
			}},
		},
		{
			Name: table(names.Slots),
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
				Id:  names.FamState,                                                                            // want ttlgc/empty-mask[mask]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
			}},
		},
		{
			Name: table(names.Patients),
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id:  names.FamConsent,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: age(90 * 24 * time.Hour)}}, // want ttlgc/age-on-sequence
			}},
		},
	}
}
