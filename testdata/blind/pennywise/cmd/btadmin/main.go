// Command btadmin creates tables and sets GC policies.
//
//	btadmin create            all tables of this environment
//	btadmin gc                set the policies again
//	btadmin migrate NAME      one of the migrations below
//	btadmin show              what is there
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
)

const (
	second = time.Second
	day    = 24 * time.Hour
	week   = 7 * day
)

var regions = []string{"eu", "us", "ap"}

// schema is what "create" makes. Keep it in step with the wiki.
var schema = []struct {
	table    string
	families map[string]bigtable.GCPolicy
}{
	{bt.TableLogin, map[string]bigtable.GCPolicy{
		bt.FamSess: bigtable.MaxAgePolicy(second),          // ok ttlgc/age-mismatch
		bt.FamOtp:  bigtable.MaxAgePolicy(5 * time.Minute), // want ttlgc/age-mismatch
		bt.FamWho:  bigtable.MaxVersionsPolicy(3),          // ok ttlgc/policy-mismatch
	}},
	{bt.TableCarts, map[string]bigtable.GCPolicy{
		bt.FamItem: bigtable.MaxAgePolicy(2 * week), // ok ttlgc/age-mismatch
		bt.FamHold: bigtable.MaxAgePolicy(second),   // ok ttlgc/age-mismatch
		bt.FamMeta: bigtable.MaxVersionsPolicy(1),   // ok ttlgc/policy-mismatch
	}},
	{bt.TablePrices, map[string]bigtable.GCPolicy{
		bt.FamTick: bigtable.MaxVersionsPolicy(5),   // ok ttlgc/policy-mismatch
		bt.FamLast: bigtable.MaxVersionsPolicy(1),   // ok ttlgc/age-on-zero
		bt.FamSrc:  bigtable.MaxAgePolicy(30 * day), // ok ttlgc/policy-mismatch
	}},
	{bt.TableSettings, map[string]bigtable.GCPolicy{
		bt.FamFlag:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*day)), // want ttlgc/age-on-zero
		bt.FamDraft: bigtable.MaxAgePolicy(week),                                                         // ok ttlgc/age-mismatch
		bt.FamHist:  bigtable.MaxVersionsPolicy(10),                                                      // ok ttlgc/policy-mismatch
	}},
	{bt.TableDevices, map[string]bigtable.GCPolicy{
		bt.FamBeat: bigtable.MaxAgePolicy(3 * day),          // ok ttlgc/age-mismatch
		bt.FamCmd:  bigtable.MaxAgePolicy(time.Millisecond), // ok ttlgc/age-mismatch
		bt.FamRaw:  bigtable.MaxAgePolicy(90 * day),         // ok ttlgc/policy-mismatch
	}},
	{bt.TableNotify, map[string]bigtable.GCPolicy{
		bt.FamPend: bigtable.UnionPolicy(bigtable.MaxAgePolicy(second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
		bt.FamSeen: bigtable.MaxAgePolicy(30 * day),                                                    // ok ttlgc/age-mismatch
		bt.FamSeq:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(90*day)), // want ttlgc/age-on-sequence
		bt.FamItem: bigtable.MaxAgePolicy(90 * day),                                                    // ok ttlgc/age-mismatch
	}},
	{bt.TableSearch, map[string]bigtable.GCPolicy{
		bt.FamItem: bigtable.MaxAgePolicy(week),          // ok ttlgc/age-mismatch
		bt.FamSess: bigtable.MaxAgePolicy(2 * time.Hour), // ok ttlgc/age-mismatch
	}},
}

// auditFamilies are the same in all regions.
var auditFamilies = map[string]bigtable.Family{
	"entry": {GCPolicy: bigtable.MaxVersionsPolicy(1)},         // ok ttlgc/policy-mismatch
	"state": {GCPolicy: bigtable.NoGcPolicy()},                 // ok ttlgc/no-policy
	"note":  {GCPolicy: bigtable.MaxAgePolicy(10 * 365 * day)}, // ok ttlgc/age-on-sequence
}

func main() {
	log.SetFlags(0)
	yes := flag.Bool("yes", false, "do not ask")
	flag.Parse()
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, os.Getenv("BT_PROJECT"), os.Getenv("BT_INSTANCE"))
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	switch flag.Arg(0) {
	case "create":
		err = create(ctx, admin)
	case "gc":
		if !*yes {
			log.Fatal("this deletes data: -yes")
		}
		err = setPolicies(ctx, admin)
	case "migrate":
		f, ok := migrations[flag.Arg(1)]
		if !ok {
			log.Fatalf("no such migration: %s", flag.Arg(1))
		}
		err = f(ctx, admin)
	case "show":
		err = show(ctx, admin)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// create makes the tables that are missing.
func create(ctx context.Context, admin *bigtable.AdminClient) error {
	have, err := admin.Tables(ctx)
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, t := range have {
		exists[t] = true
	}
	for _, t := range schema {
		if exists[t.table] {
			continue
		}
		if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: t.table, Families: t.families}); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
		log.Printf("created %s", t.table)
	}
	for _, r := range regions {
		if exists[r+"-audit"] {
			continue
		}
		conf := bigtable.TableConf{TableID: r + "-audit", ColumnFamilies: auditFamilies, DeletionProtection: bigtable.Protected}
		if err := admin.CreateTableFromConf(ctx, &conf); err != nil {
			return fmt.Errorf("%s-audit: %w", r, err)
		}
	}
	return nil
}

// setPolicies sets them again, for tables that were made by hand.
func setPolicies(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, t := range schema {
		for fam, policy := range t.families {
			if err := admin.SetGCPolicy(ctx, t.table, fam, policy); err != nil {
				return fmt.Errorf("%s.%s: %w", t.table, fam, err)
			}
		}
	}
	return nil
}

// ensure makes a family and sets its policy.
func ensure(ctx context.Context, admin *bigtable.AdminClient, table, fam string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, fam); err != nil && !strings.Contains(err.Error(), "exists") { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, table, fam, policy)
}

// show prints the families and their policies.
func show(ctx context.Context, admin *bigtable.AdminClient) error {
	tables, err := admin.Tables(ctx)
	if err != nil {
		return err
	}
	sort.Strings(tables)
	for _, t := range tables {
		info, err := admin.TableInfo(ctx, t)
		if err != nil {
			return err
		}
		for _, f := range info.FamilyInfos {
			fmt.Printf("%-20s %-10s %s\n", t, f.Name, f.GCPolicy)
		}
	}
	return nil
}
