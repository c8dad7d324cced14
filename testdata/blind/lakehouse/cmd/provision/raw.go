package main

import (
	"context"
	"time"

	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/lakehouse/internal/schema"
)

// rawAge is the rule of an age.
func rawAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

// rawVersions is the rule of a number of versions.
func rawVersions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

// modify brings several families up to date in one call, which the client
// cannot.
func modify(ctx context.Context, c adminpb.BigtableTableAdminClient, parent string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + schema.TableOffsets,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id:         schema.FamWatermark,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rawVersions(schema.WatermarkKeep)}}, // ok ttlgc/policy-mismatch
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{
				Id:         schema.FamOffset,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rawAge(7 * day)}}, // want ttlgc/age-on-sequence
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
		},
	})
	return err
}

// create makes the dedup table with the raw client.
func create(ctx context.Context, c adminpb.BigtableTableAdminClient, parent string) error {
	_, err := c.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: schema.TableDedup,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			schema.FamSeen: {GcRule: rawAge(time.Second)}, // ok ttlgc/age-mismatch
		}},
	})
	if err != nil {
		return err
	}
	_, err = c.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: schema.TableFeatures,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			schema.FamOnline: {GcRule: rawAge(schema.OnlineTTL)},      // want ttlgc/age-mismatch
			schema.FamStats:  {GcRule: rawAge(schema.StatsRetention)}, // ok ttlgc/age-mismatch
			schema.FamEntity: {},                                      // ok ttlgc/no-policy
		}},
	})
	return err
}

// describe notes the value types for the console; nothing else was meant to
// change.
func describe(ctx context.Context, c adminpb.BigtableTableAdminClient, parent string) error {
	counter := &adminpb.ColumnFamily{ValueType: &adminpb.Type{Kind: &adminpb.Type_Int64Type{Int64Type: &adminpb.Type_Int64{}}}}
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + schema.TableAgg,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamCount, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: counter}},                                                                  // want ttlgc/empty-mask
			{Id: schema.FamAgg, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: counter}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}}}, // ok ttlgc/empty-mask
		},
	})
	return err
}
