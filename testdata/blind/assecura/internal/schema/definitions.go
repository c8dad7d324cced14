// Package schema creates the tables (was: the Liquibase-like migrations module).
package schema

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/constants"
)

// FamilyDefinition describes a family.
type FamilyDefinition struct {
	Table  string
	Family string
	Policy bigtable.GCPolicy
}

// Definitions is the schema of the first release.
var Definitions = []FamilyDefinition{
	{Table: constants.TableSessions, Family: constants.FamilyToken, Policy: bigtable.MaxAgePolicy(time.Second)},                                                            // ok ttlgc/age-mismatch
	{Table: constants.TableSessions, Family: constants.FamilyUser, Policy: bigtable.MaxVersionsPolicy(1)},                                                                  // ok ttlgc/policy-mismatch
	{Table: constants.TableOtp, Family: constants.FamilyCode, Policy: bigtable.MaxAgePolicy(time.Second)},                                                                  // want ttlgc/age-mismatch
	{Table: constants.TableQuotes, Family: constants.FamilyOffer, Policy: bigtable.MaxAgePolicy(14 * 24 * time.Hour)},                                                      // want ttlgc/age-mismatch
	{Table: constants.TableQuotes, Family: constants.FamilyCalc, Policy: bigtable.MaxAgePolicy(14 * 24 * time.Hour)},                                                       // ok ttlgc/age-mismatch
	{Table: constants.TablePolicies, Family: constants.Policy.Version, Policy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(8760*time.Hour))}, // want ttlgc/age-on-sequence
	{Table: constants.TablePolicies, Family: constants.Policy.Header, Policy: bigtable.MaxVersionsPolicy(1)},                                                               // ok ttlgc/age-on-zero
	{Table: constants.TablePolicies, Family: constants.Policy.Audit, Policy: bigtable.MaxAgePolicy(10 * 8760 * time.Hour)},                                                 // ok ttlgc/age-on-sequence
	{Table: constants.TableClaims, Family: constants.ClaimEvent.ColumnFamily(), Policy: bigtable.MaxVersionsPolicy(constants.ClaimVersions)},                               // ok ttlgc/policy-mismatch
	{Table: constants.TableClaims, Family: constants.ClaimLock.ColumnFamily(), Policy: bigtable.MaxAgePolicy(constants.LockTTL)},                                           // want ttlgc/age-mismatch
	{Table: constants.TableClaims, Family: constants.ClaimState.ColumnFamily(), Policy: bigtable.MaxAgePolicy(8760 * time.Hour)},                                           // want ttlgc/age-on-zero
	{Table: constants.TableTelemetry, Family: "evt", Policy: bigtable.MaxAgePolicy(constants.TelemetryMaxAge)},                                                             // ok ttlgc/age-on-sequence
	{Table: constants.TableTariffs, Family: constants.FamilyRate, Policy: bigtable.MaxVersionsPolicy(1)},                                                                   // ok ttlgc/age-on-zero
	{Table: constants.TableTariffs, Family: constants.FamilyDisc, Policy: bigtable.MaxAgePolicy(constants.DiscountTTL)},                                                    // ok ttlgc/age-mismatch
	{Table: constants.TableDocuments, Family: constants.FamilyIndex, Policy: bigtable.MaxAgePolicy(7776000)},                                                               // want ttlunit/age-unit // maybe ttlgc/age-mismatch
	{Table: constants.TableDocuments, Family: constants.FamilyMeta, Policy: bigtable.NoGcPolicy()},                                                                         // ok ttlgc/no-policy
	{Table: constants.TableMailbox, Family: "msg", Policy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))},                        // want ttlgc/versions-with-expiry
	{Table: constants.TableMailbox, Family: "cnt", Policy: bigtable.MaxAgePolicy(constants.OneSecond)},                                                                     // ok ttlgc/versions-with-expiry
	{Table: constants.TableCustomers, Family: constants.FamilyPerson, Policy: bigtable.MaxVersionsPolicy(constants.CustomerVersions)},                                      // ok ttlgc/policy-mismatch
	{Table: constants.TableCustomers, Family: constants.FamilyCnsent, Policy: bigtable.MaxAgePolicy(730 * 24 * time.Hour)},                                                 // want ttlgc/policy-mismatch
	{Table: constants.TablePolicyArchive, Family: "ver", Policy: bigtable.MaxAgePolicy(10 * 8760 * time.Hour)},                                                             // ok ttlgc/age-on-sequence
}

// ledgerPolicies are applied to the ledger of every tenant.
var ledgerPolicies = map[string]bigtable.GCPolicy{
	constants.FamilyEntry: bigtable.MaxVersionsPolicy(constants.LedgerVersions), // ok ttlgc/policy-mismatch
}

// PolicyBuilder builds policies fluently.
type PolicyBuilder struct{ children []bigtable.GCPolicy }

// NewPolicyBuilder makes a builder.
func NewPolicyBuilder() *PolicyBuilder { return &PolicyBuilder{} }

// OlderThan deletes what is older than age.
func (b *PolicyBuilder) OlderThan(age time.Duration) *PolicyBuilder {
	b.children = append(b.children, bigtable.MaxAgePolicy(age))
	return b
}

// MoreThan deletes what exceeds n versions.
func (b *PolicyBuilder) MoreThan(n int) *PolicyBuilder {
	b.children = append(b.children, bigtable.MaxVersionsPolicy(n))
	return b
}

// BuildAny deletes what any rule deletes.
func (b *PolicyBuilder) BuildAny() bigtable.GCPolicy {
	if len(b.children) == 1 {
		return b.children[0]
	}
	return bigtable.UnionPolicy(b.children...)
}

// BuildAll deletes what all rules delete.
func (b *PolicyBuilder) BuildAll() bigtable.GCPolicy {
	return bigtable.IntersectionPolicy(b.children...)
}
