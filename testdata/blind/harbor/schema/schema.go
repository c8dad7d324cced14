// Package schema creates tables and families. Half of it moved to Terraform and moved back.
package schema

import (
	"context"
	"fmt"
	"log"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/harbor/btutil"
)

const (
	oneSecond = time.Second
	threeDays = 3 * 24 * time.Hour
	week      = 7 * 24 * time.Hour
)

var (
	expiring = bigtable.MaxAgePolicy(oneSecond)
	single   = bigtable.MaxVersionsPolicy(1)
	forever  = bigtable.NoGcPolicy()
)

type familyDef struct {
	name   string
	policy bigtable.GCPolicy
}

// tables is the schema of production.
var tables = map[string][]familyDef{
	"sessions": {
		{"token", bigtable.MaxAgePolicy(time.Second)},     // ok ttlgc/age-mismatch
		{"nonce", bigtable.MaxAgePolicy(5 * time.Minute)}, // want ttlgc/age-mismatch
		{"profile", bigtable.MaxVersionsPolicy(1)},        // ok ttlgc/policy-mismatch
	},
	"locks": {
		{"lease", bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
	},
	"quotes": {
		{"quote", bigtable.MaxAgePolicy(72 * time.Hour)}, // ok ttlgc/age-mismatch
		{"src", bigtable.MaxVersionsPolicy(2)},           // ok ttlgc/policy-mismatch
	},
	"alerts": {
		{"alert", bigtable.MaxAgePolicy(30 * 24 * time.Hour)}, // want ttlgc/age-mismatch
	},
	"manifests": {
		{"rev", bigtable.MaxVersionsPolicy(5)},              // ok ttlgc/policy-mismatch
		{"head", bigtable.NoGcPolicy()},                     // ok ttlgc/no-policy
		{"draft", bigtable.MaxAgeGCPolicy(time.Second)},     // ok ttlgc/age-mismatch
		{"log", bigtable.MaxAgePolicy(90 * 24 * time.Hour)}, // ok ttlgc/policy-mismatch
	},
	"settings": {
		{"kv", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*24*time.Hour))}, // want ttlgc/age-on-zero
	},
	"vessels": {
		{"state", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(week))}, // want ttlgc/age-on-sequence
		{"eta", bigtable.MaxAgePolicy(24 * time.Hour)},                                              // ok ttlgc/age-mismatch
	},
	"gates": {
		{"state", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}, // want ttlgc/versions-with-expiry
	},
}

// Admin is the part of the admin client that is used here.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// Ensure creates what is missing.
func Ensure(ctx context.Context, ac *bigtable.AdminClient, only string, force, quiet bool) error {
	names := make([]string, 0, len(tables))
	for n := range tables {
		if only == "" || n == only {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	have, err := ac.Tables(ctx)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, h := range have {
		set[h] = true
	}
	for _, n := range names {
		if !set[n] {
			if err := ac.CreateTable(ctx, n); err != nil && status.Code(err) != codes.AlreadyExists {
				return fmt.Errorf("create %s: %w", n, err)
			}
		}
		for _, fd := range tables[n] {
			if err := ac.CreateColumnFamily(ctx, n, fd.name); err != nil { // ok ttlgc/no-policy
				if status.Code(err) != codes.AlreadyExists {
					return fmt.Errorf("create %s.%s: %w", n, fd.name, err)
				}
				if !force {
					continue
				}
			}
			if err := ac.SetGCPolicy(ctx, n, fd.name, fd.policy); err != nil {
				return fmt.Errorf("policy %s.%s: %w", n, fd.name, err)
			}
			if !quiet {
				log.Printf("%s.%s: %s", n, fd.name, fd.policy)
			}
		}
	}
	return nil
}

// EnsureLedger makes the ledger of a terminal.
func EnsureLedger(ctx context.Context, ac *bigtable.AdminClient, terminal string, versions int, aged bool) error {
	name := terminal + "-ledger"
	if err := ac.CreateTable(ctx, name); err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	for _, f := range []string{"entry", "memo"} {
		if err := ac.CreateColumnFamily(ctx, name, f); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
			return err
		}
	}
	if aged {
		// terminal 3 wanted to forget after ten years
		return ac.SetGCPolicy(ctx, name, "entry", bigtable.MaxAgePolicy(10*365*24*time.Hour)) // want ttlgc/age-on-sequence
	}
	return ac.SetGCPolicy(ctx, name, "entry", bigtable.MaxVersionsPolicy(3)) // ok ttlgc/policy-mismatch
}

// Terminal4 is a ledger with its own rules.
func Terminal4(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{
		TableID: "t4-ledger",
		Families: map[string]bigtable.GCPolicy{
			"entry": bigtable.MaxVersionsPolicy(1), // want ttlgc/policy-mismatch
			"memo":  bigtable.NoGcPolicy(),         // ok ttlgc/no-policy
		},
	}
	return ac.CreateTableFromConf(ctx, conf)
}

// Terminal5 too.
func Terminal5(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "t5-ledger",
		ColumnFamilies: map[string]bigtable.Family{
			"entry": {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(week))}, // want ttlgc/age-on-sequence
			"memo":  {GCPolicy: bigtable.MaxAgePolicy(365 * 24 * time.Hour)},                                             // ok ttlgc/age-on-sequence
		},
	})
}

