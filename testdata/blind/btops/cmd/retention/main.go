// retention is the yearly review of what is kept how long: it prints what
// every table keeps, and carries out what legal wrote down.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	adminapi "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/report"
	"github.com/tramway/btops/internal/schema"
)

const day = 24 * time.Hour

var (
	opts   btx.Options
	format = flag.String("format", "text", "text, csv or json")
	yes    = flag.Bool("yes", false, "do not ask")
)

// decision is what legal wrote.
type decision struct {
	table    string
	family   string
	days     int
	versions int
}

// The decisions of 2026. Families with neither number stay as they are.
var decisions = []decision{
	{"journeys", "meta", 400, 0},
	{"vehicles", "state", 30, 0},
	{"audit", "event", 90, 0},
	{"audit", "actor", 0, 1},
	{"newsletter", "person", 730, 0},
}

// rules are what is not a number of days.
var rules = map[string]bigtable.GCPolicy{
	"token": bigtable.MaxAgePolicy(time.Second),                                                     // ok ttlgc/age-mismatch
	"code":  bigtable.MaxAgeGCPolicy(10 * time.Minute),                                              // want ttlgc/age-mismatch[rulecode]
	"rev":   bigtable.MaxVersionsGCPolicy(3),                                                        // ok ttlgc/policy-mismatch
	"entry": bigtable.MaxAgePolicy(7 * 365 * day),                                                   // want ttlgc/age-on-sequence[ruleentry]
	"total": bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(day)), // ok ttlgc/age-on-zero
	"usage": bigtable.MaxAgePolicy(2 * day),                                                         // ok ttlgc/age-mismatch
	"cur":   bigtable.MaxAgePolicy(10 * 365 * day),                                                  // want ttlgc/age-on-zero[rulecur]
	"png":   bigtable.UnionPolicy(bigtable.MaxAgePolicy(6 * time.Hour)),                             // ok ttlgc/age-mismatch ttlgc/versions-with-expiry
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	admin, err := opts.Admin(ctx)
	btx.Fatal(err)
	defer admin.Close()
	switch flag.Arg(0) {
	case "show":
		err = show(ctx, admin)
	case "decide":
		err = decide(ctx, admin)
	case "rules":
		err = apply(ctx, admin)
	case "replicated":
		err = replicated(ctx, admin)
	case "types":
		err = types()
	case "restore":
		err = restore(ctx, admin)
	default:
		err = errors.New("show, decide, rules, replicated, types or restore?")
	}
	btx.Fatal(err)
}

func show(ctx context.Context, admin *bigtable.AdminClient) error {
	out, err := report.Open(os.Stdout, *format)
	if err != nil {
		return err
	}
	defer out.Close()
	out.Header("table", "family", "policy")
	tables, err := admin.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		info, err := admin.TableInfo(ctx, t)
		if err != nil {
			return err
		}
		for _, f := range info.FamilyInfos {
			out.Row(t, f.Name, f.GCPolicy)
		}
	}
	return nil
}

// policy is what a decision means.
func (d decision) policy() bigtable.GCPolicy {
	switch {
	case d.days > 0 && d.versions > 0:
		return bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Duration(d.days)*day), bigtable.MaxVersionsPolicy(d.versions))
	case d.days > 0:
		return bigtable.MaxAgePolicy(time.Duration(d.days) * day) // ok ttlgc/age-mismatch ttlunit/age-unit
	case d.versions > 0:
		return bigtable.MaxVersionsPolicy(d.versions) // ok ttlgc/policy-mismatch
	}
	return nil
}

func decide(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, d := range decisions {
		p := d.policy()
		if p == nil {
			continue
		}
		if !*yes && !btx.Confirm("%s:%s becomes %s?", d.table, d.family, p) {
			continue
		}
		if err := admin.SetGCPolicy(ctx, d.table, d.family, p); err != nil { // ok ttlgc/policy-mismatch
			return fmt.Errorf("%s:%s: %w", d.table, d.family, err)
		}
	}
	return nil
}

// having lists the tables that have a family.
func having(ctx context.Context, admin *bigtable.AdminClient, family string) ([]string, error) {
	tables, err := admin.Tables(ctx)
	if err != nil {
		return nil, err
	}
	var some []string
	for _, t := range tables {
		if strings.HasPrefix(t, "scratch") {
			continue
		}
		info, err := admin.TableInfo(ctx, t)
		if err != nil {
			return nil, err
		}
		if slices.Contains(info.Families, family) {
			some = append(some, t)
		}
	}
	return some, nil
}

