// Package nilpolicy creates families with a helper that may set a policy.
package nilpolicy

import (
	"context"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
)

func create(ctx context.Context, a *bigtable.AdminClient, table, fam string, p bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, fam); err != nil {
		return err
	}
	if p != nil {
		return a.SetGCPolicy(ctx, table, fam, p)
	}
	return nil
}

func bare(ctx context.Context, a *bigtable.AdminClient, table, fam string) error {
	return a.CreateColumnFamily(ctx, table, fam)
}

// Later leaves the policy to whoever comes later.
func Later(ctx context.Context, a *bigtable.AdminClient) error {
	return create(ctx, a, "sessions", "token", nil)
}

// Never sets none.
func Never(ctx context.Context, a *bigtable.AdminClient) error {
	return bare(ctx, a, "sessions", "token") // want `no-policy: .*"token"`
}

// beside creates a family, and makes a raw request for another.
func beside(ctx context.Context, a *bigtable.AdminClient, fam string) (*adminpb.ModifyColumnFamiliesRequest, error) {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/p/instances/i/tables/sessions",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "profile",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}},
			}},
		}},
	}, a.CreateColumnFamily(ctx, "sessions", fam)
}

// Beside creates the one that gets no policy.
func Beside(ctx context.Context, a *bigtable.AdminClient) error {
	_, err := beside(ctx, a, "token") // want `no-policy: .*"token"`
	return err
}
