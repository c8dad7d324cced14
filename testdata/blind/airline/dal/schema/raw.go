package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"skyward.example/dal/names"
)

// The raw admin API, for the tool that the data platform team runs in the other project.

const prodInstance = "projects/skyward-prod/instances/ops"

// RawRetune rewrites the policy of bag scans and leaves nothing else changed.
func RawRetune(ctx context.Context, c adminpb.BigtableTableAdminClient) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: prodInstance + "/tables/" + names.TableBags,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: names.FamScan,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(720 * time.Hour)}}, // ok ttlgc/policy-mismatch ttlgc/empty-mask
			}},
		}},
	})
	return err
}

// RawTouch updates the value type of a family.
func RawTouch(ctx context.Context, c adminpb.BigtableTableAdminClient, vt *adminpb.Type) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: prodInstance + "/tables/" + names.TableBags,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{ // want ttlgc/empty-mask[touch]
				Id:  names.FamTally,                                                                                         // want ttlgc/empty-mask[touch]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: vt}}, // want ttlgc/empty-mask[touch]
			},
			{
				Id:         names.FamScan,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: vt}}, // ok ttlgc/empty-mask
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
			},
		},
	})
	return err
}

// RawCreateHolds creates the holds table of a partner airline's instance.
func RawCreateHolds(ctx context.Context, c adminpb.BigtableTableAdminClient, parent string) error {
	_, err := c.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: names.TableHolds,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			names.FamHold: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(names.HoldFor)}}}, // want ttlgc/age-mismatch
			names.FamSeat: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}},             // ok ttlgc/no-policy
		}},
	})
	return err
}

// RawCreateFlights does the same for flights.
func RawCreateFlights(ctx context.Context, c adminpb.BigtableTableAdminClient, parent string) error {
	rule := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 5}}
	_, err := c.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: names.TableFlights,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			names.FamRev:  {GcRule: rule}, // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
			names.FamGate: {},             // ok ttlgc/no-policy ttlgc/age-on-zero
		}},
	})
	return err
}
