// Command migrate sets the tables up and changes them, one step at a time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/names"
	"skyward.example/dal/schema"
)

type step struct {
	name string
	run  func(context.Context, *bigtable.AdminClient) error
}

var steps = []step{
	{"ensure", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return schema.Ensure(ctx, ac, slog.Default())
	}},
	{"flights-eu", flightsEU},
	{"holds-eu", holdsEU},
	{"quotes-eu", quotesEU},
	{"leases-eu", leasesEU},
	{"regional", regional},
	{"trim", trim},
}

func main() {
	project := flag.String("project", os.Getenv("BT_PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("BT_INSTANCE"), "instance")
	only := flag.String("step", "", "step to run")
	flag.Parse()
	ctx := context.Background()
	ac, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		fmt.Fprintln(os.Stderr, "migrate:", err)
		os.Exit(1)
	}
	defer ac.Close()
	for _, s := range steps {
		if *only != "" && *only != s.name {
			continue
		}
		slog.Info("step", "name", s.name)
		if err := s.run(ctx, ac); err != nil {
			fmt.Fprintln(os.Stderr, "migrate:", s.name, err)
			os.Exit(1)
		}
	}
}

func flightsEU(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.OpenTable(ctx, ac, names.TableFlights, names.FamRev, 5, 0); err != nil { // ok ttlgc/policy-mismatch ttlgc/age-on-sequence
		return err
	}
	return schema.OpenTable(ctx, ac, names.TableBags, names.FamTally, 1, 90*24*time.Hour) // want ttlgc/age-on-sequence
}

func holdsEU(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.OpenTable(ctx, ac, names.TableHolds, names.FamHold, 0, time.Second); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return schema.OpenTable(ctx, ac, names.TableCheckin, names.FamWindow, 0, time.Minute) // want ttlgc/age-mismatch
}

func quotesEU(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.OpenTable(ctx, ac, names.TableQuotes, names.FamPrice, 0, 30*time.Minute); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return schema.SetAge(ctx, ac, names.TableQuotes, names.FamPrice, names.QuoteFor) // ok ttlgc/age-mismatch
}

func leasesEU(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.SetAge(ctx, ac, names.TableLeases, names.FamLease, time.Millisecond); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return schema.SetVersions(ctx, ac, names.TableCheckin, names.FamPass, 1) // want ttlgc/no-policy
}

// regional tables, table to family to policy.
func regional(ctx context.Context, ac *bigtable.AdminClient) error {
	policies := map[string]map[string]bigtable.GCPolicy{
		names.TableFlights: {
			names.FamRev:  bigtable.MaxVersionsGCPolicy(5),                                                                                                 // ok ttlgc/policy-mismatch
			names.FamGate: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(1), bigtable.MaxAgeGCPolicy(48 * time.Hour)}}, // want ttlgc/age-on-zero
		},
		names.TableBags: {
			names.FamHold: bigtable.MaxAgeGCPolicy(48 * time.Hour),  // ok ttlgc/age-mismatch
			names.FamScan: bigtable.MaxAgeGCPolicy(720 * time.Hour), // ok ttlgc/policy-mismatch
		},
		names.TableHolds: {
			names.FamHold: bigtable.MaxAgeGCPolicy(names.HoldFor), // want ttlgc/age-mismatch
			names.FamSeat: bigtable.MaxVersionsGCPolicy(1),        // ok ttlgc/no-policy
		},
	}
	for table, fams := range policies {
		for fam, p := range fams {
			if err := ac.SetGCPolicy(ctx, table, fam, p); err != nil {
				return fmt.Errorf("%s.%s: %w", table, fam, err)
			}
		}
	}
	return nil
}

func trim(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.SetVersions(ctx, ac, names.TableQuotes, names.FamFare, 3); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := schema.SetVersions(ctx, ac, names.TableBags, names.FamTally, 10); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return schema.SetAge(ctx, ac, names.TableBags, names.FamScan, 24*time.Hour) // want ttlgc/policy-mismatch
}
