// Package provision creates the tables and their garbage collection policies.
package provision

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/schema"
)

// Admin is the part of the admin client that is used.
type Admin interface {
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Spec is a family as the configuration states it.
type Spec struct {
	Table    string
	Family   string
	Lifetime time.Duration
	Versions int
}

// specs is the table of the platform.
var specs = []Spec{
	{Table: schema.TableFreqCap, Family: schema.FamCap, Lifetime: time.Second},            // ok ttlgc/age-mismatch
	{Table: schema.TableFreqCap, Family: schema.FamSeen, Lifetime: schema.SeenLifetime},   // ok ttlgc/age-mismatch
	{Table: schema.TableFreqCap, Family: schema.FamSeg, Versions: 1},                      // ok ttlgc/policy-mismatch
	{Table: schema.TableConsent, Family: schema.FamGrant, Lifetime: schema.GrantLifetime}, // want ttlgc/age-mismatch[specgrant]
	{Table: schema.TableConsent, Family: schema.FamRev, Versions: schema.RevVersions},     // ok ttlgc/policy-mismatch
	{Table: schema.TableConsent, Family: schema.FamCur, Versions: 1},                      // ok ttlgc/age-on-zero
	{Table: schema.TableConsent, Family: schema.FamMeta, Lifetime: 90 * 24 * time.Hour},   // ok ttlgc/age-mismatch
	{Table: schema.TableAudience, Family: schema.FamMember, Lifetime: schema.MemberTTL},   // ok ttlgc/age-mismatch
	{Table: schema.TableAudience, Family: schema.FamModel, Lifetime: schema.MemberTTL},    // want ttlgc/age-on-sequence[specmodel]
	{Table: schema.TablePacing, Family: schema.FamEntry, Lifetime: schema.PacingHistory},  // ok ttlgc/policy-mismatch ttlgc/age-on-sequence
	{Table: schema.TablePacing, Family: schema.FamRate, Versions: 1},                      // ok ttlgc/policy-mismatch
}

// Apply sets all policies of the table.
func Apply(ctx context.Context, a Admin) error {
	for _, s := range specs {
		var p bigtable.GCPolicy
		if s.Versions > 0 {
			p = bigtable.MaxVersionsPolicy(s.Versions)
		} else {
			p = bigtable.MaxAgePolicy(s.Lifetime) // want ttlgc/age-mismatch[specgrant] ttlgc/age-on-sequence[specmodel]
		}
		if err := a.SetGCPolicy(ctx, s.Table, s.Family, p); err != nil { // want ttlgc/age-mismatch[specgrant] ttlgc/age-on-sequence[specmodel]
			return fmt.Errorf("%s.%s: %w", s.Table, s.Family, err)
		}
	}
	return nil
}

// policies is the newer form: the policies themselves.
var policies = map[string]map[string]bigtable.GCPolicy{
	schema.TableFreqCap: {
		schema.FamCap:  bigtable.MaxAgePolicy(time.Second),         // ok ttlgc/age-mismatch
		schema.FamSeen: bigtable.MaxAgePolicy(30 * 24 * time.Hour), // want ttlgc/age-mismatch
		schema.FamSeg:  bigtable.MaxVersionsPolicy(1),              // ok ttlgc/policy-mismatch
	},
	schema.TableConsent: {
		schema.FamGrant: bigtable.MaxAgePolicy(time.Second),                                                                            // ok ttlgc/age-mismatch
		schema.FamRev:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.RevVersions), bigtable.MaxAgePolicy(365*24*time.Hour)), // want ttlgc/age-on-sequence
		schema.FamCur:   bigtable.MaxAgePolicy(365 * 24 * time.Hour),                                                                   // want ttlgc/age-on-zero
		schema.FamMeta:  bigtable.MaxAgePolicy(365 * 24 * time.Hour),                                                                   // ok ttlgc/age-mismatch
	},
	schema.TableAudience: {
		schema.FamMember: bigtable.MaxAgeGCPolicy(schema.MemberTTL),          // ok ttlgc/age-mismatch
		schema.FamModel:  bigtable.MaxVersionsGCPolicy(schema.ModelVersions), // ok ttlgc/policy-mismatch
	},
}

