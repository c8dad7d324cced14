// Package rows keeps policies in tables of literals: a row that is wrong is mended there.
package rows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
)

var plan = []struct {
	table, family string
	policy        bigtable.GCPolicy
}{
	{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch: .*"token"`
	{"tickets", "ticket", bigtable.MaxAgePolicy(time.Second)},
	{"clicks", "event", bigtable.MaxAgePolicy(7 * 24 * time.Hour)},                                                  // want `age-mismatch: .*"event"`
	{"bank-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(time.Hour))}, // want `age-on-sequence: .*"entry"`
	{"catalog", "latest", bigtable.MaxVersionsPolicy(1)},
}

func apply(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, f := range plan {
		if err := admin.CreateColumnFamilyWithConfig(ctx, f.table, f.family, bigtable.Family{GCPolicy: f.policy}); err != nil {
			return err
		}
	}
	return nil
}

// A row that two tables share stays: what one needs the other does not.
var shared = map[string]bigtable.GCPolicy{
	"val": bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"val"`
}

func both(ctx context.Context, admin *bigtable.AdminClient) error {
	for family, policy := range shared {
		if err := admin.CreateColumnFamilyWithConfig(ctx, "cache", family, bigtable.Family{GCPolicy: policy}); err != nil {
			return err
		}
		if err := admin.CreateColumnFamilyWithConfig(ctx, "wallets", family, bigtable.Family{GCPolicy: policy}); err != nil {
			return err
		}
	}
	return nil
}

// So is the age of a message.
func raw() *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		TableId: "clicks",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"event": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}}, // want `age-mismatch: .*"event"`
		}},
	}
}
