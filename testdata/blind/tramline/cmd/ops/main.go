// Command ops is what the operators run by hand.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"tramline.example/dal"
)

type command struct {
	name string
	help string
	run  func(ctx context.Context, a *bigtable.AdminClient, args []string) error
}

var commands = []command{
	{"init", "creates the tables of a fresh instance", initTables},
	{"migrate", "applies the schema", migrate},
	{"depot", "creates the journal of a depot", depot},
	{"tighten", "shortens what is kept during an incident", tighten},
	{"relax", "keeps everything during an investigation", relax},
}

func main() {
	project := flag.String("project", os.Getenv("PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("INSTANCE"), "instance")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	a, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		fail(err)
	}
	defer a.Close()
	for _, c := range commands {
		if c.name == flag.Arg(0) {
			if err := c.run(ctx, a, flag.Args()[1:]); err != nil {
				fail(fmt.Errorf("%s: %w", c.name, err))
			}
			return
		}
	}
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "%-10s %s\n", c.name, c.help)
	}
	os.Exit(2)
}

func fail(err error) {
	slog.Error("ops", "err", err)
	os.Exit(1)
}

func migrate(ctx context.Context, a *bigtable.AdminClient, _ []string) error {
	return dal.Migrate(ctx, a, dal.Schema) // want ttlgc/age-mismatch[row1] ttlgc/age-mismatch[row2] ttlgc/policy-mismatch[row3]
}

func initTables(ctx context.Context, a *bigtable.AdminClient, _ []string) error {
	confs := []*bigtable.TableConf{
		{
			TableID: dal.TableHolds,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamHold:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
				dal.FamRider: {GCPolicy: bigtable.NoGcPolicy()},              // ok ttlgc/no-policy
			},
		},
		{
			TableID: dal.TableOTP,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamCode: {GCPolicy: bigtable.MaxAgePolicy(dal.CodeTTL)}, // want ttlgc/age-mismatch
				dal.FamSeen: {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // want ttlgc/no-policy
			},
		},
		{
			TableID: dal.TablePositions,
			Families: map[string]bigtable.GCPolicy{
				dal.FamPos:     bigtable.MaxAgePolicy(24 * time.Hour), // want ttlgc/age-mismatch
				dal.FamVehicle: bigtable.MaxVersionsPolicy(1),         // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID: dal.TableCommands,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamCmd:   {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour))}, // want ttlgc/age-on-sequence
				dal.FamState: {GCPolicy: bigtable.MaxAgePolicy(dal.StateTTL)},                                                   // ok ttlgc/age-mismatch
			},
		},
		{
			TableID: dal.TableTariffs,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamRate:   {GCPolicy: bigtable.MaxAgePolicy(720 * time.Hour)}, // want ttlgc/age-on-zero
				dal.FamChange: {GCPolicy: bigtable.MaxVersionsPolicy(2)},          // want ttlgc/policy-mismatch
			},
		},
		{
			TableID: dal.TableQuotes,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamQuote: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(dal.QuoteTTL), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
			},
		},
		{
			TableID: dal.TableTrips,
			ColumnFamilies: map[string]bigtable.Family{
				dal.FamState: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch
			},
		},
	}
	for _, c := range confs {
		if err := a.CreateTableFromConf(ctx, c); err != nil {
			return fmt.Errorf("table %s: %w", c.TableID, err)
		}
	}
	return nil
}

func depot(ctx context.Context, a *bigtable.AdminClient, args []string) error {
	for _, d := range args {
		name := dal.JournalTable(d)
		if err := a.CreateTable(ctx, name); err != nil {
			return err
		}
		if err := dal.EnsureVersions(ctx, a, name, dal.FamEntry, 3); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
	}
	if err := dal.EnsureVersions(ctx, a, "training-journal", dal.FamEntry, 10); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := dal.EnsureAge(ctx, a, "demo-journal", dal.FamEntry, time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := dal.EnsureAge(ctx, a, dal.TableHolds, dal.FamHold, dal.HoldTTL); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := dal.EnsureAge(ctx, a, dal.TableOTP, dal.FamSeen, time.Second); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := dal.EnsureAge(ctx, a, dal.TableQuotes, dal.FamQuote, 10*time.Minute); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := dal.EnsureAge(ctx, a, dal.TableScratch, dal.FamEntry, time.Hour); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	return dal.EnsureBoth(ctx, a, dal.TableCommands, dal.FamCmd, 1, 24*time.Hour) // want ttlgc/age-on-sequence
}

func tighten(ctx context.Context, a *bigtable.AdminClient, _ []string) error {
	both := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour)) // want ttlgc/age-on-sequence[both]
	if err := a.SetGCPolicy(ctx, dal.TableCommands, dal.FamCmd, both); err != nil {                      // want ttlgc/age-on-sequence[both]
		return err
	}
	if err := a.SetGCPolicyWithOptions(ctx, dal.TablePositions, dal.FamPos, bigtable.MaxAgePolicy(100*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicyWithOptions(ctx, dal.TablePositions, dal.FamPos, bigtable.MaxAgeGCPolicy(3*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, dal.TableTariffs, dal.FamRate, bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(1), bigtable.MaxAgeGCPolicy(time.Hour)}}); err != nil { // want ttlgc/age-on-zero
		return err
	}
	if err := a.SetGCPolicy(ctx, dal.TableTrips, dal.FamState, bigtable.MaxAgePolicy(3600)); err != nil { // want ttlunit/age-unit
		return err
	}
	if err := a.SetGCPolicy(ctx, dal.TableTrips, dal.FamState, bigtable.MaxAgePolicy(3600*time.Second)); err != nil { // ok ttlunit/age-unit
		return err
	}
	return a.SetGCPolicy(ctx, dal.TableHolds, dal.FamHold, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))) // want ttlgc/versions-with-expiry
}

func relax(ctx context.Context, a *bigtable.AdminClient, _ []string) error {
	for _, f := range []string{dal.FamCode, dal.FamSeen} {
		if err := a.SetGCPolicy(ctx, dal.TableOTP, f, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
			return err
		}
	}
	if err := a.SetGCPolicy(ctx, dal.TableTariffs, dal.FamRate, bigtable.NoGcPolicy()); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, dal.TableQuotes, dal.FamQuote); err != nil { // want ttlgc/no-policy
		return err
	}
	return a.CreateColumnFamily(ctx, dal.TableQuotes, "notes") // ok ttlgc/no-policy
}

// request is for the console, which takes the raw message.
func request(table string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{ // want ttlgc/empty-mask[mask]
				Id: "notes",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // want ttlgc/empty-mask[mask]
					Update: &adminpb.ColumnFamily{}, // want ttlgc/empty-mask[mask]
				},
			},
			{
				Id: "notes",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // ok ttlgc/empty-mask
					Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}},
				},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
		},
	}
}

var _ = request
