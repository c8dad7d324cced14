// Package schema lists the policies of tables.
package schema

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables are the policies by table and family.
var Tables = map[string]map[string]bigtable.GCPolicy{
	"sessions": {
		"token":   bigtable.MaxAgePolicy(time.Second),
		"profile": bigtable.MaxVersionsPolicy(1),
	},
	"clicks": {
		"event": bigtable.MaxAgePolicy(24 * time.Hour), // want `age-mismatch: .*"event"`
	},
	"eu-ledger": {
		"entry": bigtable.MaxAgePolicy(time.Hour), // want `age-on-sequence: .*"entry"`
	},
	"us-ledger": {
		"entry": bigtable.MaxVersionsPolicy(3),
	},
}

// A Family is one with its policy.
type Family struct {
	Name   string
	Policy bigtable.GCPolicy
}

// A Table is one with its families.
type Table struct {
	Name     string
	Families []Family
}

// Schema is all of it.
var Schema = []Table{
	{Name: "sessions", Families: []Family{
		{"token", bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch: .*"token"`
		{"profile", bigtable.NoGcPolicy()},
	}},
	{Name: "asia-ledger", Families: []Family{
		{Name: "entry", Policy: bigtable.MaxVersionsPolicy(3)},
	}},
	{Name: "catalog", Families: []Family{
		{Name: "latest", Policy: bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-zero: .*"latest"`
	}},
}
