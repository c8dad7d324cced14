package migrate

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/parkwise/parkwise/internal/bt"
)

const day = 24 * time.Hour

// revisions are the policies that changed since the tables were made.
var revisions = map[string]map[string]bigtable.GCPolicy{
	bt.TableReservations: {
		bt.FamHold: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
	},
	bt.TableCharging: {
		bt.FamSample: bigtable.UnionPolicy(bigtable.MaxAgePolicy(7*day), bigtable.MaxVersionsPolicy(3)), // want ttlgc/versions-with-expiry
	},
	bt.TableTariffs: {
		bt.FamRate: bigtable.MaxVersionsPolicy(2), // want ttlgc/policy-mismatch
		bt.FamInfo: bigtable.MaxVersionsPolicy(2), // ok ttlgc/policy-mismatch
	},
	bt.TableAudit: {
		bt.FamEvent: bigtable.MaxAgePolicy(30 * day), // want ttlgc/policy-mismatch
	},
	bt.TableCounters: {
		bt.FamGauge:  bigtable.MaxVersionsPolicy(1),                                                                  // ok ttlgc/age-on-zero
		bt.FamLimit:  bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/no-policy
		bt.FamWindow: bigtable.MaxAgePolicy(2 * day),                                                                 // want ttlgc/age-mismatch
	},
}

func revisePolicies(ctx context.Context, m *Migrator) error {
	for table, fams := range revisions {
		for fam, policy := range fams {
			if err := m.admin.SetGCPolicy(ctx, table, fam, policy); err != nil {
				return fmt.Errorf("%s.%s: %w", table, fam, err)
			}
		}
	}
	devices := bt.DevicesTable(m.region)
	if err := m.admin.SetGCPolicyWithOptions(ctx, devices, bt.FamHeartbeat, keepFor(30), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := m.family(ctx, devices, bt.FamConfig, keepFor(180)); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := m.family(ctx, devices, bt.FamConfig, bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	return m.admin.UpdateFamily(ctx, devices, bt.FamState, bigtable.Family{GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), keepFor(30))}) // want ttlgc/age-on-zero
}

func tidy(ctx context.Context, m *Migrator) error {
	if err := m.admin.CreateColumnFamilyWithConfig(ctx, bt.TableAuth, bt.FamOTP, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(5 * time.Minute)}); err != nil && !exists(err) { // want ttlgc/age-mismatch
		return err
	}
	if err := m.admin.CreateColumnFamilyWithConfig(ctx, bt.TableAuth, bt.FamOTP, bigtable.Family{GCPolicy: expiring()}); err != nil && !exists(err) { // ok ttlgc/age-mismatch
		return err
	}
	if err := m.family(ctx, bt.TableAuth, bt.FamSession, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := m.family(ctx, bt.TableAuth, bt.FamProfile, bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := m.admin.SetGCPolicy(ctx, bt.TableSandbox, "scratch", bigtable.MaxAgePolicy(-time.Hour)); err != nil { // want ttlunit/age-unit
		return err
	}
	if err := m.admin.SetGCPolicy(ctx, bt.TableSandbox, "scratch", bigtable.MaxAgePolicy(500*time.Microsecond)); err != nil { // want ttlunit/age-unit
		return err
	}
	if err := m.admin.SetGCPolicy(ctx, bt.TableSandbox, "scratch", bigtable.MaxAgePolicy(time.Hour)); err != nil { // ok ttlunit/age-unit
		return err
	}
	return m.admin.SetGCPolicy(ctx, bt.TableTariffs, bt.FamRate, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), keepFor(90))) // want ttlgc/age-on-sequence
}

// Raw is a request that the Go client has no call for: several families at once.
func Raw(project, instance, region string) []*adminpb.ModifyColumnFamiliesRequest {
	parent := fmt.Sprintf("projects/%s/instances/%s/tables/", project, instance)
	age := func(d time.Duration) *adminpb.GcRule {
		return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
	}
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: parent + bt.TableCharging,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{
					Id:         bt.FamSample,
					Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(7 * day)}}, // ok ttlgc/age-mismatch
					UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
				},
			},
		},
		{
			Name: parent + bt.DevicesTable(region),
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{
					Id:         bt.FamHeartbeat,
					Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(7 * day)}}, // want ttlgc/age-mismatch
					UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
				},
			},
		},
		{
			Name: parent + bt.TableCounters,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{ // want ttlgc/empty-mask[mask]
					Id: bt.FamAgg, // want ttlgc/empty-mask[mask]
					Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // want ttlgc/empty-mask[mask]
						Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}, // want ttlgc/empty-mask[mask]
					},
				},
				{
					Id:         bt.FamGauge,
					Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, // ok ttlgc/empty-mask
					UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
				},
			},
		},
	}
}
