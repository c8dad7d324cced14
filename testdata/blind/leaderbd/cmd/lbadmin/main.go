// Command lbadmin creates and repairs the tables of leaderbd.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"studio.example/leaderbd/internal/feed"
	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// env is what every subcommand gets.
type env struct {
	ac      *bigtable.AdminClient
	log     *slog.Logger
	name    string
	project string
	inst    string
	args    []string
}

type command struct {
	help string
	run  func(context.Context, env) error
}

var commands = map[string]command{
	"apply":      {"create what is missing, set all policies", func(ctx context.Context, e env) error { return schema.Apply(ctx, e.ac, e.log) }},
	"dev":        {"create tables in an emulator", dev},
	"events":     {"create or repair a region's events", events},
	"relax":      {"keep more during an incident", relax},
	"tighten":    {"keep less, to save money", tighten},
	"bootstrap":  {"create the vault from nothing", bootstrap},
	"sandbox":    {"create the designers' sandbox", sandbox},
	"experiment": {"create a branch of the verdicts", experiment},
	"raw":        {"send one raw request", raw},
	"ls":         {"list tables and families", list},
}

func main() {
	project := flag.String("project", os.Getenv("LB_PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("LB_INSTANCE"), "instance")
	name := flag.String("env", "dev", "environment")
	flag.Usage = usage
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		usage()
		os.Exit(2)
	}
	ctx := context.Background()
	ac, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Error("admin client", "err", err)
		os.Exit(1)
	}
	defer ac.Close()
	if err := cmd.run(ctx, env{ac, log, *name, *project, *instance, flag.Args()[1:]}); err != nil {
		log.Error(flag.Arg(0), "err", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: lbadmin [flags] command [arguments]")
	for _, k := range kit.SortedKeys(commands) {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", k, commands[k].help)
	}
	flag.PrintDefaults()
}

func dev(ctx context.Context, e env) error {
	tables := e.args
	if len(tables) == 0 {
		tables = []string{schema.Scores, schema.ScoreArchive, schema.Vault}
	}
	for _, t := range tables {
		if err := e.ac.CreateTableFromConf(ctx, schema.DevConf(t)); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

func events(ctx context.Context, e env) error {
	for _, region := range e.args {
		if err := feed.Ensure(ctx, e.ac, e.name, region); err != nil {
			e.log.Warn("exists already?", "region", region, "err", err)
		}
		if err := feed.Repair(ctx, e.ac, e.name, region); err != nil {
			return err
		}
	}
	return nil
}

// step is one change of one policy.
type step struct {
	table, family string
	policy        bigtable.GCPolicy
}

func runSteps(ctx context.Context, ac *bigtable.AdminClient, steps []step, opts ...bigtable.GCPolicyOption) error {
	var errs []error
	for _, s := range steps {
		if err := ac.SetGCPolicyWithOptions(ctx, s.table, s.family, s.policy, opts...); err != nil {
			errs = append(errs, fmt.Errorf("%s:%s: %w", s.table, s.family, err))
		}
	}
	return errors.Join(errs...)
}

// relax is for incidents: nothing may vanish while people look.
func relax(ctx context.Context, e env) error {
	return runSteps(ctx, e.ac, []step{
		{schema.Players, schema.FamSession, bigtable.MaxAgePolicy(24 * time.Hour)},                                                           // want ttlgc/age-mismatch
		{schema.Players, schema.FamProfile, bigtable.NoGcPolicy()},                                                                           // ok ttlgc/no-policy
		{schema.Lobbies, schema.FamTicket, bigtable.NoGcPolicy()},                                                                            // want ttlgc/no-policy
		{schema.Lobbies, schema.FamRoom, bigtable.MaxAgePolicy(2 * schema.RoomTTL)},                                                          // want ttlgc/age-mismatch
		{schema.Lobbies, schema.FamMeta, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                         // ok ttlgc/age-mismatch
		{schema.Scores, schema.FamBoard, bigtable.MaxVersionsPolicy(schema.BoardVersions)},                                                   // ok ttlgc/policy-mismatch
		{schema.Verdicts, schema.FamFlag, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(schema.FlagTTL), bigtable.MaxVersionsPolicy(5))}, // want ttlgc/no-policy
		{schema.Verdicts, schema.FamHold, bigtable.MaxAgePolicy(time.Millisecond)},                                                           // ok ttlgc/age-mismatch
		{schema.Analytics, schema.FamTicket, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                     // ok ttlgc/age-mismatch
		{schema.Analytics, schema.FamClaim, bigtable.NoGcPolicy()},                                                                           // ok ttlgc/no-policy
	}, bigtable.IgnoreWarnings())
}

// tighten is for the end of the quarter.
func tighten(ctx context.Context, e env) error {
	month := 30 * 24 * time.Hour
	steps := []step{
		{schema.Scores, schema.FamBoard, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.BoardVersions), bigtable.MaxAgePolicy(month))}, // want ttlgc/age-on-sequence
		{schema.Scores, schema.FamSeason, bigtable.MaxVersionsPolicy(1)},                                                                       // ok ttlgc/age-on-zero
		{schema.ScoreArchive, schema.FamBoard, bigtable.MaxAgePolicy(month)},                                                                   // want ttlgc/policy-mismatch
		{schema.Vault, schema.FamItems, bigtable.MaxAgeGCPolicy(month)},                                                                        // want ttlgc/age-on-sequence
		{schema.Vault, schema.FamClaim, bigtable.MaxAgeGCPolicy(schema.ClaimTTL)},                                                              // ok ttlgc/age-mismatch
		{schema.Vault, schema.FamClaim, bigtable.MaxAgeGCPolicy(12 * time.Hour)},                                                               // want ttlgc/age-mismatch
		{schema.Verdicts, schema.FamEvidence, bigtable.MaxAgePolicy(month)},                                                                    // ok ttlgc/policy-mismatch
		{schema.Verdicts, schema.FamEvidence, bigtable.MaxAgePolicy(month / 2)},                                                                // want ttlgc/policy-mismatch
		{schema.Players, schema.FamWallet, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(month))},                  // want ttlgc/age-on-zero
		{schema.Analytics, schema.FamSession, bigtable.MaxAgePolicy(7776000)},                                                                  // want ttlunit/age-unit
		{schema.Analytics, schema.FamBoard, bigtable.MaxAgePolicy(month)},                                                                      // ok ttlgc/age-on-sequence
	}
	return runSteps(ctx, e.ac, steps)
}

// family creates a family with its policy.
func family(ctx context.Context, ac *bigtable.AdminClient, table, name string, p bigtable.GCPolicy) error {
	return ac.CreateColumnFamilyWithConfig(ctx, table, name, bigtable.Family{GCPolicy: p})
}

func bootstrap(ctx context.Context, e env) error {
	if err := e.ac.CreateTable(ctx, schema.Vault); err != nil {
		return err
	}
	return errors.Join(
		family(ctx, e.ac, schema.Vault, schema.FamItems, bigtable.MaxVersionsPolicy(schema.ItemVersions)),                                                                // ok ttlgc/policy-mismatch
		family(ctx, e.ac, schema.Vault, schema.FamItems, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(schema.ItemVersions), bigtable.MaxAgePolicy(time.Hour))), // want ttlgc/age-on-sequence
		family(ctx, e.ac, schema.Vault, schema.FamClaim, bigtable.MaxVersionsPolicy(1)),                                                                                  // want ttlgc/no-policy
		family(ctx, e.ac, schema.Vault, schema.FamLock, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))),                         // want ttlgc/versions-with-expiry
		family(ctx, e.ac, schema.Vault, schema.FamLock, bigtable.MaxAgePolicy(time.Second)),                                                                              // ok ttlgc/versions-with-expiry
		family(ctx, e.ac, schema.Vault, schema.FamCatalog, bigtable.MaxVersionsPolicy(1)),                                                                                // ok ttlgc/policy-mismatch
	)
}