// apply sets the rules wherever there is such a family.
func apply(ctx context.Context, admin *bigtable.AdminClient) error {
	for f, p := range rules {
		tables, err := having(ctx, admin, f)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := admin.SetGCPolicy(ctx, t, f, p); err != nil { // want ttlgc/age-mismatch[rulecode] ttlgc/age-on-sequence[ruleentry] ttlgc/age-on-zero[rulecur]
				return fmt.Errorf("%s:%s: %w", t, f, err)
			}
		}
	}
	return nil
}

// replicated raises ages on tables that have two clusters.
func replicated(ctx context.Context, admin *bigtable.AdminClient) error {
	ignore := bigtable.IgnoreWarnings()
	if err := admin.SetGCPolicyWithOptions(ctx, "journeys", "leg", bigtable.MaxAgePolicy(60*day), ignore); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicyWithOptions(ctx, "journeys", "leg", bigtable.MaxAgePolicy(30*day), ignore); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicyWithOptions(ctx, "sessions", "device", bigtable.MaxAgePolicy(day), ignore); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, "sessions", "profile", bigtable.MaxAgePolicy(800*day)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, "rosters", "rev", bigtable.MaxVersionsPolicy(30)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, "rosters", "rev", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(2*365*day))); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, "audit", "event", bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return admin.SetGCPolicy(ctx, "locks", "lease", bigtable.MaxAgePolicy(time.Millisecond)) // ok ttlgc/age-mismatch
}

// types prints the messages that the console takes.
func types() error {
	msgs := []*adminapi.ColumnFamily{
		{GcRule: &adminapi.GcRule{Rule: &adminapi.GcRule_MaxNumVersions{MaxNumVersions: 1}}},
		{GcRule: &adminapi.GcRule{Rule: &adminapi.GcRule_MaxAge{MaxAge: durationpb.New(30 * day)}}},
	}
	for _, m := range msgs {
		fmt.Println(m)
	}
	return nil
}

// restore prints the requests with which families get their value types back.
func restore(ctx context.Context, admin *bigtable.AdminClient) error {
	parent := fmt.Sprintf("projects/%s/instances/%s/tables/", opts.Project, opts.Instance)
	reqs := []*adminapi.ModifyColumnFamiliesRequest{
		{
			Name: parent + "stats",
			Modifications: []*adminapi.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[restorestats]
				Id:  "hourly",                                                                                                         // want ttlgc/empty-mask[restorestats]
				Mod: &adminapi.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminapi.ColumnFamily{ValueType: int64Sum()}}, // want ttlgc/empty-mask[restorestats]
			}},
		},
		{
			Name: parent + "stats",
			Modifications: []*adminapi.ModifyColumnFamiliesRequest_Modification{{ // ok ttlgc/empty-mask
				Id:         "hourly",
				Mod:        &adminapi.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminapi.ColumnFamily{ValueType: int64Sum()}}, // ok ttlgc/empty-mask
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
			}},
		},
		{
			Name: parent + "journeys",
			Modifications: []*adminapi.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/no-policy[restoreleg]
				Id:  "leg",                                                                                       // want ttlgc/no-policy[restoreleg]
				Mod: &adminapi.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminapi.ColumnFamily{}}, // want ttlgc/no-policy[restoreleg]
			}},
		},
		{
			Name: parent + "journeys",
			Modifications: []*adminapi.ModifyColumnFamiliesRequest_Modification{{
				Id:  "meta",
				Mod: &adminapi.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminapi.ColumnFamily{}}, // ok ttlgc/no-policy
			}},
		},
	}
	for _, r := range reqs {
		fmt.Println(r)
	}
	_, err := admin.TableInfo(ctx, schema.Journeys)
	return err
}

func int64Sum() *adminapi.Type {
	return &adminapi.Type{Kind: &adminapi.Type_AggregateType{AggregateType: &adminapi.Type_Aggregate{
		Aggregator: &adminapi.Type_Aggregate_Sum_{Sum: &adminapi.Type_Aggregate_Sum{}},
	}}}
}
