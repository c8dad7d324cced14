// schema creates tables and families, compares policies with the live
// instance, and changes them.
//
//	schema create [TABLE...]
//	schema tenant ID
//	schema diff
//	schema set TABLE FAMILY
//	schema emergency TABLE
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/report"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts   btx.Options
	format = flag.String("format", "text", "text, csv or json")
	env    = flag.String("env", "dev", "environment of tenants' tables")
	force  = flag.Bool("force", false, "ignore warnings about replication")
)

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	admin, err := opts.Admin(ctx)
	btx.Fatal(err)
	defer admin.Close()
	switch flag.Arg(0) {
	case "create":
		err = create(ctx, admin, flag.Args()[1:])
	case "tenant":
		err = createTenant(ctx, admin, flag.Arg(1))
	case "dev":
		err = createDev(ctx, admin)
	case "scratch":
		err = createScratch(ctx, admin)
	case "diff":
		err = diff(ctx, admin)
	case "set":
		err = set(ctx, admin, flag.Arg(1), flag.Arg(2))
	case "emergency":
		err = emergency(ctx, admin, flag.Arg(1))
	case "quarter":
		err = quarter(ctx, admin)
	case "legacy":
		err = legacy(ctx, admin)
	default:
		err = errors.New("create, tenant, dev, scratch, diff, set, emergency, quarter or legacy?")
	}
	btx.Fatal(err)
}

// create makes what schema.Defs says, table by table.
func create(ctx context.Context, admin *bigtable.AdminClient, names []string) error {
	if len(names) == 0 {
		names = schema.Names()
	}
	have, err := admin.Tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		table := opts.Table(name)
		if !slices.Contains(have, table) {
			if opts.DryRun {
				fmt.Println("would create", table)
				continue
			}
			if err := admin.CreateTable(ctx, table); err != nil {
				return fmt.Errorf("create %s: %w", table, err)
			}
		}
		for _, d := range schema.Of(name) {
			if err := ensure(ctx, admin, table, d.Family, d.Policy); err != nil { // want ttlgc/age-mismatch[defslease] ttlgc/age-mismatch[defspng] ttlgc/policy-mismatch[defsactor]
				return err
			}
		}
	}
	return nil
}

// ensure creates the family if need be and sets its policy.
func ensure(ctx context.Context, admin *bigtable.AdminClient, table, family string, policy bigtable.GCPolicy) error {
	info, err := admin.TableInfo(ctx, table)
	if err != nil {
		return err
	}
	if !slices.Contains(info.Families, family) {
		if err := admin.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
			return fmt.Errorf("create %s:%s: %w", table, family, err)
		}
	}
	if *force {
		return admin.SetGCPolicyWithOptions(ctx, table, family, policy, bigtable.IgnoreWarnings())
	}
	return admin.SetGCPolicy(ctx, table, family, policy)
}

// createTenant makes the two tables that a tenant has.
func createTenant(ctx context.Context, admin *bigtable.AdminClient, id string) error {
	if id == "" {
		return errors.New("which tenant?")
	}
	ledger := tenant.LedgerName(*env, id)
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: ledger,
		ColumnFamilies: map[string]bigtable.Family{
			"entry": {GCPolicy: bigtable.MaxVersionsPolicy(5)}, // ok ttlgc/policy-mismatch
			"total": {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
		},
	}); err != nil {
		return fmt.Errorf("create %s: %w", ledger, err)
	}
	passes := tenant.PassesName(id)
	conf := &bigtable.TableConf{TableID: passes, ColumnFamilies: map[string]bigtable.Family{}}
	for family, policy := range schema.TenantDefs["passes"] {
		conf.ColumnFamilies[family] = bigtable.Family{GCPolicy: policy}
	}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		return fmt.Errorf("create %s: %w", passes, err)
	}
	return nil
}