// ApplyMap sets them.
func ApplyMap(ctx context.Context, a Admin) error {
	for table, fams := range policies {
		for fam, p := range fams {
			if err := a.SetGCPolicy(ctx, table, fam, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateFreqCap creates the table from a configuration.
func CreateFreqCap(ctx context.Context, a Admin) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableFreqCap,
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamCap:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},         // ok ttlgc/age-mismatch
			schema.FamSeen: {GCPolicy: bigtable.MaxAgePolicy(schema.SeenLifetime)}, // ok ttlgc/age-mismatch
			schema.FamSeg:  {},                                                     // ok ttlgc/no-policy
		},
	})
}

// CreateFreqCapDay was used by the test environment, with a day for everything.
func CreateFreqCapDay(ctx context.Context, a Admin) error {
	const day = 24 * time.Hour
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableFreqCap,
		Families: map[string]bigtable.GCPolicy{
			schema.FamCap:  bigtable.MaxAgePolicy(day), // want ttlgc/age-mismatch
			schema.FamSeen: bigtable.MaxAgePolicy(day), // want ttlgc/age-mismatch
			schema.FamSeg:  bigtable.MaxAgePolicy(day), // ok ttlgc/age-mismatch
		},
	})
}

// CreateConsent creates the consent table.
func CreateConsent(ctx context.Context, a Admin) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableConsent,
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamGrant: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
			schema.FamRev:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                           // want ttlgc/policy-mismatch
			schema.FamCur:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                           // ok ttlgc/age-on-zero
			schema.FamMeta:  {GCPolicy: bigtable.NoGcPolicy()},                                                                   // ok ttlgc/no-policy
		},
	})
}

// CreateBudget creates the ledger of a market.
func CreateBudget(ctx context.Context, a Admin, market string) error {
	table := market + schema.BudgetSuffix
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: table,
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamEntry: {GCPolicy: bigtable.MaxVersionsPolicy(schema.EntryVersions)}, // ok ttlgc/policy-mismatch ttlgc/age-on-sequence
			schema.FamHold:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},               // ok ttlgc/age-mismatch
			schema.FamLimit: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                    // ok ttlgc/age-on-zero
		},
	})
}

// AgeBudget was run once when storage became expensive.
func AgeBudget(ctx context.Context, a Admin, markets []string) error {
	for _, m := range markets {
		table := m + "-budget"
		if err := a.SetGCPolicy(ctx, table, "entry", bigtable.MaxAgePolicy(90*24*time.Hour)); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := a.SetGCPolicy(ctx, table, "hold", bigtable.MaxAgePolicy(10*time.Minute)); err != nil { // want ttlgc/age-mismatch
			return err
		}
		if err := a.SetGCPolicy(ctx, table, "limit", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour))); err != nil { // want ttlgc/age-on-zero
			return err
		}
	}
	return nil
}

// BothBudget keeps versions unless they are old, which every number is.
func BothBudget(ctx context.Context, a Admin, market string) error {
	p := bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.MaxVersionsPolicy(schema.EntryVersions)) // want ttlgc/age-on-sequence[bothbudget]
	return a.SetGCPolicy(ctx, market+schema.BudgetSuffix, schema.FamEntry, p)                                                  // want ttlgc/age-on-sequence[bothbudget]
}

// CreateAudience builds the table family by family.
func CreateAudience(ctx context.Context, a Admin) error {
	if err := a.CreateColumnFamily(ctx, schema.TableAudience, schema.FamMember); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := a.SetGCPolicy(ctx, schema.TableAudience, schema.FamMember, bigtable.MaxAgePolicy(schema.MemberTTL)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return a.CreateColumnFamily(ctx, schema.TableAudience, schema.FamModel) // want ttlgc/no-policy
}

// Ensure is the wrapper that most scripts use.
func Ensure(ctx context.Context, a Admin, table, family string, age time.Duration, versions int) error {
	var ps []bigtable.GCPolicy
	if age > 0 {
		ps = append(ps, bigtable.MaxAgePolicy(age))
	}
	if versions > 0 {
		ps = append(ps, bigtable.MaxVersionsPolicy(versions))
	}
	var p bigtable.GCPolicy
	switch len(ps) {
	case 0:
		p = bigtable.NoGcPolicy()
	case 1:
		p = ps[0]
	default:
		p = bigtable.UnionPolicy(ps...)
	}
	if err := a.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, table, family, p)
}

// AgeFamily sets only an age.
func AgeFamily(ctx context.Context, a Admin, table, family string, age time.Duration) error {
	return a.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

// VersionFamily sets only a number of versions.
func VersionFamily(ctx context.Context, a Admin, table, family string, n int) error {
	return a.UpdateFamily(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(n)})
}

