package main

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/api/option"
	gtransport "google.golang.org/api/transport/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/beacon/internal/layout"
)

// fast sets policies with the service's own messages.
func fast(ctx context.Context, a *app, args []string) error {
	conn, err := gtransport.Dial(ctx, option.WithEndpoint("bigtableadmin.googleapis.com:443"), option.WithScopes(bigtable.AdminScope))
	if err != nil {
		return err
	}
	defer conn.Close()
	api := adminpb.NewBigtableTableAdminClient(conn)
	i := instance("projects/" + a.settings.Project + "/instances/" + a.settings.Instance)
	n := a.names(args[0])
	return errors.Join(rawSessions(ctx, api, i, n), rawState(ctx, api, i, n), rawLedger(ctx, api, i, n))
}

// instance is the path of an instance.
type instance string

func (i instance) table(name string) string { return string(i) + "/tables/" + name }

func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func maxVersions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

func union(rules ...*adminpb.GcRule) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_Union_{Union: &adminpb.GcRule_Union{Rules: rules}}}
}

// rawSessions changes a tenant's sessions in one request.
func rawSessions(ctx context.Context, api adminpb.BigtableTableAdminClient, i instance, n layout.Names) error {
	_, err := api.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: i.table(n.Sessions()),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "token", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}},   // ok ttlgc/age-mismatch
			{Id: "mfa", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(5 * time.Minute)}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}}, // want ttlgc/age-mismatch
			{Id: "profile", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}},                                                                                            // want ttlgc/empty-mask
			{Id: "extra", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{}}},                                                                                              // ok ttlgc/no-policy ttlgc/empty-mask
		},
	})
	return err
}

// rawState changes a tenant's state in one request.
func rawState(ctx context.Context, api adminpb.BigtableTableAdminClient, i instance, n layout.Names) error {
	mods := []*adminpb.ModifyColumnFamiliesRequest_Modification{
		{Id: "cursor", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: union(maxVersions(1), maxAge(time.Hour))}}}, // want ttlgc/age-on-sequence
		{Id: "lease", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}}},                       // ok ttlgc/age-mismatch
		{Id: "pref", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: maxVersions(1)}}},                             // ok ttlgc/age-on-zero
	}
	_, err := api.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{Name: i.table(n.State()), Modifications: mods})
	return err
}

// rawLedger creates a tenant's ledger.
func rawLedger(ctx context.Context, api adminpb.BigtableTableAdminClient, i instance, n layout.Names) error {
	_, err := api.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  string(i),
		TableId: n.Ledger(),
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"entry": {GcRule: maxVersions(3)},    // ok ttlgc/policy-mismatch
			"head":  {GcRule: maxAge(time.Hour)}, // want ttlgc/age-on-zero
		}},
	})
	return err
}
