package dal

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Admin is the part of *bigtable.AdminClient that migrations need.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	DeleteColumnFamily(ctx context.Context, table, family string) error
}

// FamilySpec is a family with its policy.
type FamilySpec struct {
	Table  string
	Family string
	Policy bigtable.GCPolicy
}

// Schema is what a fresh instance gets.
var Schema = []FamilySpec{
	{TableHolds, FamHold, bigtable.MaxAgePolicy(time.Second)},               // ok ttlgc/age-mismatch
	{TableHolds, FamRider, bigtable.MaxVersionsPolicy(1)},                   // ok ttlgc/policy-mismatch
	{TableOTP, FamCode, bigtable.MaxAgePolicy(time.Millisecond)},            // ok ttlgc/age-mismatch
	{TableOTP, FamSeen, bigtable.MaxAgePolicy(time.Hour)},                   // want ttlgc/age-mismatch[row1]
	{TablePositions, FamPos, bigtable.MaxAgePolicy(PositionTTL)},            // ok ttlgc/age-mismatch
	{TablePositions, FamVehicle, bigtable.MaxVersionsPolicy(3)},             // ok ttlgc/policy-mismatch
	{TableCommands, FamCmd, bigtable.MaxVersionsPolicy(CommandVersions)},    // ok ttlgc/policy-mismatch
	{TableCommands, FamState, bigtable.MaxAgePolicy(12 * time.Hour)},        // want ttlgc/age-mismatch[row2]
	{TableTrips, FamState, bigtable.MaxAgePolicy(12 * time.Hour)},           // ok ttlgc/age-mismatch
	{TableTariffs, FamRate, bigtable.MaxVersionsPolicy(1)},                  // ok ttlgc/age-on-zero
	{TableTariffs, FamChange, bigtable.MaxVersionsPolicy(5)},                // ok ttlgc/policy-mismatch
	{TableQuotes, FamQuote, bigtable.MaxAgePolicy(QuoteTTL)},                // ok ttlgc/age-mismatch
	{TableScratch, FamHold, bigtable.MaxAgePolicy(24 * time.Hour)},          // ok ttlgc/age-mismatch
	{"test-journal", FamEntry, bigtable.MaxVersionsPolicy(JournalVersions)}, // ok ttlgc/policy-mismatch
	{"stage-journal", FamEntry, bigtable.MaxVersionsPolicy(1)},              // want ttlgc/policy-mismatch[row3]
	{"archive-journal", FamEntry, bigtable.MaxAgePolicy(8760 * time.Hour)},  // want ttlgc/age-on-sequence
}

// Migrate applies a schema to existing tables.
func Migrate(ctx context.Context, a Admin, specs []FamilySpec) error {
	for _, s := range specs {
		if err := ignoreExists(a.CreateColumnFamily(ctx, s.Table, s.Family)); err != nil { // ok ttlgc/no-policy
			return fmt.Errorf("create %s/%s: %w", s.Table, s.Family, err)
		}
		if err := a.SetGCPolicy(ctx, s.Table, s.Family, s.Policy); err != nil {
			return fmt.Errorf("policy of %s/%s: %w", s.Table, s.Family, err)
		}
	}
	return nil
}

func ignoreExists(err error) error {
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

// EnsureAge makes a family whose cells live for age.
func EnsureAge(ctx context.Context, a Admin, table, family string, age time.Duration) error {
	return a.CreateColumnFamilyWithConfig(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(age)})
}

// EnsureVersions makes a family that keeps n versions.
func EnsureVersions(ctx context.Context, a Admin, table, family string, n int) error {
	return a.CreateColumnFamilyWithConfig(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(n)})
}

// EnsureBoth makes a family that keeps n versions for at most age.
func EnsureBoth(ctx context.Context, a Admin, table, family string, n int, age time.Duration) error {
	return a.SetGCPolicy(ctx, table, family, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(n), bigtable.MaxAgePolicy(age)))
}