// Staging builds the staging tables with the wrappers.
func Staging(ctx context.Context, a Admin) error {
	steps := []func() error{
		func() error { return AgeFamily(ctx, a, schema.TableFreqCap, schema.FamCap, time.Second) },            // ok ttlgc/age-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableFreqCap, schema.FamCap, schema.CapWindow) },       // want ttlgc/age-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableFreqCap, schema.FamSeen, schema.SeenLifetime) },   // ok ttlgc/age-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableFreqCap, schema.FamSeen, 6*24*time.Hour) },        // want ttlgc/age-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableConsent, schema.FamRev, 365*24*time.Hour) },       // want ttlgc/age-on-sequence
		func() error { return AgeFamily(ctx, a, schema.TableConsent, schema.FamMeta, 365*24*time.Hour) },      // ok ttlgc/age-on-sequence
		func() error { return AgeFamily(ctx, a, schema.TablePacing, schema.FamEntry, schema.PacingHistory) },  // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
		func() error { return AgeFamily(ctx, a, schema.TablePacing, schema.FamEntry, time.Hour) },             // want ttlgc/policy-mismatch
		func() error { return VersionFamily(ctx, a, schema.TableConsent, schema.FamRev, schema.RevVersions) }, // ok ttlgc/policy-mismatch
		func() error { return VersionFamily(ctx, a, schema.TableConsent, schema.FamRev, 10) },                 // want ttlgc/policy-mismatch
		func() error { return VersionFamily(ctx, a, schema.TableAudience, schema.FamMember, 1) },              // want ttlgc/no-policy
		func() error { return VersionFamily(ctx, a, schema.TableAudience, schema.FamModel, 2) },               // ok ttlgc/policy-mismatch
		func() error { return VersionFamily(ctx, a, schema.TableDebug, schema.FamModel, 9) },                  // ok ttlgc/policy-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableDebug, schema.FamCap, time.Hour) },                // ok ttlgc/age-mismatch
		func() error { return AgeFamily(ctx, a, schema.TableConsent, schema.FamGrant, time.Minute) },          // want ttlgc/age-mismatch
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// Slips are policies whose numbers lack a unit.
func Slips(ctx context.Context, a Admin) error {
	return joinErrs(
		a.SetGCPolicy(ctx, schema.TableDebug, "x", bigtable.MaxAgePolicy(86400)),            // want ttlunit/age-unit
		a.SetGCPolicy(ctx, schema.TableDebug, "y", bigtable.MaxAgePolicy(24*time.Hour)),     // ok ttlunit/age-unit
		a.SetGCPolicy(ctx, schema.TableDebug, "z", bigtable.MaxAgePolicy(-time.Hour)),       // want ttlunit/age-unit
		a.SetGCPolicy(ctx, schema.TableDebug, "w", bigtable.MaxAgeGCPolicy(7776000)),        // want ttlunit/age-unit
		a.SetGCPolicy(ctx, schema.TableDebug, "v", bigtable.MaxAgePolicy(time.Millisecond)), // ok ttlunit/age-unit
	)
}

// Widen raises the age of exposures on the replicated instance.
func Widen(ctx context.Context, a Admin) error {
	err := a.SetGCPolicyWithOptions(ctx, schema.TableFreqCap, schema.FamSeen, bigtable.MaxAgePolicy(60*24*time.Hour), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
	if err != nil {
		return err
	}
	return a.SetGCPolicyWithOptions(ctx, schema.TableAudience, schema.FamMember, bigtable.MaxAgePolicy(schema.MemberTTL), bigtable.IgnoreWarnings()) // ok ttlgc/age-mismatch
}

// Open drops the policies before a migration.
func Open(ctx context.Context, a Admin) error {
	if err := a.SetGCPolicy(ctx, schema.TableFreqCap, schema.FamCap, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.UpdateFamily(ctx, schema.TableAudience, schema.FamModel, bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}); err != nil { // want ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, schema.TableFreqCap, schema.FamSeg, bigtable.NoGcPolicy()) // ok ttlgc/no-policy
}

// Parse reads "table.family" names from the command line.
func Parse(arg string) (table, family string, err error) {
	table, family, ok := strings.Cut(arg, ".")
	if !ok || table == "" || family == "" {
		return "", "", fmt.Errorf("provision: %q is not table.family", arg)
	}
	return table, family, nil
}

func joinErrs(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
