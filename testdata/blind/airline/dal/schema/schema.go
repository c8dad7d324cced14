// Package schema creates and repairs the airline's tables.
package schema

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/names"
)

const day = 24 * time.Hour

// Family is a line of the catalogue.
type Family struct {
	Table, Name string
	Policy      bigtable.GCPolicy
	Since       string
}

// Catalogue is the schema since 2023. Review by the data platform team only.
var Catalogue = []Family{
	{names.TableHolds, names.FamHold, bigtable.MaxAgePolicy(time.Second), "2019"}, // ok ttlgc/age-mismatch
	{names.TableHolds, names.FamSeat, bigtable.MaxVersionsPolicy(3), "2019"},
	{names.TableCheckin, names.FamWindow, bigtable.MaxAgePolicy(time.Second), "2020"},    // ok ttlgc/age-mismatch
	{names.TableCheckin, names.FamPass, bigtable.MaxAgePolicy(30 * time.Hour), "2020"},   // want ttlgc/age-mismatch
	{names.TableCheckin, names.FamPax, bigtable.MaxAgePolicy(90 * day), "2020"},          // ok ttlgc/policy-mismatch
	{names.TableFlights, names.FamRev, bigtable.MaxVersionsPolicy(5), "2019"},            // ok ttlgc/policy-mismatch
	{names.TableFlights, names.FamGate, bigtable.MaxVersionsPolicy(1), "2021"},           // ok ttlgc/age-on-zero
	{names.TableFlights, names.FamOps, bigtable.MaxAgePolicy(14 * day), "2021"},          // ok ttlgc/age-on-sequence
	{names.TableQuotes, names.FamPrice, bigtable.MaxAgePolicy(time.Hour), "2021"},        // want ttlgc/age-mismatch
	{names.TableQuotes, names.FamFare, bigtable.MaxVersionsPolicy(3), "2021"},            // ok ttlgc/policy-mismatch
	{names.TableBags, names.FamScan, bigtable.MaxAgePolicy(30 * day), "2022"},            // ok ttlgc/policy-mismatch
	{names.TableBags, names.FamHold, bigtable.MaxAgePolicy(365 * day), "2022"},           // ok ttlgc/age-mismatch
	{names.TableBags, names.FamTally, bigtable.MaxAgePolicy(60 * day), "2022"},           // want ttlgc/age-on-sequence
	{names.TableLeases, names.FamLease, bigtable.MaxAgePolicy(time.Millisecond), "2022"}, // ok ttlgc/age-mismatch ttlunit/age-unit
	{names.TableLeases, names.FamOwner, bigtable.MaxVersionsPolicy(1), "2022"},
	{names.TableRoster, names.FamRev, bigtable.MaxAgePolicy(400 * day), "2023"}, // ok ttlgc/age-on-sequence
	{names.TableRoster, names.FamHold, bigtable.MaxAgePolicy(7 * day), "2023"},  // ok ttlgc/age-mismatch
}

// Ensure creates what is missing and sets every policy of the catalogue.
func Ensure(ctx context.Context, ac *bigtable.AdminClient, log *slog.Logger) error {
	have := map[string]bool{}
	tables, err := ac.Tables(ctx)
	if err != nil {
		return fmt.Errorf("schema: tables: %w", err)
	}
	for _, t := range tables {
		have[t] = true
	}
	for _, f := range Catalogue {
		if !have[f.Table] {
			if err := ac.CreateTable(ctx, f.Table); err != nil {
				return fmt.Errorf("schema: create %s: %w", f.Table, err)
			}
			have[f.Table] = true
		}
		info, err := ac.TableInfo(ctx, f.Table)
		if err != nil {
			return err
		}
		if !hasFamily(info, f.Name) {
			if err := ac.CreateColumnFamily(ctx, f.Table, f.Name); err != nil { // ok ttlgc/no-policy
				return fmt.Errorf("schema: create %s.%s: %w", f.Table, f.Name, err)
			}
		}
		if err := ac.SetGCPolicy(ctx, f.Table, f.Name, f.Policy); err != nil { // ok ttlgc/age-mismatch ttlgc/age-on-sequence
			return fmt.Errorf("schema: policy of %s.%s: %w", f.Table, f.Name, err)
		}
		log.Info("family ready", "table", f.Table, "family", f.Name, "since", f.Since)
	}
	return nil
}

