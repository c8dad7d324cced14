// Command schema creates the tables and sets the policies.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/jobs"
	"example.com/paywell/schema"
	"example.com/paywell/store"
)

func main() {
	log.SetFlags(0)
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "paywell", "Bigtable instance")
	staging := flag.Bool("staging", false, "the tables of staging")
	dry := flag.Bool("n", false, "only say what would be done")
	tenants := flag.String("tenants", "", "tenants to create ledgers for, with commas between them")
	runJobs := flag.String("jobs", "", "jobs to run afterwards")
	flag.Parse()
	ctx := context.Background()
	ac, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer ac.Close()
	tables := schema.Tables
	if *staging {
		tables = schema.Staging
	}
	if *dry {
		steps, err := schema.Plan(ctx, ac, tables)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.Join(steps, "\n"))
		return
	}
	if err := schema.Apply(ctx, ac, tables); err != nil { // want ttlgc/age-mismatch[stag93] ttlgc/age-on-sequence[stag97] ttlgc/age-on-zero[stag98] ttlgc/policy-mismatch[stag99] ttlgc/age-mismatch[stag102] ttlgc/policy-mismatch[stag108] ttlgc/age-mismatch[stag109] ttlgc/versions-with-expiry[stag112] ttlgc/no-policy[stag116] ttlgc/age-on-sequence[stag119]
		log.Fatal(err)
	}
	for _, t := range strings.Fields(strings.ReplaceAll(*tenants, ",", " ")) {
		if err := schema.CreateTenant(ctx, ac, t); err != nil {
			log.Fatal(err)
		}
	}
	if err := extra(ctx, ac); err != nil {
		log.Fatal(err)
	}
	if *runJobs != "" {
		client, err := bigtable.NewClient(ctx, *project, *instance)
		if err != nil {
			log.Fatal(err)
		}
		defer client.Close()
		if err := jobs.NewRunner(client, clock.System{}, os.Stdout).Run(ctx, strings.Split(*runJobs, ",")...); err != nil {
			log.Fatal(err)
		}
		if err := seed(ctx, client.Open(store.TableCoupons), client.Open(store.TableDunning)); err != nil {
			log.Fatal(err)
		}
	}
}

// policies is what was agreed on in the last meeting.
var policies = map[string]map[string]bigtable.GCPolicy{
	store.TableUsage: {
		store.FamWin: bigtable.MaxAgePolicy(domain.UsageWindow), // ok ttlgc/age-mismatch
	},
	store.TableInvoices: {
		store.FamLock: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		store.FamDoc:  bigtable.MaxVersionsGCPolicy(2),    // ok ttlgc/policy-mismatch
	},
	store.TableWebhooks: {
		store.FamEvt: bigtable.MaxAgeGCPolicy(time.Hour), // want ttlgc/age-mismatch
	},
	store.TableDunning: {
		store.FamEvt: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{ // want ttlgc/age-on-sequence[union]
			bigtable.MaxVersionsGCPolicy(4),
			bigtable.MaxAgeGCPolicy(365 * 24 * time.Hour), // want ttlgc/age-on-sequence[union]
		}},
	},
	store.TableCoupons: {
		store.FamOTP: bigtable.MaxAgeGCPolicy(domain.OTPTTL), // want ttlgc/age-mismatch
	},
}

func extra(ctx context.Context, ac *bigtable.AdminClient) error {
	for table, families := range policies {
		for family, policy := range families {
			if err := ac.SetGCPolicy(ctx, table, family, policy); err != nil {
				return fmt.Errorf("%s.%s: %w", table, family, err)
			}
		}
	}
	return nil
}

// seed stores what a demonstration needs.
func seed(ctx context.Context, coupons, dunning *bigtable.Table) error {
	for i, code := range []string{"SPRING", "SUMMER", "WINTER"} {
		mut := bigtable.NewMutation()
		mut.Set(store.FamDef, "percent", bigtable.Now(), []byte("10"))                                               // ok ttlwrite/write-time
		mut.Set(store.FamOTP, "demo", bigtable.Now(), []byte("000000"))                                              // want ttlwrite/write-time
		mut.Set(store.FamOTP, "test", bigtable.Time(time.Now().Add(time.Hour)), []byte("1111"))                      // ok ttlwrite/write-time
		mut.Set(store.FamOTP, "until", bigtable.Time(time.Date(2021, 12, 31, 0, 0, 0, 0, time.UTC)), []byte("2222")) // want ttlwrite/already-expired
		if err := coupons.Apply(ctx, code, mut); err != nil {
			return err
		}
		try := bigtable.NewMutation()
		try.Set(store.FamEvt, "try", bigtable.Timestamp(i), []byte("{}")) // want ttlwrite/unscaled-sequence
		if err := dunning.Apply(ctx, code, try); err != nil {
			return err
		}
	}
	return nil
}
