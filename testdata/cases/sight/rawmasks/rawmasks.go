// Package rawmasks builds requests, and nothing else.
package rawmasks

import (
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

func update(family string, mask *fieldmaskpb.FieldMask) *adminpb.ModifyColumnFamiliesRequest_Modification {
	return &adminpb.ModifyColumnFamiliesRequest_Modification{
		Id:         family,
		Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}},
		UpdateMask: mask,
	}
}

// None has no mask.
func None(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want `empty-mask: `
			Id:  "token",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}},
		}},
	}
}

// Empty has one without a path.
func Empty(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want `empty-mask: `
			Id:         "token",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}},
			UpdateMask: &fieldmaskpb.FieldMask{},
		}},
	}
}

// EmptyPaths has one whose list is empty.
func EmptyPaths(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want `empty-mask: `
			Id:         "token",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{}},
		}},
	}
}

// OkOther changes something else.
func OkOther(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         "token",
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
		}},
	}
}

// OkGiven has one that others give.
func OkGiven(name string, mask *fieldmaskpb.FieldMask) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name:          name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{update("token", mask)},
	}
}
