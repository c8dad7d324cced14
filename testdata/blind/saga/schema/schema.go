// Package schema names the tables and families of the checkout and creates them.
package schema

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Tables.
const (
	Carts    = "checkout-carts"
	Stock    = "checkout-stock"
	Coupons  = "checkout-coupons"
	Payments = "checkout-payments"
	Quotes   = "checkout-quotes"
	Outbox   = "checkout-outbox"

	LegacyHolds   = "legacy-holds"
	SearchIndex   = "search-index"
	WarehouseSync = "warehouse-sync"
)

// Families.
const (
	FamLine    = "line"
	FamSeen    = "seen"
	FamProfile = "profile"
	FamHold    = "hold"
	FamLevel   = "level"
	FamLog     = "log"
	FamGrant   = "grant"
	FamUsage   = "usage"
	FamAttempt = "attempt"
	FamIdem    = "idem"
	FamLedger  = "ledger"
	FamQuote   = "quote"
	FamMsg     = "msg"
	FamLease   = "lease"
	FamRev     = "rev"
	FamStatus  = "status"
	FamNote    = "note"
)

// Lifetimes.
const (
	CartTTL  = 2 * time.Hour
	HoldTTL  = 15 * time.Minute
	QuoteTTL = 30 * time.Minute
	LeaseTTL = 30 * time.Second
	GrantTTL = 30 * 24 * time.Hour
	IdemTTL  = 24 * time.Hour

	day = 24 * time.Hour
)

// OrdersTable is the orders table of an environment.
func OrdersTable(env string) string { return env + "-orders" }

var policies = map[string]map[string]bigtable.GCPolicy{
	Carts: {
		FamLine:    bigtable.MaxAgePolicy(time.Second),                                                  // ok ttlgc/age-mismatch
		FamSeen:    bigtable.MaxVersionsPolicy(1),                                                       // ok ttlgc/age-on-zero
		FamProfile: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(365*day)), // ok ttlgc/policy-mismatch
	},
	Stock: {
		FamHold:  bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		FamLevel: bigtable.MaxVersionsPolicy(1),      // ok ttlgc/age-on-zero
		FamLog:   bigtable.MaxAgePolicy(30 * day),    // ok ttlgc/policy-mismatch
	},
	Coupons: {
		FamGrant: bigtable.MaxAgePolicy(GrantTTL),                                                    // ok ttlgc/age-mismatch
		FamUsage: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(90*day)), // want ttlgc/age-on-zero
		FamHold:  bigtable.MaxAgePolicy(2 * day),                                                     // ok ttlgc/age-mismatch
	},
	Payments: {
		FamAttempt: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(90*day)), // want ttlgc/age-on-sequence
		FamIdem:    bigtable.MaxAgePolicy(7 * day),                                                     // want ttlgc/age-mismatch
		FamLedger:  bigtable.MaxVersionsPolicy(1),                                                      // ok ttlgc/policy-mismatch
	},
	Quotes: {
		FamQuote: bigtable.MaxAgePolicy(time.Second), // want ttlgc/age-mismatch
	},
	Outbox: {
		FamMsg:   bigtable.MaxVersionsPolicy(1),                                                           // ok ttlgc/age-on-sequence
		FamLease: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second)), // want ttlgc/versions-with-expiry
	},
	LegacyHolds: {
		FamHold: bigtable.MaxAgePolicy(day), // ok ttlgc/age-mismatch
	},
	SearchIndex: {
		FamRev: bigtable.MaxAgePolicy(14 * day), // ok ttlgc/age-on-sequence
	},
}