// sandbox creates tables that only the designers use.
func sandbox(ctx context.Context, e env) error {
	const table = "sandbox"
	if err := e.ac.CreateTable(ctx, table); err != nil {
		return err
	}
	for _, f := range []string{schema.FamTicket, schema.FamBoard, schema.FamClaim} {
		if err := e.ac.CreateColumnFamily(ctx, table, f); err != nil { // ok ttlgc/no-policy
			return err
		}
	}
	if err := e.ac.CreateTable(ctx, schema.Lobbies); err != nil {
		return err
	}
	if err := e.ac.CreateColumnFamily(ctx, schema.Lobbies, schema.FamMeta); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := e.ac.CreateColumnFamily(ctx, schema.Lobbies, schema.FamRoom); err != nil { // want ttlgc/no-policy
		return err
	}
	return e.ac.SetGCPolicy(ctx, table, schema.FamBoard, bigtable.MaxAgePolicy(time.Hour)) // ok ttlgc/age-on-sequence
}

// experiment updates families one by one, with options nobody remembers the reason of.
func experiment(ctx context.Context, e env) error {
	return errors.Join(
		e.ac.UpdateFamily(ctx, schema.Verdicts, schema.FamFlag, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(7 * 24 * time.Hour)}),  // ok ttlgc/age-mismatch
		e.ac.UpdateFamily(ctx, schema.Verdicts, schema.FamFlag, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)}), // want ttlgc/age-mismatch
		e.ac.UpdateFamily(ctx, schema.Verdicts, schema.FamHold, bigtable.Family{}),                                                     // ok ttlgc/no-policy
		e.ac.SetGCPolicy(ctx, schema.Verdicts, schema.FamHold, nil),                                                                    // ok ttlgc/no-policy
		e.ac.SetGCPolicyWithOptions(ctx, schema.Scores, schema.FamBoard, bigtable.MaxVersionsPolicy(1), bigtable.IgnoreWarnings()),     // want ttlgc/policy-mismatch
		e.ac.SetGCPolicyWithOptions(ctx, schema.Scores, schema.FamBoard, bigtable.MaxAgePolicy(365*24*time.Hour)),                      // want ttlgc/age-on-sequence
		e.ac.SetGCPolicy(ctx, schema.ScoreArchive, schema.FamBoard, bigtable.MaxAgePolicy(365*24*time.Hour)),                           // ok ttlgc/age-on-sequence
	)
}

// raw is for what the client does not offer.
func raw(_ context.Context, e env) error {
	name := fmt.Sprintf("projects/%s/instances/%s/tables/%s", e.project, e.inst, schema.Players)
	second := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}
	hour := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}} // want ttlgc/age-mismatch[rh]
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamSession, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: second}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}}, // ok ttlgc/age-mismatch
			{Id: schema.FamSession, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: hour}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}},   // want ttlgc/age-mismatch[rh]
			{Id: schema.FamProfile, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}},                                                                               // want ttlgc/empty-mask
		},
	}
	if slices.Contains(e.args, "-print") {
		fmt.Println(req.String())
	}
	return nil
}

func list(ctx context.Context, e env) error {
	tables, err := e.ac.Tables(ctx)
	if err != nil {
		return err
	}
	slices.Sort(tables)
	for _, t := range tables {
		info, err := e.ac.TableInfo(ctx, t)
		if err != nil {
			return err
		}
		var fams []string
		for _, f := range info.FamilyInfos {
			fams = append(fams, f.Name+"("+f.GCPolicy+")")
		}
		slices.Sort(fams)
		fmt.Printf("%s: %s\n", t, strings.Join(fams, " "))
	}
	return nil
}
