// schema creates tables and applies GC policies.
//
//	schema plan | apply [-only table] | bootstrap | raise-holds | fix-mask | show TABLE
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"acme.test/opskit/kit"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

type spec struct {
	table  string
	family string
	policy bigtable.GCPolicy
	note   string
}

// plan is the schema. Reviewed with payments-core on 2024-03-11, changed a few times since.
var plan = []spec{
	{"payments", "hold", bigtable.MaxAgePolicy(time.Second), ""},                                                                              // ok ttlgc/age-mismatch
	{"payments", "idem", bigtable.MaxAgePolicy(24 * time.Hour), "keys are good for a day"},                                                    // want ttlgc/age-mismatch
	{"payments", "detail", bigtable.MaxVersionsPolicy(1), ""},                                                                                 // ok ttlgc/policy-mismatch
	{"sessions", "token", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), "one token a device"},      // want ttlgc/versions-with-expiry
	{"sessions", "profile", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(2*year)), ""},                           // ok ttlgc/policy-mismatch
	{"cards", "otp", bigtable.MaxAgeGCPolicy(time.Millisecond), ""},                                                                           // ok ttlgc/age-mismatch
	{"cards", "vault", bigtable.MaxVersionsPolicy(1), ""},                                                                                     // ok ttlgc/age-on-zero
	{"cards", "audit", bigtable.MaxAgePolicy(30 * day), "DPO asked for less"},                                                                 // want ttlgc/policy-mismatch
	{"rates", "quote", bigtable.MaxAgePolicy(kit.QuoteTTL), ""},                                                                               // ok ttlgc/age-mismatch
	{"rates", "curve", bigtable.MaxVersionsPolicy(3), ""},                                                                                     // ok ttlgc/policy-mismatch
	{"webhooks", "delivery", bigtable.MaxAgePolicy(7 * day), "support wants a week"},                                                          // want ttlgc/age-mismatch
	{"webhooks", "attempt", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(10), bigtable.MaxAgePolicy(kit.DeliverBy)), "goes with delivery"}, // want ttlgc/age-on-sequence
	{"webhooks", "target", bigtable.MaxVersionsPolicy(2), ""},                                                                                 // ok ttlgc/policy-mismatch
	{"eu-ledger", "entry", bigtable.MaxVersionsPolicy(5), ""},                                                                                 // ok ttlgc/policy-mismatch
	{"eu-ledger", "balance", bigtable.MaxVersionsPolicy(1), ""},                                                                               // ok ttlgc/age-on-zero
	{"us-ledger", "entry", bigtable.MaxVersionsPolicy(3), "US keeps less"},                                                                    // want ttlgc/policy-mismatch
	{"us-ledger", "balance", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(year)), "closed accounts"},             // want ttlgc/age-on-zero
	{"ap-ledger", "entry", bigtable.MaxAgePolicy(90 * day), "copied from disputes"},                                                           // want ttlgc/age-on-sequence
	{"ap-ledger", "balance", bigtable.MaxVersionsGCPolicy(1), ""},                                                                             // ok ttlgc/age-on-zero
	{"ap-ledger", "meta", bigtable.MaxAgePolicy(2 * year), ""},                                                                                // ok ttlgc/age-on-sequence
	{"disputes", "entry", bigtable.MaxAgePolicy(180 * day), ""},                                                                               // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
	{"disputes", "note", bigtable.NoGcPolicy(), ""},                                                                                           // ok ttlgc/no-policy
	{"velocity", "window", bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), "keep one"},        // want ttlgc/no-policy
	{"velocity", "cap", bigtable.MaxVersionsPolicy(1), ""},                                                                                    // ok ttlgc/age-on-zero
	{"payments_archive", "hold", bigtable.MaxAgePolicy(7 * year), "regulator"},                                                                // ok ttlgc/age-mismatch
	{"payments_archive", "entry", bigtable.MaxAgePolicy(10 * year), "regulator"},                                                              // ok ttlgc/age-on-sequence
}

