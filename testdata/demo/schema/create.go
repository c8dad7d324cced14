package schema

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// tables lists what Create creates.
var tables = []bigtable.TableConf{
	{TableID: Sessions, ColumnFamilies: map[string]bigtable.Family{
		Token:   {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
		Profile: {GCPolicy: bigtable.MaxVersionsPolicy(1)},
	}},
	{TableID: Clicks, ColumnFamilies: map[string]bigtable.Family{
		Event: {GCPolicy: bigtable.MaxAgePolicy(ClickAge)},
	}},
	{TableID: Catalog, ColumnFamilies: map[string]bigtable.Family{
		Latest: {GCPolicy: bigtable.MaxVersionsPolicy(1)},
	}},
}

// Create creates the tables that every region shares.
func Create(ctx context.Context, admin *bigtable.AdminClient) error {
	for i := range tables {
		if err := admin.CreateTableFromConf(ctx, &tables[i]); err != nil {
			return fmt.Errorf("create %s: %w", tables[i].TableID, err)
		}
	}
	return nil
}

// addFamily creates a column family and sets what it collects.
func addFamily(ctx context.Context, admin *bigtable.AdminClient, table, family string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return admin.SetGCPolicy(ctx, table, family, policy)
}

// CreateLedger creates the ledger of a region. Finance need not keep more than
// three entries, nor any for longer than 90 days.
func CreateLedger(ctx context.Context, admin *bigtable.AdminClient, region string) error {
	table := LedgerTable(region)
	if err := admin.CreateTable(ctx, table); err != nil {
		return err
	}
	return addFamily(ctx, admin, table, Entry, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(LedgerVersions), bigtable.MaxAgePolicy(90*24*time.Hour))) // BAD: ttlgc/age-on-sequence
}

// CreateLedgerFixed is CreateLedger without the age: entries have numbers for
// timestamps, and every number is, as a time, in 1970.
func CreateLedgerFixed(ctx context.Context, admin *bigtable.AdminClient, region string) error {
	table := LedgerTable(region)
	if err := admin.CreateTable(ctx, table); err != nil {
		return err
	}
	return addFamily(ctx, admin, table, Entry, bigtable.MaxVersionsPolicy(LedgerVersions))
}

// RestoreTokens recreates the token family after an operator dropped it. One
// token per user is enough.
func RestoreTokens(ctx context.Context, admin *bigtable.AdminClient) error {
	return addFamily(ctx, admin, Sessions, Token, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))) // BAD: ttlgc/versions-with-expiry
}

// RestoreTokensFixed leaves the number of tokens to the writers, which delete
// the column before they write it.
func RestoreTokensFixed(ctx context.Context, admin *bigtable.AdminClient) error {
	return addFamily(ctx, admin, Sessions, Token, bigtable.MaxAgePolicy(time.Second))
}

// ForgetProfiles lets profiles go a day after they were written, for the load
// test's instance.
func ForgetProfiles(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, Sessions, Profile, bigtable.MaxAgePolicy(86400)) // BAD: ttlunit/age-unit
}

// ForgetProfilesFixed says which unit the number has.
func ForgetProfilesFixed(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, Sessions, Profile, bigtable.MaxAgePolicy(86400*time.Second))
}
