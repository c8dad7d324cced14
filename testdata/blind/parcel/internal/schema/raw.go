package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Modifier is the call of the admin service that Repair needs.
type Modifier interface {
	ModifyColumnFamilies(ctx context.Context, in *adminpb.ModifyColumnFamiliesRequest, opts ...grpc.CallOption) (*adminpb.Table, error)
}

// Repair sets the policies of the leases without the client's warnings.
func Repair(ctx context.Context, c Modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/holds",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/age-mismatch[raw]
			Id: "lease", // want ttlgc/age-mismatch[raw]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{ // want ttlgc/age-mismatch[raw]
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(15 * time.Minute)}}, // want ttlgc/age-mismatch[raw]
			}},
		}},
	})
	return err
}

// RepairVersions sets the versions of the ledgers.
func RepairVersions(ctx context.Context, c Modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/eu-ledger",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "entry",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}, // ok ttlgc/policy-mismatch
			}},
		}},
	})
	return err
}

// Rename touches a family's value type.
func Rename(ctx context.Context, c Modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/sessions",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[rename]
			Id:  "token",                                                                                   // want ttlgc/empty-mask[rename]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[rename]
		}},
	})
	return err
}
