package schema

import (
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/chirpnest/internal/tables"
)

func ageRule(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func versionsRule(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

// RevisionsRequest sets the policy of revisions, for the operator.
func RevisionsRequest(parent string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + tables.Posts,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id:         tables.FamRev,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: ageRule(30 * day)}}, // want ttlgc/age-on-sequence
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{
				Id:         tables.FamStats,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: ageRule(30 * day)}}, // ok ttlgc/age-on-sequence
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
		},
	}
}

// JobsRequest creates the table of jobs.
func JobsRequest(parent string) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: tables.Jobs,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			tables.FamLease:   {GcRule: ageRule(time.Second)}, // ok ttlgc/age-mismatch
			tables.FamState:   {GcRule: versionsRule(3)},      // ok ttlgc/policy-mismatch
			tables.FamPayload: {GcRule: versionsRule(1)},      // ok ttlgc/policy-mismatch
		}},
	}
}

// CountersRequest creates the table of counters.
func CountersRequest(parent string) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: tables.Counters,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			tables.FamTotal:  {GcRule: ageRule(time.Hour)}, // ok ttlgc/age-mismatch
			tables.FamWindow: {GcRule: ageRule(time.Hour)}, // want ttlgc/age-mismatch
		}},
	}
}