// Create creates what is missing, and sets every policy.
func Create(ctx context.Context, ac *bigtable.AdminClient) error {
	var names []string
	for t := range policies {
		names = append(names, t)
	}
	sort.Strings(names)
	for _, t := range names {
		if err := ac.CreateTable(ctx, t); err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("create %s: %w", t, err)
		}
		for f, p := range policies[t] {
			if err := ensure(ctx, ac, t, f, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func ensure(ctx context.Context, ac *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return fmt.Errorf("family %s of %s: %w", family, table, err)
	}
	if err := ac.SetGCPolicy(ctx, table, family, p); err != nil {
		return fmt.Errorf("policy of %s in %s: %w", family, table, err)
	}
	return nil
}

// CreateOrders creates the orders table of an environment.
func CreateOrders(ctx context.Context, ac *bigtable.AdminClient, env string) error {
	err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: OrdersTable(env),
		ColumnFamilies: map[string]bigtable.Family{
			FamRev:    {GCPolicy: bigtable.MaxVersionsPolicy(5)}, // ok ttlgc/policy-mismatch
			FamStatus: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
			FamNote:   {GCPolicy: bigtable.MaxAgePolicy(400 * day)},
		},
	})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("orders of %s: %w", env, err)
	}
	return nil
}

// Version is a step of the schema's history.
type Version struct {
	No     int
	Title  string
	Table  string
	Family string
	Policy bigtable.GCPolicy
	Force  bool
}

// History is every change after the first release.
var History = []Version{
	{No: 2, Title: "holds a little longer", Table: Stock, Family: FamHold, Policy: bigtable.MaxAgeGCPolicy(HoldTTL)},                     // want ttlgc/age-mismatch
	{No: 3, Title: "coupon holds", Table: Coupons, Family: FamHold, Policy: bigtable.MaxAgeGCPolicy(2 * day)},                            // ok ttlgc/age-mismatch
	{No: 4, Title: "fewer attempts", Table: Payments, Family: FamAttempt, Policy: bigtable.MaxVersionsGCPolicy(2)},                       // want ttlgc/policy-mismatch
	{No: 5, Title: "attempts as registered", Table: Payments, Family: FamAttempt, Policy: bigtable.MaxVersionsGCPolicy(3)},               // ok ttlgc/policy-mismatch
	{No: 6, Title: "keep carts for the analysts", Table: Carts, Family: FamLine, Policy: bigtable.NoGcPolicy()},                          // want ttlgc/no-policy
	{No: 7, Title: "carts again", Table: Carts, Family: FamLine, Policy: bigtable.MaxAgeGCPolicy(time.Second)},                           // ok ttlgc/age-mismatch
	{No: 8, Title: "outbox cleans itself", Table: Outbox, Family: FamMsg, Policy: bigtable.MaxAgeGCPolicy(7 * day)},                      // want ttlgc/age-on-sequence
	{No: 9, Title: "outbox: last message only", Table: Outbox, Family: FamMsg, Policy: bigtable.MaxVersionsGCPolicy(1)},                  // ok ttlgc/age-on-sequence
	{No: 10, Title: "grants for half a year", Table: Coupons, Family: FamGrant, Policy: bigtable.MaxAgeGCPolicy(180 * day), Force: true}, // want ttlgc/age-mismatch
	{No: 11, Title: "log for a year", Table: Stock, Family: FamLog, Policy: bigtable.MaxAgeGCPolicy(365 * day)},                          // want ttlgc/policy-mismatch
	{No: 12, Title: "stock levels", Table: Stock, Family: FamLevel, Policy: bigtable.MaxAgeGCPolicy(30 * day)},                           // want ttlgc/age-on-zero
	{No: 13, Title: "legacy holds", Table: LegacyHolds, Family: FamHold, Policy: bigtable.MaxAgeGCPolicy(12 * time.Hour)},                // ok ttlgc/age-mismatch
	{No: 14, Title: "quotes", Table: Quotes, Family: FamQuote, Policy: bigtable.MaxAgeGCPolicy(time.Millisecond)},                        // ok ttlgc/age-mismatch
	{No: 15, Title: "warehouse", Table: WarehouseSync, Family: FamQuote, Policy: bigtable.NoGcPolicy()},                                  // ok ttlgc/no-policy
}

// Upgrade applies the history after version from.
func Upgrade(ctx context.Context, ac *bigtable.AdminClient, from int) error {
	for _, v := range History {
		if v.No <= from {
			continue
		}
		var opts []bigtable.GCPolicyOption
		if v.Force {
			opts = append(opts, bigtable.IgnoreWarnings())
		}
		if err := ac.SetGCPolicyWithOptions(ctx, v.Table, v.Family, v.Policy, opts...); err != nil {
			return fmt.Errorf("version %d (%s): %w", v.No, v.Title, err)
		}
	}
	return nil
}

