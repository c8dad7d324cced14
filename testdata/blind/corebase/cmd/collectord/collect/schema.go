// Package collect is the analytics collector: it takes events in, drops the
// ones it has seen, keeps windows and cursors, and rolls hours up.
package collect

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/corebase/pkg/btstore"
)

const (
	stateTable  = "collector-state"
	rollupTable = "collector-rollups"
	debugTable  = "collector-debug"
)

const (
	week      = 7 * 24 * time.Hour
	seenFor   = 24 * time.Hour
	windowAge = 48 * time.Hour
	keepHours = 2
)

var (
	ev     = btstore.NewRolling("ev", week)
	seen   = btstore.NewExpiring("seen", seenFor)
	cursor = btstore.NewSingle("cursor")
	window = btstore.NewRolling("window", windowAge)
	hour   = btstore.NewSequence("hour", keepHours)
	stat   = btstore.NewPlain("stat", bigtable.MaxVersionsPolicy(1)) // ok ttlgc/policy-mismatch
)

// limits is the schema as the collector's authors like it: one map a table.
var limits = map[string]map[string]bigtable.GCPolicy{
	stateTable: {
		"cursor": bigtable.MaxVersionsPolicy(1),              // ok ttlgc/age-on-zero
		"window": bigtable.MaxAgePolicy(24 * time.Hour),      // want ttlgc/age-mismatch
		"d":      bigtable.MaxAgePolicy(30 * 24 * time.Hour), // ok ttlgc/policy-mismatch
	},
	rollupTable: {
		"hour": bigtable.MaxVersionsGCPolicy(keepHours), // ok ttlgc/policy-mismatch
		"stat": bigtable.MaxVersionsGCPolicy(3),         // want ttlgc/policy-mismatch
	},
	debugTable: {
		"ev":     bigtable.MaxAgePolicy(time.Hour), // ok ttlgc/age-mismatch
		"cursor": bigtable.MaxAgePolicy(3600),      // want ttlunit/age-unit
	},
}

// Setup creates the tables.
func Setup(ctx context.Context, s *btstore.Store, tenants []string) error {
	for table, fams := range limits {
		spec := btstore.TableSpec{Name: table}
		for fam, gc := range fams {
			spec.Families = append(spec.Families, btstore.FamilySpec{Name: fam, Policy: gc})
		}
		if err := s.Ensure(ctx, spec); err != nil {
			return err
		}
	}
	for _, t := range tenants {
		if err := s.Ensure(ctx, btstore.TableSpec{
			Name: t + "-events",
			Families: []btstore.FamilySpec{
				btstore.Of(ev),   // ok ttlgc/age-mismatch
				btstore.Of(seen), // ok ttlgc/age-mismatch
			},
		}); err != nil {
			return fmt.Errorf("tenant %s: %w", t, err)
		}
	}
	return nil
}

// SetupFresh is what the integration environment uses.
func SetupFresh(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTableFromConf(ctx, btstore.Conf(rollupTable, hour, stat)); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: stateTable,
		ColumnFamilies: map[string]bigtable.Family{
			"cursor": {},                                                    // ok ttlgc/no-policy
			"window": {GCPolicy: bigtable.MaxVersionsPolicy(1)},             // want ttlgc/no-policy
			"d":      {GCPolicy: bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // want ttlgc/policy-mismatch
		},
	})
}

// SetupOld is SetupFresh for the old emulator.
func SetupOld(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, fam := range []string{"hour", "stat"} { // want ttlgc/no-policy[oldhour]
		if err := admin.CreateColumnFamily(ctx, rollupTable, fam); err != nil { // want ttlgc/no-policy[oldhour]
			return err
		}
	}
	if err := admin.CreateColumnFamily(ctx, stateTable, "window"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, stateTable, "window", bigtable.MaxAgePolicy(windowAge)) // ok ttlgc/age-mismatch
}

// Tighten saves space.
func Tighten(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.SetGCPolicy(ctx, rollupTable, "hour", bigtable.MaxAgePolicy(week)); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, rollupTable, "hour", bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(keepHours), bigtable.MaxAgePolicy(week))); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, stateTable, "window", bigtable.UnionPolicy(bigtable.MaxAgePolicy(windowAge), bigtable.MaxVersionsPolicy(1))); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return admin.UpdateFamily(ctx, stateTable, "d", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(720 * time.Hour)}) // ok ttlgc/policy-mismatch
}

// requests are what the deployment tool sends by itself.
func requests(parent string) []*adminpb.ModifyColumnFamiliesRequest {
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: parent + "/tables/" + rollupTable,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id:         "hour",
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: keepHours}}}}, // ok ttlgc/policy-mismatch
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
		{
			Name: parent + "/tables/" + rollupTable,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
				Id:  "stat",                                                                                                  // want ttlgc/empty-mask[mask]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: nil}}, // want ttlgc/empty-mask[mask]
			}},
		},
		{
			Name: parent + "/tables/" + stateTable,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id:         "cursor",
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(week)}}}}, // want ttlgc/age-on-zero
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
	}
}

// Deploy sends them.
func Deploy(ctx context.Context, parent string, send func(context.Context, *adminpb.ModifyColumnFamiliesRequest) error) error {
	for _, r := range requests(parent) {
		if err := send(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
