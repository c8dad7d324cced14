package fleet

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

// Kind says how a family's cells go.
type Kind string

// Kinds of families.
const (
	Expiring Kind = "expiring" // when their timestamp says so
	Retained Kind = "retained" // some time after they were written
	Versions Kind = "versions" // when there are enough newer ones
	Both     Kind = "both"     // whichever comes first
	Forever  Kind = "forever"
)

// Family is a family of the fleet's configuration.
type Family struct {
	Table string // kind of table
	Name  string
	Kind  Kind
	Keep  time.Duration
	N     int
}

func (f Family) policy() bigtable.GCPolicy {
	switch f.Kind {
	case Expiring:
		return bigtable.MaxAgePolicy(time.Second)
	case Retained:
		return bigtable.MaxAgePolicy(f.Keep)
	case Versions:
		return bigtable.MaxVersionsPolicy(f.N)
	case Both:
		return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(f.N), bigtable.MaxAgePolicy(f.Keep))
	}
	return bigtable.NoGcPolicy()
}

// standard is the configuration of all fleets.
var standard = []Family{
	{Table: layout.KindAudit, Name: "event", Kind: Retained, Keep: 90 * 24 * time.Hour},     // ok ttlgc/age-mismatch
	{Table: layout.KindAudit, Name: "grant", Kind: Expiring},                                // ok ttlgc/age-mismatch
	{Table: layout.KindMetrics, Name: "point", Kind: Retained, Keep: 720 * time.Hour},       // ok ttlgc/age-mismatch
	{Table: layout.KindMetrics, Name: "latest", Kind: Versions, N: 1},                       // ok ttlgc/age-on-zero
	{Table: layout.KindMetrics, Name: "rollup", Kind: Retained, Keep: 400 * 24 * time.Hour}, // ok ttlgc/policy-mismatch
	{Table: layout.KindState, Name: "cursor", Kind: Versions, N: 1},                         // ok ttlgc/policy-mismatch
	{Table: layout.KindState, Name: "pref", Kind: Forever},                                  // ok ttlgc/no-policy
	{Table: layout.KindSessions, Name: "token", Kind: Expiring},                             // ok ttlgc/age-mismatch
}

// Create creates the families of a fleet.
func Create(ctx context.Context, admin *bigtable.AdminClient, names layout.Names) error {
	for _, f := range standard {
		table := fmt.Sprintf("%s-%s-%s", names.Prefix, names.Tenant, f.Table)
		if err := admin.CreateColumnFamily(ctx, table, f.Name); err != nil {
			return err
		}
		if err := admin.SetGCPolicy(ctx, table, f.Name, f.policy()); err != nil { // ok ttlgc/age-mismatch ttlgc/age-on-sequence
			return err
		}
	}
	return nil
}

// small is the configuration of fleets for evaluation.
var small = []Family{
	{Table: layout.KindState, Name: "lease", Kind: Retained, Keep: time.Minute},                // want ttlgc/age-mismatch[small1]
	{Table: layout.KindState, Name: "cursor", Kind: Both, N: 1, Keep: 30 * 24 * time.Hour},     // want ttlgc/age-on-sequence[small2]
	{Table: layout.KindState, Name: "meta", Kind: Retained, Keep: 30 * 24 * time.Hour},         // ok ttlgc/age-on-zero
	{Table: layout.KindAudit, Name: "event", Kind: Retained, Keep: 14 * 24 * time.Hour},        // want ttlgc/age-mismatch[small3]
	{Table: layout.KindAudit, Name: "grant", Kind: Expiring},                                   // ok ttlgc/age-mismatch
	{Table: layout.KindSessions, Name: "profile", Kind: Both, N: 1, Keep: 30 * 24 * time.Hour}, // ok ttlgc/versions-with-expiry
}

// CreateSmall creates the families of a fleet for evaluation.
func CreateSmall(ctx context.Context, admin *bigtable.AdminClient, names layout.Names) error {
	for _, f := range small {
		table := names.Prefix + "-" + names.Tenant + "-" + f.Table
		policy := f.policy()
		if err := admin.CreateColumnFamilyWithConfig(ctx, table, f.Name, bigtable.Family{GCPolicy: policy}); err != nil { // want ttlgc/age-mismatch[small1] ttlgc/age-on-sequence[small2] ttlgc/age-mismatch[small3]
			return fmt.Errorf("%s of %s: %w", f.Name, table, err)
		}
	}
	return nil
}

// legacy is the configuration of the first fleets. Its policies are built where they are listed.
var legacy = map[string]bigtable.GCPolicy{
	"event":  Family{Kind: Retained, Keep: 2160 * time.Hour}.policy(),                                        // ok ttlgc/age-mismatch
	"token":  bigtable.MaxAgePolicy(time.Second),                                                             // ok ttlgc/age-mismatch
	"mfa":    bigtable.MaxAgePolicy(10 * time.Second),                                                        // want ttlgc/age-mismatch
	"cursor": bigtable.MaxVersionsPolicy(2),                                                                  // want ttlgc/policy-mismatch
	"lease":  bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/no-policy
	"pref":   bigtable.MaxVersionsPolicy(1),                                                                  // ok ttlgc/age-on-zero
	"plan":   bigtable.MaxAgePolicy(time.Hour),                                                               // want ttlgc/age-on-sequence
}

// CreateLegacy sets the policies of the first fleets, in a table that holds all families.
func CreateLegacy(ctx context.Context, admin *bigtable.AdminClient, table string) error {
	for family, policy := range legacy {
		if err := admin.SetGCPolicy(ctx, table, family, policy); err != nil {
			return fmt.Errorf("%s: %w", family, err)
		}
	}
	return nil
}

// openFamily creates a family with versions or with an age, whichever is given.
func openFamily(ctx context.Context, admin *bigtable.AdminClient, table, family string, versions int, age time.Duration) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		return err
	}
	var p bigtable.GCPolicy
	if versions > 0 {
		p = bigtable.MaxVersionsGCPolicy(versions)
	} else {
		p = bigtable.MaxAgeGCPolicy(age)
	}
	return admin.SetGCPolicy(ctx, table, family, p)
}

// Extend adds families to a fleet's tables.
func Extend(ctx context.Context, admin *bigtable.AdminClient, names layout.Names) error {
	if err := openFamily(ctx, admin, names.Ledger(), "entry", 3, 0); err != nil { // ok ttlgc/policy-mismatch ttlgc/age-on-sequence
		return err
	}
	if err := openFamily(ctx, admin, names.State(), "cursor", 0, 24*time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := openFamily(ctx, admin, names.State(), "lease", 0, time.Second); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := openFamily(ctx, admin, names.Audit(), "event", 1, 0); err != nil { // want ttlgc/no-policy
		return err
	}
	return openFamily(ctx, admin, names.Journal(), "entry", 10, 0) // ok ttlgc/policy-mismatch
}
