// Package schema names tables and families, and holds the garbage collection
// policies that cmd/schema creates and compares.
package schema

import (
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables that do not belong to a tenant.
const (
	Sessions  = "sessions"
	Passcodes = "passcodes"
	Locks     = "locks"
	Journeys  = "journeys"
	Tiles     = "tiles"
	Rosters   = "rosters"
	Settings  = "settings"
	Gates     = "gates"
	Vehicles  = "vehicles"
	Audit     = "audit"
)

// Families.
const (
	Token   = "token"
	Device  = "device"
	Profile = "profile"
	Code    = "code"
	Lease   = "lease"
	Owner   = "owner"
	Leg     = "leg"
	Meta    = "meta"
	PNG     = "png"
	Entry   = "entry"
	Total   = "total"
	Pass    = "pass"
	Usage   = "usage"
	Holder  = "holder"
	Rev     = "rev"
	Note    = "note"
	Cur     = "cur"
	State   = "state"
	Event   = "event"
	Actor   = "actor"
)

// Lifetimes that writers use.
const (
	TokenTTL  = 30 * time.Minute
	DeviceTTL = 24 * time.Hour
	CodeTTL   = 5 * time.Minute
	LegTTL    = 30 * 24 * time.Hour
	TileTTL   = 6 * time.Hour
	PassTTL   = 7 * 24 * time.Hour
	UsageTTL  = 48 * time.Hour
	GateTTL   = 2 * time.Minute
	EventAge  = 90 * 24 * time.Hour
)

// Expiring is the policy of families whose timestamps are moments of expiry.
var Expiring = bigtable.MaxAgePolicy(time.Second) // ok ttlgc/age-mismatch

// Def is one family of one table.
type Def struct {
	Table, Family string
	Policy        bigtable.GCPolicy
	Why           string
}

// Defs is the schema that all environments shall have.
var Defs = []Def{
	{Sessions, Token, Expiring, "sign-in tokens"},
	{Sessions, Device, Expiring, "remembered devices"},
	{Sessions, Profile, bigtable.MaxVersionsPolicy(1), "names, languages"}, // ok ttlgc/policy-mismatch
	{Passcodes, Code, bigtable.MaxAgePolicy(time.Second), "codes by SMS"},  // ok ttlgc/age-mismatch
	{Locks, Lease, bigtable.MaxAgePolicy(time.Second), "who may run"},      // want ttlgc/age-mismatch[defslease]
	{Locks, Owner, bigtable.MaxVersionsPolicy(3), "who ran last"},          // ok ttlgc/policy-mismatch
	{Journeys, Leg, bigtable.MaxAgePolicy(LegTTL), "thirty days"},          // ok ttlgc/age-mismatch
	{Journeys, Meta, bigtable.MaxVersionsPolicy(1), "fare, class"},         // ok ttlgc/policy-mismatch
	{Tiles, PNG, bigtable.MaxAgePolicy(24 * time.Hour), "rendered map"},    // want ttlgc/age-mismatch[defspng]
	{Rosters, Rev, bigtable.MaxVersionsPolicy(3), "revisions"},             // ok ttlgc/policy-mismatch
	{Rosters, Note, bigtable.NoGcPolicy(), "dispatchers' notes"},           // ok ttlgc/no-policy
	{Settings, Cur, bigtable.MaxVersionsPolicy(1), "one value each"},       // ok ttlgc/age-on-zero
	{Gates, State, bigtable.MaxAgePolicy(time.Second), "open, shut"},       // ok ttlgc/age-mismatch
	{Vehicles, State, bigtable.MaxAgePolicy(14 * 24 * time.Hour), "where"}, // ok ttlgc/age-mismatch
	{Audit, Event, bigtable.MaxAgePolicy(EventAge), "ninety days"},         // ok ttlgc/policy-mismatch
	{Audit, Actor, bigtable.MaxVersionsPolicy(2), "last known name"},       // want ttlgc/policy-mismatch[defsactor]
}

// TenantDefs is the schema of the tables that every tenant has, by the last
// part of their names.
var TenantDefs = map[string]map[string]bigtable.GCPolicy{
	"ledger": {
		Entry: bigtable.MaxVersionsPolicy(5), // ok ttlgc/policy-mismatch
		Total: bigtable.MaxVersionsPolicy(1), // ok ttlgc/age-on-zero
	},
	"passes": {
		Pass:   bigtable.MaxAgePolicy(time.Second),    // ok ttlgc/age-mismatch
		Usage:  bigtable.MaxAgePolicy(48 * time.Hour), // ok ttlgc/age-mismatch
		Holder: bigtable.MaxVersionsPolicy(1),         // ok ttlgc/policy-mismatch
	},
}

// Names lists the tables of Defs in order.
func Names() []string {
	seen := map[string]bool{}
	var names []string
	for _, d := range Defs {
		if !seen[d.Table] {
			seen[d.Table] = true
			names = append(names, d.Table)
		}
	}
	sort.Strings(names)
	return names
}

// Of is the part of Defs that one table has.
func Of(table string) []Def {
	var defs []Def
	for _, d := range Defs {
		if d.Table == table {
			defs = append(defs, d)
		}
	}
	return defs
}
