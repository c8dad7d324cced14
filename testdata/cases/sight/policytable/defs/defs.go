// Package defs has a table of policies.
package defs

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Def is a family.
type Def struct {
	Table, Family string
	Policy        bigtable.GCPolicy
}

// Defs are all.
var Defs = []Def{
	{"tickets", "ticket", bigtable.MaxAgePolicy(time.Second)},
	{"clicks", "event", bigtable.MaxAgePolicy(24 * time.Hour)}, // want "sets the age 1d on default-expiration family .event."
}

// Of returns those of a table.
func Of(table string) []Def {
	var some []Def
	for _, d := range Defs {
		if d.Table == table {
			some = append(some, d)
		}
	}
	return some
}