// Limits is a policy in numbers, as the settings page shows it.
type Limits struct {
	Versions int
	Age      time.Duration
}

// Policy is the union of the limits.
func (l Limits) Policy() bigtable.GCPolicy {
	switch {
	case l.Versions > 0 && l.Age > 0:
		return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(l.Versions), bigtable.MaxAgePolicy(l.Age))
	case l.Versions > 0:
		return bigtable.MaxVersionsPolicy(l.Versions)
	case l.Age > 0:
		return bigtable.MaxAgePolicy(l.Age)
	}
	return bigtable.NoGcPolicy()
}

// AddFamily adds a family with limits to a table.
func AddFamily(ctx context.Context, ac *bigtable.AdminClient, table, family string, l Limits) error {
	err := ac.CreateColumnFamilyWithConfig(ctx, table, family, bigtable.Family{GCPolicy: l.Policy()})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("family %s of %s: %w", family, table, err)
	}
	return nil
}

// Versioned sets a policy of n versions.
func Versioned(ctx context.Context, ac *bigtable.AdminClient, table, family string, n int) error {
	return ac.UpdateFamily(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(n)})
}

// Aged sets a policy of an age.
func Aged(ctx context.Context, ac *bigtable.AdminClient, table, family string, age time.Duration) error {
	return ac.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

// Rebuild drops and creates the short-lived tables of a test stage.
func Rebuild(ctx context.Context, ac *bigtable.AdminClient, env string) error {
	var errs []error
	for _, t := range []string{Quotes, Outbox} {
		errs = append(errs, ac.DeleteTable(ctx, t), ac.CreateTable(ctx, t))
	}
	errs = append(errs,
		Aged(ctx, ac, Quotes, FamQuote, time.Millisecond),                                                                                 // ok ttlgc/age-mismatch
		Aged(ctx, ac, Outbox, FamLease, LeaseTTL),                                                                                         // want ttlgc/age-mismatch
		Versioned(ctx, ac, Outbox, FamMsg, 1),                                                                                             // ok ttlgc/policy-mismatch
		Versioned(ctx, ac, Outbox, FamLease, 1),                                                                                           // want ttlgc/no-policy
		AddFamily(ctx, ac, OrdersTable(env), FamRev, Limits{Versions: 5}),                                                                 // ok ttlgc/age-on-sequence
		AddFamily(ctx, ac, OrdersTable(env), FamRev, Limits{5, 180 * day}),                                                                // want ttlgc/age-on-sequence
		AddFamily(ctx, ac, Carts, FamLine, Limits{Age: time.Second}),                                                                      // ok ttlgc/age-mismatch
		AddFamily(ctx, ac, Payments, FamIdem, Limits{Age: IdemTTL}),                                                                       // ok ttlgc/age-mismatch
		AddFamily(ctx, ac, Payments, FamIdem, Limits{Versions: 1, Age: IdemTTL}),                                                          // want ttlgc/versions-with-expiry
		AddFamily(ctx, ac, Stock, FamHold, Limits{Age: CartTTL}),                                                                          // want ttlgc/age-mismatch
		AddFamily(ctx, ac, WarehouseSync, FamHold, Limits{Age: CartTTL}),                                                                  // ok ttlgc/age-mismatch
		ac.CreateColumnFamily(ctx, Coupons, FamGrant),                                                                                     // want ttlgc/no-policy
		ac.CreateColumnFamily(ctx, Coupons, FamUsage),                                                                                     // ok ttlgc/no-policy
		ac.CreateColumnFamily(ctx, LegacyHolds, FamLine),                                                                                  // ok ttlgc/no-policy
		ac.SetGCPolicy(ctx, Payments, FamAttempt, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(day))), // want ttlgc/age-on-sequence
	)
	return errors.Join(errs...)
}
