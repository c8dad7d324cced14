// Package policies sets policies that contradict the strategy of the family,
// by constructor, by conversion and by composite literal.
package policies

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	month = 720 * time.Hour
	day   = 24 * time.Hour
)

// Sequential numbers: no age may delete.

func ageOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxAgePolicy(month)) // want `age-on-sequence: .*"entry"`
}

func ageInUnionOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(3))) // want `age-on-sequence: .*"entry"`
}

func ageInIntersectionOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(3))) // want `age-on-sequence: .*"entry"`
}

func nestedAgeOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(day)))) // want `age-on-sequence: .*"entry"`
}

func unknownAgeOnSequence(ctx context.Context, ac *bigtable.AdminClient, age time.Duration) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxAgePolicy(age)) // want `age-on-sequence: .*"entry"`
}

func okVersionsOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(3))
}

func conversionOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxAgeGCPolicy(month)) // want `age-on-sequence: .*"entry"`
}

func okConversionOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.MaxVersionsGCPolicy(3))
}

func compositeOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxAgeGCPolicy(month), bigtable.MaxVersionsGCPolicy(3)}}) // want `age-on-sequence: .*"entry"`
}

// Timestamp zero.

func ageOnZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.MaxAgePolicy(month)) // want `age-on-zero: .*"latest"`
}

func ageInUnionOnZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(month))) // want `age-on-zero: .*"latest"`
}

func okAgeInIntersectionOnZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(month)))
}

func okVersionsOnZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.MaxVersionsPolicy(1))
}

func okNoneOnZero(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "catalog", "latest", bigtable.NoGcPolicy())
}

// Ages of expiring families.

func okOneSecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

func okLessThanOneSecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Millisecond))
}

func okOneMillisecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "otp", "code", bigtable.MaxAgePolicy(time.Millisecond))
}

func aboveMaxAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "otp", "code", bigtable.MaxAgePolicy(time.Second)) // want `age-mismatch: .*"code"`
}

// The usual mistake: the lifetime as age.
func lifetimeAsAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(30*time.Minute)) // want `age-mismatch: .*"token"`
}

func lifetimeAsAgeConverted(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgeGCPolicy(30*time.Minute)) // want `age-mismatch: .*"token"`
}

func okDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(month))
}

func okDefaultInDays(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(30*day))
}

func shorterThanDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(7*day)) // want `age-mismatch: .*"event"`
}

func longerThanDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(90*day)) // want `age-mismatch: .*"event"`
}

func okUnknownAge(ctx context.Context, ac *bigtable.AdminClient, age time.Duration) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(age))
}

// A version limit beside the age.

func versionsBesideOneSecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))) // want `versions-with-expiry: .*"token"`
}

func versionsBesideDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.UnionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(1))) // want `versions-with-expiry: .*"event"`
}

func compositeVersionsBesideAge(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(1), bigtable.MaxAgeGCPolicy(month)}}) // want `versions-with-expiry: .*"event"`
}

// Nothing that deletes by age alone.

func noneOnOneSecond(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.NoGcPolicy()) // want `no-policy: .*"token"`
}

func noneOnDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.NoGcPolicy()) // want `no-policy: .*"event"`
}

func noneOnSequence(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "bank-ledger", "entry", bigtable.NoGcPolicy()) // want `no-policy: .*"entry"`
}

func emptyUnion(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.UnionPolicy()) // want `no-policy: .*"token"`
}

func versionsOnly(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxVersionsPolicy(1)) // want `no-policy: .*"token"`
}

func intersection(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))) // want `no-policy: .*"token"`
}

func intersectionOnDefault(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.IntersectionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxAgeGCPolicy(month), bigtable.MaxVersionsGCPolicy(1)}}) // want `no-policy: .*"event"`
}

func okNil(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", nil)
}

// Families that may have any policy.

func okReal(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "profile", bigtable.UnionPolicy(bigtable.MaxAgePolicy(month), bigtable.MaxVersionsPolicy(1)))
}

func okUnregistered(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "plain", "entry", bigtable.MaxAgePolicy(month))
}

func okUnregisteredFamily(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "other", bigtable.NoGcPolicy())
}

func okUnknownPolicy(ctx context.Context, ac *bigtable.AdminClient, p bigtable.GCPolicy) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", p)
}

func okUnknownFamily(ctx context.Context, ac *bigtable.AdminClient, family string) error {
	return ac.SetGCPolicy(ctx, "sessions", family, bigtable.MaxAgePolicy(month))
}

// One family name, two tables.

func okCache(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "cache", "val", bigtable.MaxAgePolicy(time.Second))
}

func history(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "history", "val", bigtable.MaxAgePolicy(month)) // want `age-on-sequence: .*"val"`
}

func okAmbiguousTable(ctx context.Context, ac *bigtable.AdminClient, table string) error {
	return ac.SetGCPolicy(ctx, table, "val", bigtable.MaxVersionsPolicy(1))
}

func familyTellsTable(ctx context.Context, ac *bigtable.AdminClient, table string) error {
	return ac.SetGCPolicy(ctx, table, "entry", bigtable.MaxAgePolicy(month)) // want `age-on-sequence: .*"entry"`
}

// The other calls that set a policy.

func withOptions(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "bank-ledger", "entry", bigtable.MaxAgePolicy(month), bigtable.IgnoreWarnings()) // want `age-on-sequence: .*"entry"`
}

func okWithOptions(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicyWithOptions(ctx, "bank-ledger", "entry", bigtable.MaxVersionsPolicy(3), bigtable.IgnoreWarnings())
}

func updateFamily(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.UpdateFamily(ctx, "catalog", "latest", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(month)}) // want `age-on-zero: .*"latest"`
}

func okUpdateFamily(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.UpdateFamily(ctx, "catalog", "latest", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)})
}

func okUpdateType(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.UpdateFamily(ctx, "sessions", "token", bigtable.Family{ValueType: bigtable.Int64Type{}})
}

func createWithConfig(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "clicks", "event", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(day)}) // want `age-mismatch: .*"event"`
}

func okCreateWithConfig(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateColumnFamilyWithConfig(ctx, "clicks", "event", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(month)})
}
