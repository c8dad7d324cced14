// Package raw builds the admin API's messages itself.
package raw

import (
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

const clicks = "projects/p/instances/i/tables/clicks"

func age(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func versions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

func create() *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  "projects/p/instances/i",
		TableId: "bank-ledger",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"entry": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}}, // want `age-on-sequence: .*"entry"`
		}},
	}
}

func okCreate() *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  "projects/p/instances/i",
		TableId: "bank-ledger",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"entry": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}},
		}},
	}
}

func createWithoutRule() *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  "projects/p/instances/i",
		TableId: "clicks",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"event": {}, // want `no-policy: .*"event"`
		}},
	}
}

func okCreateOtherTable() *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		TableId: "plain",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"entry": {GcRule: age(time.Hour)},
		}},
	}
}

func update() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         "event",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(time.Hour)}}, // want `age-mismatch: .*"event"`
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	}
}

func okUpdate() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         "event",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(720 * time.Hour)}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	}
}

func updateUnion() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "event",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_Union_{Union: &adminpb.GcRule_Union{Rules: []*adminpb.GcRule{age(720 * time.Hour), versions(1)}}}}, // want `versions-with-expiry: .*"event"`
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	}
}

// An update without mask replaces the family, also the rule that it does not
// mention.

func emptyMask() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "event", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}}, // want `empty-mask: .*"event"`
		},
	}
}

func emptyMaskUnregistered(t *adminpb.Type) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/p/instances/i/tables/plain",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "any", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: t}}}, // want `empty-mask: .*"any"`
		},
	}
}

func okEmptyMaskWithRule() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "event", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: age(720 * time.Hour)}}},
		},
	}
}

func okMaskOfType(t *adminpb.Type) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         "event",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: t}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
		}},
	}
}

func createFamily() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "event", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{}}}, // want `no-policy: .*"event"`
		},
	}
}

func okCreateFamily() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "event", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: age(720 * time.Hour)}}},
		},
	}
}

func okDrop() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: clicks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "event", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Drop{Drop: true}},
		},
	}
}

// A rule in a local: of several families, the finding stands at the one that gets it.
func local() *adminpb.ModifyColumnFamiliesRequest {
	rule := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}
	mask := &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/p/instances/i/tables/bank-ledger",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "other", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: versions(3)}}, UpdateMask: mask},
			{Id: "entry", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rule}}, UpdateMask: mask}, // want `age-on-sequence: .*"entry"`
		},
	}
}

// Changes that no request in view holds are judged by their families' names.
func changes() []*adminpb.ModifyColumnFamiliesRequest_Modification {
	return []*adminpb.ModifyColumnFamiliesRequest_Modification{
		{Id: "entry", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: age(time.Hour)}}}, // want `age-on-sequence: .*"entry"`
		{Id: "nobody", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: age(time.Hour)}}},
	}
}

// Those that one holds are judged there.
func requestedChanges() []*adminpb.ModifyColumnFamiliesRequest_Modification {
	return []*adminpb.ModifyColumnFamiliesRequest_Modification{
		{Id: "entry", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: age(time.Hour)}}},
	}
}

func okElsewhere() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{Name: "projects/p/instances/i/tables/unregistered", Modifications: requestedChanges()}
}