var only = flag.String("only", "", "one table")

func main() {
	kit.Main("schema", run, nil)
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) == 0 {
		return kit.Usage("schema plan|apply|bootstrap|raise-holds|region REGION|fix-mask|show TABLE")
	}
	switch args[0] {
	case "plan":
		return printPlan()
	case "apply":
		return apply(ctx, e)
	case "bootstrap":
		if err := bootstrap(ctx, e.Admin); err != nil {
			return err
		}
		return bootstrapDev(ctx, e.Admin)
	case "raise-holds":
		return raiseHolds(ctx, e)
	case "region":
		if len(args) < 2 {
			return kit.Usage("schema region REGION")
		}
		return newRegion(ctx, e, args[1])
	case "fix-mask":
		_, err := fixMask(e, "core")
		return err
	case "show":
		if len(args) < 2 {
			return kit.Usage("schema show TABLE")
		}
		return show(ctx, e, args[1])
	default:
		return kit.Usage("unknown command %q", args[0])
	}
}

func printPlan() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, s := range plan {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.table, s.family, s.policy, s.note)
	}
	return w.Flush()
}

func apply(ctx context.Context, e *kit.Env) error {
	var failed []string
	for _, s := range plan {
		if *only != "" && s.table != *only {
			continue
		}
		if e.DryRun {
			e.Log.Info("would set", "table", s.table, "family", s.family, "policy", s.policy.String())
			continue
		}
		err := kit.Retry(ctx, 3, func() error {
			return e.Admin.SetGCPolicy(ctx, s.table, s.family, s.policy)
		})
		if err != nil {
			e.Log.Error("set policy", "table", s.table, "family", s.family, "err", err)
			failed = append(failed, s.table+"/"+s.family)
			continue
		}
		kit.Counters.Add("policies_set", 1)
	}
	if len(failed) > 0 {
		return fmt.Errorf("not set: %s", strings.Join(failed, ", "))
	}
	return nil
}