// createDev makes small tables on a developer's emulator. The policies are
// looser than production's, so that one can look at what happened.
func createDev(ctx context.Context, admin *bigtable.AdminClient) error {
	confs := []bigtable.TableConf{
		{
			TableID: "sessions",
			Families: map[string]bigtable.GCPolicy{
				"token":   bigtable.MaxAgePolicy(time.Hour),   // want ttlgc/age-mismatch
				"device":  bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
				"profile": bigtable.MaxVersionsPolicy(3),      // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID: "journeys",
			ColumnFamilies: map[string]bigtable.Family{
				"leg":  {GCPolicy: bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // want ttlgc/age-mismatch
				"meta": {GCPolicy: bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
			},
		},
		{
			TableID: "rosters",
			Families: map[string]bigtable.GCPolicy{
				"rev":  bigtable.MaxAgePolicy(24 * time.Hour), // want ttlgc/age-on-sequence
				"note": bigtable.MaxAgePolicy(24 * time.Hour), // ok ttlgc/age-on-sequence
			},
		},
		{
			TableID: "settings",
			Families: map[string]bigtable.GCPolicy{
				"cur": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(24*time.Hour)), // want ttlgc/age-on-zero
			},
		},
		{
			TableID: "tiles",
			ColumnFamilies: map[string]bigtable.Family{
				"png": {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // want ttlgc/no-policy
			},
		},
		{
			TableID: "gates",
			Families: map[string]bigtable.GCPolicy{
				"state": bigtable.NoGcPolicy(), // want ttlgc/no-policy
			},
		},
		{
			TableID: "vehicles",
			Families: map[string]bigtable.GCPolicy{
				"state": bigtable.NoGcPolicy(), // ok ttlgc/no-policy
			},
		},
	}
	for i := range confs {
		if err := admin.CreateTableFromConf(ctx, &confs[i]); err != nil {
			return fmt.Errorf("create %s: %w", confs[i].TableID, err)
		}
	}
	// The audit log came later.
	if err := admin.CreateTable(ctx, "audit"); err != nil {
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, "audit", "event", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, "audit", "actor", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	// So did the locks, and nobody thought of a policy.
	if err := admin.CreateTable(ctx, "locks"); err != nil {
		return err
	}
	if err := admin.CreateColumnFamily(ctx, "locks", "lease"); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamily(ctx, "locks", "owner") // ok ttlgc/no-policy
}

// createScratch makes tables for experiments; nothing in them matters.
func createScratch(ctx context.Context, admin *bigtable.AdminClient) error {
	for family, policy := range map[string]bigtable.GCPolicy{
		"token": bigtable.MaxAgePolicy(time.Hour),      // ok ttlgc/age-mismatch
		"entry": bigtable.MaxAgePolicy(24 * time.Hour), // ok ttlgc/age-on-sequence
		"cur":   bigtable.MaxAgePolicy(24 * time.Hour), // ok ttlgc/age-on-zero
		"leg":   bigtable.NoGcPolicy(),                 // ok ttlgc/no-policy
	} {
		if err := ensure(ctx, admin, "scratch", family, policy); err != nil {
			return err
		}
	}
	// A week for the samples of the load test.
	if err := admin.SetGCPolicy(ctx, "scratch", "samples", bigtable.MaxAgePolicy(604800)); err != nil { // want ttlunit/age-unit
		return err
	}
	const week = 7 * 24 * time.Hour
	return admin.SetGCPolicy(ctx, "scratch", "traces", bigtable.MaxAgePolicy(week)) // ok ttlunit/age-unit
}

// diff prints where the live instance differs.
func diff(ctx context.Context, admin *bigtable.AdminClient) error {
	w, err := report.Open(os.Stdout, *format)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Header("table", "family", "live", "wanted", "why")
	bad := 0
	for _, name := range schema.Names() {
		info, err := admin.TableInfo(ctx, opts.Table(name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		live := map[string]string{}
		for _, fi := range info.FamilyInfos {
			live[fi.Name] = fi.GCPolicy
		}
		for _, d := range schema.Of(name) {
			if got := live[d.Family]; got != d.Policy.String() {
				bad++
				w.Row(name, d.Family, got, d.Policy.String(), d.Why)
			}
			delete(live, d.Family)
		}
		var rest []string
		for f := range live {
			rest = append(rest, f)
		}
		sort.Strings(rest)
		for _, f := range rest {
			w.Row(name, f, live[f], "-", "nobody knows")
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d families differ", bad)
	}
	return nil
}

// set brings one family back to what schema.Defs says.
func set(ctx context.Context, admin *bigtable.AdminClient, table, family string) error {
	for _, d := range schema.Of(table) {
		if d.Family != family {
			continue
		}
		if !btx.Confirm("set %s:%s to %s?", table, family, d.Policy) {
			return nil
		}
		return ensure(ctx, admin, opts.Table(table), family, d.Policy) // want ttlgc/age-mismatch[defslease] ttlgc/age-mismatch[defspng] ttlgc/policy-mismatch[defsactor]
	}
	return fmt.Errorf("no family %s in table %s", family, table)
}

// emergency shortens what a table keeps, when the disks are full.
func emergency(ctx context.Context, admin *bigtable.AdminClient, table string) error {
	switch table {
	case schema.Journeys:
		p := bigtable.MaxAgeGCPolicy(10 * 24 * time.Hour)                                                   // want ttlgc/age-mismatch[emergencyleg]
		return admin.SetGCPolicyWithOptions(ctx, schema.Journeys, schema.Leg, p, bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch[emergencyleg]
	case schema.Rosters:
		return admin.SetGCPolicy(ctx, schema.Rosters, schema.Rev, bigtable.MaxVersionsPolicy(1)) // want ttlgc/policy-mismatch
	case schema.Audit:
		p := bigtable.UnionPolicy(bigtable.MaxAgePolicy(schema.EventAge), bigtable.MaxVersionsPolicy(10000)) // maybe ttlgc/policy-mismatch
		return admin.SetGCPolicy(ctx, schema.Audit, schema.Event, p)                                         // maybe ttlgc/policy-mismatch
	case schema.Sessions:
		// One version is enough of a token.
		p := bigtable.UnionPolicy(schema.Expiring, bigtable.MaxVersionsPolicy(1)) // want ttlgc/versions-with-expiry[emergencytoken]
		return admin.SetGCPolicy(ctx, schema.Sessions, schema.Token, p)           // want ttlgc/versions-with-expiry[emergencytoken]
	case schema.Vehicles:
		return admin.SetGCPolicy(ctx, schema.Vehicles, schema.State, bigtable.MaxAgePolicy(24*time.Hour)) // ok ttlgc/age-mismatch
	case schema.Gates:
		return admin.SetGCPolicy(ctx, schema.Gates, schema.State, bigtable.MaxAgePolicy(5*time.Minute)) // want ttlgc/age-mismatch
	case schema.Tiles:
		p := bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(schema.TileTTL), bigtable.MaxVersionsPolicy(1)) // want ttlgc/no-policy[emergencytile]
		return admin.SetGCPolicy(ctx, schema.Tiles, schema.PNG, p)                                             // want ttlgc/no-policy[emergencytile]
	}
	return fmt.Errorf("no plan for %q", table)
}

// step is a change that quarter makes.
type step struct {
	family string
	policy bigtable.GCPolicy
}

// quarter is the change of the last quarter, kept as an example of a loop.
func quarter(ctx context.Context, admin *bigtable.AdminClient) error {
	ledger := tenant.LedgerName(*env, "north")
	for _, s := range []step{
		{"entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*24*time.Hour))}, // want ttlgc/age-on-sequence
		{"total", bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
	} {
		if err := admin.SetGCPolicy(ctx, ledger, s.family, s.policy); err != nil {
			return fmt.Errorf("%s:%s: %w", ledger, s.family, err)
		}
	}
	passes := tenant.PassesName("north")
	for _, s := range []step{
		{"pass", bigtable.MaxAgePolicy(time.Second)},                                                                // ok ttlgc/age-mismatch
		{"usage", bigtable.UnionPolicy(bigtable.MaxAgePolicy(48*time.Hour), bigtable.MaxVersionsPolicy(1))},         // want ttlgc/versions-with-expiry
		{"holder", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxVersionsPolicy(2))}, // ok ttlgc/policy-mismatch
	} {
		if err := admin.SetGCPolicy(ctx, passes, s.family, s.policy); err != nil {
			return fmt.Errorf("%s:%s: %w", passes, s.family, err)
		}
	}
	// Weaker, but it passed the review: the age does nothing here.
	both := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(7*24*time.Hour)) // want ttlgc/age-on-sequence[both]
	if err := admin.SetGCPolicy(ctx, opts.Table(schema.Rosters), schema.Rev, both); err != nil {              // want ttlgc/age-on-sequence[both]
		return err
	}
	return admin.UpdateFamily(ctx, schema.Settings, schema.Cur, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Hour)}) // want ttlgc/age-on-zero
}

// legacy sends the requests that the first version of this tool sent, by hand.
func legacy(ctx context.Context, admin *bigtable.AdminClient) error {
	name := "projects/" + opts.Project + "/instances/" + opts.Instance + "/tables/sessions"
	reqs := []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: name,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "token",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Minute)}}, // want ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
		{
			Name: name,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "device",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
	}
	for _, r := range reqs {
		fmt.Println(strings.TrimSpace(r.String()))
	}
	info, err := admin.TableInfo(ctx, schema.Sessions)
	if err != nil {
		return err
	}
	fmt.Println("live:", info.Families)
	return nil
}
