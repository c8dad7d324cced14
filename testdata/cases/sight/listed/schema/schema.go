// Package schema lists the policies of tables.
package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// TableID names a table, Family a column family.
type (
	TableID string
	Family  string
)

// The names.
const (
	Sessions TableID = "sessions"
	Clicks   TableID = "clicks"
	Token    Family  = "token"
	Event    Family  = "event"
)

// Policy is one family's.
type Policy struct {
	Table  TableID
	Family Family
	GC     bigtable.GCPolicy
	Owner  string
}

// AtExpiry collects cells whose time has come.
var AtExpiry = bigtable.MaxAgePolicy(time.Second)

// Policies are all.
var Policies = []Policy{
	{Table: Sessions, Family: Token, GC: AtExpiry, Owner: "sign-in"},
	{Table: Sessions, Family: Token, GC: bigtable.MaxAgePolicy(time.Hour), Owner: "sign-in"}, // want `sets the age 1h on one-second-expiration family "token" of table "sessions"`
	{Table: Clicks, Family: Event, GC: bigtable.MaxAgePolicy(720 * time.Hour)},
	{Table: "scratch", Family: Token, GC: bigtable.MaxAgePolicy(time.Hour)},
	{Table: "metrics", Family: "sample", GC: bigtable.MaxAgePolicy(time.Hour)}, // want `policy-mismatch`
	{Table: Sessions, Family: "profile"},
}

// ByTable has them by table and family.
var ByTable = map[string]map[string]bigtable.GCPolicy{
	"a-ledger": {
		"entry": bigtable.MaxAgePolicy(time.Hour), // want `age-on-sequence`
	},
	"catalog": {"latest": bigtable.MaxVersionsPolicy(1)},
}

// Tables have families.
var Tables = []*struct {
	Name     string
	Families []struct {
		Name   string
		Policy bigtable.GCPolicy
	}
}{
	{"otp", []struct {
		Name   string
		Policy bigtable.GCPolicy
	}{
		{"code", bigtable.MaxAgePolicy(time.Millisecond)},
		{"other", nil},
	}},
	{"tickets", []struct {
		Name   string
		Policy bigtable.GCPolicy
	}{
		{"ticket", bigtable.NoGcPolicy()}, // want `no-policy`
	}},
}

// Confs are configurations.
var Confs = []bigtable.TableConf{
	{TableID: "clicks", ColumnFamilies: map[string]bigtable.Family{
		"event": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch`
	}},
}

// Families says nothing of a table: whoever uses it does.
var Families = map[string]bigtable.GCPolicy{
	"token": bigtable.MaxAgePolicy(2 * time.Hour),
}

// Changed may be anything.
var Changed = []Policy{{Table: Sessions, Family: Token, GC: bigtable.MaxAgePolicy(time.Hour)}}

// Change changes it.
func Change(p []Policy) { Changed = p }

// Of returns those of a table.
func Of(table TableID) (some []Policy) {
	for _, p := range Policies {
		if p.Table == table {
			some = append(some, p)
		}
	}
	return some
}

// Apply is found once, at the list.
func Apply(ctx context.Context, a *bigtable.AdminClient) {
	for _, p := range Policies {
		_ = a.SetGCPolicy(ctx, string(p.Table), string(p.Family), p.GC)
	}
}
