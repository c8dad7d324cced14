// Package schema creates the tables. Terraform was to take over, and has not.
package schema

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
)

// FamilyDefinition is a family and how it is collected.
type FamilyDefinition struct {
	Name   string
	Policy bigtable.GCPolicy
}

// TableDefinition is a table and its families.
type TableDefinition struct {
	Name     string
	Families []FamilyDefinition
}

// Accept lets a visitor see the families.
func (t TableDefinition) Accept(v Visitor) error {
	for _, f := range t.Families {
		if err := v.VisitFamily(t.Name, f); err != nil {
			return err
		}
	}
	return nil
}

// Visitor visits families.
type Visitor interface {
	VisitFamily(table string, f FamilyDefinition) error
}

// Definitions are the tables of today.
var Definitions = []TableDefinition{
	{
		Name: constants.TableSessions,
		Families: []FamilyDefinition{
			{constants.FamilyToken, bigtable.MaxAgePolicy(constants.GcImmediately)}, // ok ttlgc/age-mismatch
			{constants.FamilyDevice, bigtable.MaxAgePolicy(constants.DeviceTTL)},    // want ttlgc/age-mismatch
			{constants.FamilyProfile, bigtable.MaxVersionsPolicy(1)},                // ok ttlgc/policy-mismatch
		},
	},
	{
		Name: constants.TableOrders,
		Families: []FamilyDefinition{
			{constants.FamilyHeader, bigtable.MaxVersionsPolicy(1)},                            // ok ttlgc/policy-mismatch
			{constants.FamilyHold, bigtable.MaxAgePolicy(time.Second)},                         // ok ttlgc/age-mismatch
			{constants.FamilyRevision, bigtable.MaxVersionsPolicy(constants.RevisionVersions)}, // ok ttlgc/policy-mismatch
			{constants.FamilyState, bigtable.MaxVersionsPolicy(1)},                             // ok ttlgc/age-on-zero
		},
	},
	{
		Name: constants.TableNotifications,
		Families: []FamilyDefinition{
			{constants.FamilyInbox, bigtable.MaxAgePolicy(constants.InboxTTL)},     // ok ttlgc/age-mismatch
			{constants.FamilyReceipt, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
			{constants.FamilyPref, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},    // want ttlgc/age-on-zero
		},
	},
	{
		Name: constants.TableIdempotency,
		Families: []FamilyDefinition{
			{constants.FamilyLock, bigtable.MaxAgePolicy(time.Second)}, // want ttlgc/age-mismatch
		},
	},
	{
		Name: constants.TableCampaigns,
		Families: []FamilyDefinition{
			{constants.FamilyAudience, bigtable.MaxAgePolicy(constants.AudienceTTL)}, // ok ttlgc/age-mismatch
			{constants.FamilyEntry, bigtable.MaxVersionsPolicy(1)},                   // ok ttlgc/policy-mismatch
			{constants.FamilyQuota, bigtable.MaxVersionsPolicy(1)},                   // ok ttlgc/age-on-zero
		},
	},
	{
		Name: constants.TableArchive,
		Families: []FamilyDefinition{
			{constants.FamilyToken, bigtable.NoGcPolicy()},                              // ok ttlgc/no-policy
			{constants.FamilyRevision, bigtable.MaxAgePolicy(7 * 365 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
			{constants.FamilyHold, bigtable.MaxAgePolicy(7 * 365 * 24 * time.Hour)},     // ok ttlgc/age-mismatch
		},
	},
}

// legacyPolicies are those of the Java service, by table and family; the migration sets them where it is told to.
var legacyPolicies = map[string]map[string]bigtable.GCPolicy{
	constants.TableSessions: {
		constants.FamilyToken:  bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
		constants.FamilyDevice: bigtable.MaxAgePolicy(500 * time.Millisecond),                                           // ok ttlgc/age-mismatch
	},
	constants.TableOrders: {
		constants.FamilyRevision: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(90*24*time.Hour)),    // want ttlgc/age-on-sequence
		constants.FamilyHold:     bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/no-policy
		constants.FamilyHeader:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(5*365*24*time.Hour)), // ok ttlgc/age-on-sequence
	},
	constants.TableNotifications: {
		constants.FamilyInbox: bigtable.MaxVersionsPolicy(1), // want ttlgc/no-policy
		constants.FamilyPref:  bigtable.MaxVersionsPolicy(1), // ok ttlgc/no-policy
	},
	constants.TableCampaigns: {
		constants.FamilyAudience: bigtable.MaxAgePolicy(30 * 24 * time.Hour), // want ttlgc/age-mismatch
		constants.FamilyEntry:    bigtable.MaxVersionsPolicy(2),              // want ttlgc/policy-mismatch
	},
}
