// Command schema creates tables and families and updates their policies.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"haulr.dev/backend/internal/schema"
	"haulr.dev/backend/internal/tables"
)

func main() {
	var (
		project  = flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "Google Cloud project")
		instance = flag.String("instance", "prod", "Bigtable instance")
		regions  = flag.String("regions", "eu,us", "regions with rate limits")
		markets  = flag.String("markets", "de,at,ch", "markets with quotes")
		check    = flag.Bool("check", false, "compare only")
		raise    = flag.Bool("raise-locations", false, "keep locations for longer, for an investigation")
	)
	flag.Parse()
	log := slog.Default()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Error("schema", "err", err)
		os.Exit(1)
	}
	defer admin.Close()
	switch {
	case *check:
		diff, err := schema.Check(ctx, admin)
		if err != nil {
			log.Error("schema", "err", err)
			os.Exit(1)
		}
		for _, d := range diff {
			fmt.Println(d)
		}
	case *raise:
		err = raiseLocations(ctx, admin)
	default:
		err = ensure(ctx, admin, log, strings.Split(*regions, ","), strings.Split(*markets, ","))
	}
	if err != nil {
		log.Error("schema", "err", err)
		os.Exit(1)
	}
}

func ensure(ctx context.Context, admin *bigtable.AdminClient, log *slog.Logger, regions, markets []string) error {
	if err := schema.Ensure(ctx, admin, log); err != nil {
		return err
	}
	for _, r := range regions {
		if err := schema.EnsureRegion(ctx, admin, r); err != nil {
			return err
		}
	}
	for _, m := range markets {
		if err := schema.EnsureMarket(ctx, admin, m); err != nil {
			return err
		}
	}
	return nil
}

// raiseLocations lifts the limit of locations, which the replicated clusters
// refuse without the option.
func raiseLocations(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicyWithOptions(ctx, tables.Drivers, tables.FamLocation,
		bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

// rawFamilies is what the Terraform provider sends, for the dry run.
func rawFamilies() map[string]*adminpb.ColumnFamily {
	return map[string]*adminpb.ColumnFamily{
		"ev":   {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 5}}},
		"snap": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},
	}
}

// rawTable makes the order book's request.
func rawTable(parent string) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{ // ok ttlgc/policy-mismatch
		Parent:  parent,
		TableId: tables.OrderBook,
		Table:   &adminpb.Table{ColumnFamilies: rawFamilies()},
	}
}

// rawExpiry makes the request that changes the cart's policy.
func rawExpiry(table string, d time.Duration) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: tables.FamItem,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}},
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}, // ok ttlgc/empty-mask
		}},
	}
}

// rawType makes the request that changes the value type of the aggregates, and
// means to leave the rest.
func rawType(table string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{ // want ttlgc/empty-mask[rt]
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[rt]
			Id: tables.FamAggregate, // want ttlgc/empty-mask[rt]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // want ttlgc/empty-mask[rt]
				ValueType: &adminpb.Type{Kind: &adminpb.Type_Int64Type{Int64Type: &adminpb.Type_Int64{}}},
			}},
		}},
	}
}

var _, _, _ = rawTable, rawExpiry, rawType