// bootstrap makes the tables of a new instance.
func bootstrap(ctx context.Context, ac *bigtable.AdminClient) error {
	confs := []*bigtable.TableConf{
		{
			TableID: kit.TablePayments,
			ColumnFamilies: map[string]bigtable.Family{
				kit.FamHold:   {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
				kit.FamIdem:   {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
				kit.FamDetail: {},                                             // ok ttlgc/no-policy
			},
		},
		{
			TableID: kit.TableSessions,
			ColumnFamilies: map[string]bigtable.Family{
				kit.FamToken:   {},                                        // want ttlgc/no-policy
				kit.FamProfile: {GCPolicy: bigtable.MaxVersionsPolicy(3)}, // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID:   kit.TableRates,
			SplitKeys: []string{"EUR", "GBP", "USD"},
			ColumnFamilies: map[string]bigtable.Family{
				kit.FamQuote: {GCPolicy: bigtable.MaxAgePolicy(12 * time.Hour)},                                                  // want ttlgc/age-mismatch
				kit.FamCurve: {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(day))}, // want ttlgc/age-on-sequence
			},
		},
		{
			TableID: kit.TableWebhooks,
			ColumnFamilies: map[string]bigtable.Family{
				kit.FamDelivery: {GCPolicy: bigtable.MaxAgePolicy(kit.DeliverBy)}, // ok ttlgc/age-mismatch
				kit.FamAttempt:  {GCPolicy: bigtable.MaxVersionsPolicy(10)},       // ok ttlgc/policy-mismatch
				kit.FamTarget:   {GCPolicy: bigtable.MaxVersionsPolicy(2)},        // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID: kit.TableVelocity,
			Families: map[string]bigtable.GCPolicy{
				kit.FamWindow: bigtable.MaxAgePolicy(kit.WindowTTL), // want ttlgc/age-mismatch
				kit.FamCap:    bigtable.MaxVersionsPolicy(1),        // ok ttlgc/age-on-zero
			},
		},
	}
	for _, c := range confs {
		if err := ac.CreateTableFromConf(ctx, c); err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("create %s: %w", c.TableID, err)
		}
	}
	return nil
}

// bootstrapDev makes what only dev and sandbox have.
func bootstrapDev(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, "cards"); err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	for _, fam := range []string{"vault", "audit"} {
		if err := ensureFamily(ctx, ac, "cards", fam, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
			return err
		}
	}
	if err := ensureFamily(ctx, ac, "cards", "otp", bigtable.MaxAgePolicy(time.Second)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.CreateColumnFamily(ctx, "eu-ledger", "entry"); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := ac.CreateColumnFamily(ctx, "eu-ledger", "meta"); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := ac.CreateColumnFamilyWithConfig(ctx, "eu-ledger", "balance", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(2 * year)}); err != nil { // want ttlgc/age-on-zero
		return err
	}
	// Load tests write to their own table, same families, real timestamps.
	if err := ac.CreateTable(ctx, "loadtest"); err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, "loadtest", "hold"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ac.SetGCPolicy(ctx, "loadtest", "token", bigtable.MaxAgePolicy(86400)) // want ttlunit/age-unit
}

func ensureFamily(ctx context.Context, ac *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	err := ac.CreateColumnFamily(ctx, table, family) // ok ttlgc/no-policy
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	return ac.SetGCPolicy(ctx, table, family, p)
}

// raiseHolds was for Black Friday.
func raiseHolds(ctx context.Context, e *kit.Env) error {
	opts := []bigtable.GCPolicyOption{bigtable.IgnoreWarnings()}
	if err := e.Admin.SetGCPolicyWithOptions(ctx, kit.TablePayments, kit.FamHold, bigtable.MaxAgePolicy(30*time.Minute), opts...); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := e.Admin.SetGCPolicyWithOptions(ctx, kit.TableDisputes, kit.FamEntry, bigtable.MaxAgePolicy(4320*time.Hour), opts...); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return e.Admin.UpdateFamily(ctx, kit.TableWebhooks, kit.FamDelivery, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(3 * day)}) // ok ttlgc/age-mismatch
}

// newRegion makes the ledger of a region.
func newRegion(ctx context.Context, e *kit.Env, region string) error {
	table := region + "-ledger"
	if err := e.Admin.CreateTable(ctx, table); err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	families := map[string]bigtable.GCPolicy{
		kit.FamBalance: bigtable.MaxVersionsPolicy(1), // ok ttlgc/age-on-zero
		kit.FamMeta:    bigtable.MaxVersionsPolicy(2), // ok ttlgc/policy-mismatch
	}
	names := make([]string, 0, len(families))
	for f := range families {
		names = append(names, f)
	}
	sort.Strings(names)
	var errs []error
	for _, f := range names {
		errs = append(errs, ensureFamily(ctx, e.Admin, table, f, families[f]))
	}
	return errors.Join(errs...)
}

// fixMask is left over from the incident of June; the admin API client of then had no UpdateFamily.
func fixMask(e *kit.Env, instance string) (*adminpb.ModifyColumnFamiliesRequest, error) {
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/acme-prod/instances/" + instance + "/tables/payments",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: "hold",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // want ttlgc/age-mismatch[rawage]
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}, // want ttlgc/age-mismatch[rawage]
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{
				Id: "idem",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{ // want ttlgc/empty-mask[rawmask]
				Id:  "detail",                                                                                  // want ttlgc/empty-mask[rawmask]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[rawmask]
			},
		},
	}
	if e.DryRun {
		fmt.Fprintln(os.Stderr, req.String())
	}
	return req, nil
}

func show(ctx context.Context, e *kit.Env, table string) error {
	info, err := e.Admin.TableInfo(ctx, table)
	if err != nil {
		return err
	}
	for _, f := range info.FamilyInfos {
		fmt.Printf("%s\t%s\n", f.Name, f.GCPolicy)
	}
	return nil
}