// Terminal6 is like the documentation says.
func Terminal6(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "t6-ledger",
		ColumnFamilies: map[string]bigtable.Family{
			"entry": {GCPolicy: bigtable.MaxVersionsGCPolicy(3)}, // ok ttlgc/policy-mismatch
			"memo":  {GCPolicy: forever},                         // ok ttlgc/no-policy
		},
	})
}

// ensureFamily is the wrapper that the migrations use.
func ensureFamily(ctx context.Context, ac Admin, table, family string, policy bigtable.GCPolicy, create bool) error {
	if create {
		if err := ac.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
			return err
		}
	}
	return ac.SetGCPolicy(ctx, table, family, policy)
}

func ttlFamily(ctx context.Context, ac Admin, table, family string, age time.Duration, versions int) error {
	p := bigtable.MaxAgePolicy(age)
	if versions > 0 {
		p = bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(versions), bigtable.MaxAgePolicy(age))
	}
	return ensureFamily(ctx, ac, table, family, p, true)
}

// Migrate2019 and the following are kept for new environments.
func Migrate2019(ctx context.Context, ac Admin) error {
	if err := ac.CreateTable(ctx, "sessions"); err != nil {
		return err
	}
	if err := ttlFamily(ctx, ac, "sessions", "token", time.Second, 0); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ttlFamily(ctx, ac, "sessions", "nonce", time.Second, 1); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return ensureFamily(ctx, ac, "sessions", "profile", single, true) // ok ttlgc/policy-mismatch
}

// Migrate2020 added quotes.
func Migrate2020(ctx context.Context, ac Admin) error {
	steps := []struct {
		table, family string
		age           time.Duration
	}{
		{"quotes", "quote", threeDays},     // ok ttlgc/age-mismatch
		{"alerts", "alert", week},          // ok ttlgc/age-mismatch
		{"vessels", "eta", 24 * time.Hour}, // ok ttlgc/age-mismatch
	}
	for _, s := range steps {
		if err := ensureFamily(ctx, ac, s.table, s.family, bigtable.MaxAgePolicy(s.age), true); err != nil {
			return fmt.Errorf("%s.%s: %w", s.table, s.family, err)
		}
	}
	return ensureFamily(ctx, ac, "quotes", "src", bigtable.MaxVersionsPolicy(10), true) // want ttlgc/policy-mismatch
}

