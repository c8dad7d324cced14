// Package rawcreate creates a family by a raw request and sets its policy by
// the next one.
package rawcreate

import (
	"context"

	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
)

type admin interface {
	ModifyColumnFamilies(context.Context, *adminpb.ModifyColumnFamiliesRequest) (*adminpb.Table, error)
}

func createThenSet(ctx context.Context, a admin, table string) error {
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:  "entry",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{}},
		}},
	}
	if _, err := a.ModifyColumnFamilies(ctx, req); err != nil {
		return err
	}
	req = &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "entry",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}},
			}},
		}},
	}
	_, err := a.ModifyColumnFamilies(ctx, req)
	return err
}

func createOnly(ctx context.Context, a admin, table string) error {
	_, err := a.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:  "entry",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{}}, // want `no-policy: .*"entry"`
		}},
	})
	return err
}