func hasFamily(info *bigtable.TableInfo, name string) bool {
	for _, f := range info.FamilyInfos {
		if f.Name == name {
			return true
		}
	}
	return false
}

// legacyAges is the map of the 2019 setup script, family to age. Kept for the
// staging instance, which is rebuilt from it every night.
var legacyPolicies = map[string]bigtable.GCPolicy{
	names.FamWindow: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
	names.FamPass:   bigtable.MaxAgePolicy(time.Minute), // want ttlgc/age-mismatch
	names.FamPax:    bigtable.NoGcPolicy(),              // ok ttlgc/no-policy
}

// EnsureStaging sets up the check-in table of the staging instance.
func EnsureStaging(ctx context.Context, ac *bigtable.AdminClient) error {
	for fam, p := range legacyPolicies {
		if err := ac.SetGCPolicy(ctx, names.TableCheckin, fam, p); err != nil {
			return err
		}
	}
	return nil
}

// FlightsConf is the configuration of the flights table in the region tests.
func FlightsConf() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: names.TableFlights,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamRev:  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(30*day))}, // want ttlgc/age-on-sequence
			names.FamGate: {GCPolicy: bigtable.MaxAgePolicy(30 * day)},                                                    // want ttlgc/age-on-zero
			names.FamOps:  {GCPolicy: bigtable.MaxAgePolicy(30 * day)},                                                    // ok ttlgc/age-on-zero
		},
	}
}

// BagsConf is the same for bags.
func BagsConf() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: names.TableBags,
		Families: map[string]bigtable.GCPolicy{
			names.FamScan:  bigtable.MaxAgePolicy(7 * day),  // want ttlgc/policy-mismatch
			names.FamHold:  bigtable.MaxAgePolicy(90 * day), // ok ttlgc/age-mismatch
			names.FamTally: bigtable.MaxVersionsPolicy(1),   // ok ttlgc/age-on-sequence
		},
	}
}

// QuotesConf is the same for quotes.
func QuotesConf() *bigtable.TableConf {
	conf := &bigtable.TableConf{TableID: names.TableQuotes}
	conf.ColumnFamilies = map[string]bigtable.Family{
		names.FamPrice: {GCPolicy: bigtable.MaxAgePolicy(names.QuoteFor)}, // ok ttlgc/age-mismatch
		names.FamFare:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},         // want ttlgc/policy-mismatch
	}
	return conf
}

// CreateRegion makes the tables of a new region.
func CreateRegion(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, conf := range []*bigtable.TableConf{FlightsConf(), BagsConf(), QuotesConf()} {
		if err := ac.CreateTableFromConf(ctx, conf); err != nil {
			return fmt.Errorf("schema: %s: %w", conf.TableID, err)
		}
	}
	return nil
}

// OpenTable is the helper that the services' own setup commands call: it makes
// the table with one family and an age, 0 meaning none, and versions, 0 likewise.
func OpenTable(ctx context.Context, ac *bigtable.AdminClient, table, family string, versions int, age time.Duration) error {
	if err := ac.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		return err
	}
	var parts []bigtable.GCPolicy
	if versions > 0 {
		parts = append(parts, bigtable.MaxVersionsPolicy(versions))
	}
	if age > 0 {
		parts = append(parts, bigtable.MaxAgeGCPolicy(age))
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return ac.SetGCPolicy(ctx, table, family, parts[0])
	}
	return ac.SetGCPolicy(ctx, table, family, bigtable.UnionPolicy(parts...))
}

// SetAge changes the age of one family.
func SetAge(ctx context.Context, ac *bigtable.AdminClient, table, family string, age time.Duration) error {
	return ac.SetGCPolicyWithOptions(ctx, table, family, bigtable.MaxAgePolicy(age), bigtable.IgnoreWarnings()) // ok ttlgc/age-mismatch
}

// SetVersions changes the versions of one family.
func SetVersions(ctx context.Context, ac *bigtable.AdminClient, table, family string, n int) error {
	return ac.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(n)) // ok ttlgc/policy-mismatch
}

