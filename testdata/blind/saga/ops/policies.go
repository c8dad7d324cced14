package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"cloud.google.com/go/bigtable"

	"example.com/saga/schema"
)

const retention = 90 * 24 * time.Hour

// fixPolicies sets what the audit of the spring found.
func fixPolicies(ctx context.Context, a *App, _ []string) error {
	type fix struct {
		table, family string
		p             bigtable.GCPolicy
	}
	legal := bigtable.MaxAgePolicy(retention) // want ttlgc/age-on-sequence[legalrev] ttlgc/age-mismatch[legalidem]
	fixes := []fix{
		{schema.Stock, schema.FamLog, bigtable.MaxAgePolicy(720 * time.Hour)},                                                          // ok ttlgc/policy-mismatch
		{schema.Outbox, schema.FamLease, bigtable.MaxAgePolicy(time.Second)},                                                           // ok ttlgc/age-mismatch
		{schema.Outbox, schema.FamLease, bigtable.MaxAgePolicy(30)},                                                                    // want ttlunit/age-unit
		{schema.Coupons, schema.FamGrant, bigtable.MaxAgePolicy(2592000)},                                                              // want ttlunit/age-unit|ttlgc/age-mismatch
		{schema.Coupons, schema.FamGrant, bigtable.MaxAgePolicy(2592000 * time.Second)},                                                // ok ttlunit/age-unit
		{schema.Payments, schema.FamLedger, bigtable.MaxVersionsPolicy(10)},                                                            // want ttlgc/policy-mismatch
		{schema.Carts, schema.FamLine, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/no-policy
		{schema.SearchIndex, schema.FamRev, bigtable.UnionPolicy(bigtable.MaxAgePolicy(retention), bigtable.MaxVersionsPolicy(1))},     // ok ttlgc/age-on-sequence
	}
	var errs []error
	for _, f := range fixes {
		if err := a.Admin.SetGCPolicy(ctx, f.table, f.family, f.p); err != nil {
			errs = append(errs, fmt.Errorf("%s in %s: %w", f.family, f.table, err))
		}
	}
	orders := schema.OrdersTable(a.Conf.Env)
	errs = append(errs,
		a.Admin.SetGCPolicy(ctx, orders, schema.FamNote, legal),                                                // ok ttlgc/age-on-sequence
		a.Admin.SetGCPolicy(ctx, orders, schema.FamRev, legal),                                                 // want ttlgc/age-on-sequence[legalrev]
		a.Admin.SetGCPolicy(ctx, orders, schema.FamStatus, bigtable.MaxVersionsPolicy(1)),                      // ok ttlgc/age-on-zero
		a.Admin.SetGCPolicyWithOptions(ctx, schema.Payments, schema.FamIdem, legal, bigtable.IgnoreWarnings()), // want ttlgc/age-mismatch[legalidem]
		raw(ctx, a),
	)
	return errors.Join(errs...)
}

// raw sets what the client cannot.
func raw(ctx context.Context, a *App) error {
	conn, err := dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	c := adminpb.NewBigtableTableAdminClient(conn)
	name := func(t string) string {
		return fmt.Sprintf("projects/%s/instances/%s/tables/%s", a.Conf.Project, a.Conf.Instance, t)
	}
	reqs := []*adminpb.ModifyColumnFamiliesRequest{
		{Name: name(schema.Payments), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
			Id: schema.FamAttempt,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // want ttlgc/empty-mask[mask]
				ValueType: &adminpb.Type{Kind: &adminpb.Type_BytesType{BytesType: &adminpb.Type_Bytes{}}}, // want ttlgc/empty-mask[mask]
			}},
		}}},
		{Name: name(schema.Payments), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: schema.FamLedger,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // ok ttlgc/empty-mask
				ValueType: &adminpb.Type{Kind: &adminpb.Type_BytesType{BytesType: &adminpb.Type_Bytes{}}},
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
		}}},
		{Name: name(schema.Outbox), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: schema.FamMsg,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // want ttlgc/age-on-sequence[rawmsg]
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(retention)}}, // want ttlgc/age-on-sequence[rawmsg]
			}},
		}}},
		{Name: name(schema.Carts), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: schema.FamLine,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
			}},
		}}},
	}
	var errs []error
	for _, r := range reqs {
		_, err := c.ModifyColumnFamilies(ctx, r)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func dial() (*grpc.ClientConn, error) {
	target := os.Getenv("BIGTABLE_EMULATOR_HOST")
	if target == "" {
		return nil, errors.New("raw requests are for the emulator only")
	}
	return grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
}