// Migrate2021 raised some ages "to be safe".
func Migrate2021(ctx context.Context, ac *bigtable.AdminClient, replicated bool) error {
	if replicated {
		if err := ac.SetGCPolicyWithOptions(ctx, "quotes", "quote", bigtable.MaxAgePolicy(7*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
			return err
		}
	} else if err := ac.SetGCPolicyWithOptions(ctx, "quotes", "quote", bigtable.MaxAgePolicy(threeDays)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicy(ctx, "locks", "lease", expiring); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicy(ctx, "manifests", "draft", expiring); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return ac.SetGCPolicy(ctx, "manifests", "rev", single) // want ttlgc/policy-mismatch
}

// Migrate2022 turned off collection for the auditors.
func Migrate2022(ctx context.Context, ac *bigtable.AdminClient, off bool) error {
	for _, f := range []string{"token", "nonce"} {
		if off {
			if err := ac.SetGCPolicy(ctx, "sessions", f, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
				return err
			}
		}
	}
	if err := ac.SetGCPolicy(ctx, "settings", "kv", forever); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := ac.SetGCPolicy(ctx, "settings", "kv", bigtable.MaxAgePolicy(90*24*time.Hour)); err != nil { // want ttlgc/age-on-zero
		return err
	}
	return ac.SetGCPolicy(ctx, "alerts", "alert", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(week), bigtable.MaxVersionsPolicy(1))) // want ttlgc/no-policy
}

// Migrate2023 made gates.
func Migrate2023(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, "gates"); err != nil {
		return err
	}
	if err := ac.CreateColumnFamilyWithConfig(ctx, "gates", "state", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.CreateColumnFamilyWithConfig(ctx, "vessels", "state", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return ac.CreateColumnFamily(ctx, "vessels", "eta") // want ttlgc/no-policy
}

// Captcha makes the table of the captchas; it is not in the registry yet.
func Captcha(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "captchas",
		ColumnFamilies: map[string]bigtable.Family{
			"answer": {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			"stats":  {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	})
}

// Warehouse has families with familiar names. It is another team's table, with ordinary data.
func Warehouse(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "warehouse",
		ColumnFamilies: map[string]bigtable.Family{
			"token": {GCPolicy: bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
			"entry": {GCPolicy: bigtable.MaxAgePolicy(730 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
			"quote": {GCPolicy: bigtable.NoGcPolicy()},                       // ok ttlgc/no-policy
		},
	})
}

// Scratch is for load tests. The ages are a year, it says.
func Scratch(ctx context.Context, ac *bigtable.AdminClient, days int) error {
	fams := map[string]bigtable.GCPolicy{
		"a": bigtable.MaxAgePolicy(86400),                                // want ttlunit/age-unit
		"b": bigtable.MaxAgePolicy(365 * 24 * 3600),                      // want ttlunit/age-unit
		"c": bigtable.MaxAgePolicy(86400 * time.Second),                  // ok ttlunit/age-unit
		"d": bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour), // ok ttlunit/age-unit
		"e": bigtable.MaxAgePolicy(-time.Hour),                           // want ttlunit/age-unit
		"f": bigtable.MaxAgePolicy(500 * time.Microsecond),               // want ttlunit/age-unit
		"g": bigtable.MaxAgePolicy(2 * time.Hour),                        // ok ttlunit/age-unit
	}
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "scratch", Families: fams})
}

// Raw sets policies with the generated messages, for the tool that plans.
func Raw(parent string, years int) []*adminpb.ModifyColumnFamiliesRequest {
	versions := func(n int32) *adminpb.GcRule {
		return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
	}
	_ = versions
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: parent + "/tables/sessions",
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "token",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
		{
			Name: parent + "/tables/quotes",
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "quote",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(14 * 24 * time.Hour)}}, // want ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			}},
		},
	}
}

// Describe prints the schema.
func Describe() string {
	var b strings.Builder
	names := make([]string, 0, len(tables))
	for n := range tables {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(&b, "%s\n", n)
		for _, f := range tables[n] {
			fmt.Fprintf(&b, "  %-10s %v\n", f.name, f.policy)
		}
	}
	fmt.Fprintf(&b, "%d tables, lifetimes %s %s\n", len(names), btutil.QuoteTTL, btutil.AlertTTL)
	return b.String()
}