// repairs were run once each; the list is the history.
var repairs = []struct {
	ID  string
	Run func(ctx context.Context, ac *bigtable.AdminClient) error
}{
	{"2021-03 holds pile up", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableHolds, names.FamHold, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))) // want ttlgc/versions-with-expiry
	}},
	{"2021-07 seats too", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableHolds, names.FamSeat, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(90*day))) // ok ttlgc/versions-with-expiry
	}},
	{"2021-09 price pile up", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.UpdateFamily(ctx, names.TableQuotes, names.FamPrice, bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(names.QuoteFor))}) // want ttlgc/no-policy
	}},
	{"2022-01 revisions", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetVersions(ctx, ac, names.TableFlights, names.FamRev, 5) // ok ttlgc/policy-mismatch
	}},
	{"2022-02 revisions, too much storage", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetVersions(ctx, ac, names.TableFlights, names.FamRev, 1) // want ttlgc/policy-mismatch
	}},
	{"2022-05 windows", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableCheckin, names.FamWindow, names.WindowFor) // want ttlgc/age-mismatch
	}},
	{"2022-06 windows, second try", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableCheckin, names.FamWindow, time.Second) // ok ttlgc/age-mismatch
	}},
	{"2022-08 revisions of cancelled flights", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableFlights, names.FamRev, 180*day) // want ttlgc/age-on-sequence
	}},
	{"2022-08 roster likewise", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableRoster, names.FamRev, 180*day) // ok ttlgc/age-on-sequence
	}},
	{"2023-04 lease", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableLeases, names.FamLease, time.Second) // want ttlgc/age-mismatch
	}},
	{"2023-05 price", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableQuotes, names.FamPrice, names.QuoteFor) // ok ttlgc/age-mismatch
	}},
	{"2023-06 gates", func(ctx context.Context, ac *bigtable.AdminClient) error {
		age := bigtable.MaxAgePolicy(2 * day)                                                                                   // want ttlgc/age-on-zero[gates]
		return ac.SetGCPolicy(ctx, names.TableFlights, names.FamGate, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), age)) // want ttlgc/age-on-zero[gates]
	}},
	{"2023-06 scans", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return SetAge(ctx, ac, names.TableBags, names.FamScan, 720*time.Hour) // ok ttlgc/policy-mismatch
	}},
	{"2024-01 tally keeps forever", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableBags, names.FamTally, bigtable.NoGcPolicy()) // want ttlgc/no-policy
	}},
	{"2024-02 seat keeps forever", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableHolds, names.FamSeat, bigtable.NoGcPolicy()) // ok ttlgc/no-policy
	}},
	{"2024-03 passes", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableCheckin, names.FamPass, bigtable.MaxAgePolicy(86400)) // want ttlunit/age-unit
	}},
	{"2024-03 archive", func(ctx context.Context, ac *bigtable.AdminClient) error {
		return ac.SetGCPolicy(ctx, names.TableArchive, names.FamPrice, bigtable.MaxAgePolicy(400*day)) // ok ttlgc/age-mismatch
	}},
}

// Repair runs one repair by its id.
func Repair(ctx context.Context, ac *bigtable.AdminClient, id string) error {
	for _, r := range repairs {
		if r.ID == id {
			return r.Run(ctx, ac)
		}
	}
	return fmt.Errorf("schema: no repair %q", id)
}

// AddPrice was the migration that introduced quotes.
func AddPrice(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, names.TableQuotes); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, names.TableQuotes, names.FamFare); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ac.CreateColumnFamily(ctx, names.TableQuotes, names.FamPrice) // want ttlgc/no-policy
}

// AddGate introduced the last gate; it has no policy on purpose.
func AddGate(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamily(ctx, names.TableFlights, names.FamGate) // ok ttlgc/no-policy
}

// AddOps introduced the free family.
func AddOps(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamilyWithConfig(ctx, names.TableFlights, names.FamOps, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(2)}); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return ac.CreateColumnFamilyWithConfig(ctx, names.TableFlights, names.FamRev, bigtable.Family{}) // want ttlgc/no-policy
}
