package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/assecura/internal/constants"
)

// RawAdmin is what the generated stub offers.
type RawAdmin interface {
	ModifyColumnFamilies(ctx context.Context, req *adminpb.ModifyColumnFamiliesRequest) (*adminpb.Table, error)
}

func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func maxVersions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

// RepairPolicies sets what the migrations of 2023 got wrong.
func RepairPolicies(ctx context.Context, stub RawAdmin, parent string) error {
	_, err := stub.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + constants.TablePolicies,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: "ver", UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(90 * 24 * time.Hour)}}, // want ttlgc/age-on-sequence
			},
			{
				Id: "ver", UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxVersions(constants.PolicyVersions)}}, // ok ttlgc/age-on-sequence
			},
			{
				Id: "hdr", UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxVersions(1)}}, // ok ttlgc/age-on-zero
			},
			{ // want ttlgc/empty-mask[aud]
				Id:  "aud",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[aud]
			},
		},
	})
	return err
}
