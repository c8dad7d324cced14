// Package plan makes policies of days.
package plan

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Row is what a family keeps.
type Row struct {
	Family   string
	Days     int
	Versions int
}

// Policy returns the policy of a row.
func Policy(r Row) bigtable.GCPolicy {
	age := bigtable.MaxAgePolicy(time.Duration(r.Days) * 24 * time.Hour)
	n := bigtable.MaxVersionsPolicy(r.Versions)
	switch {
	case r.Days > 0 && r.Versions > 0:
		return bigtable.UnionPolicy(age, n)
	case r.Days > 0:
		return age
	case r.Versions > 0:
		return n
	}
	return bigtable.NoGcPolicy()
}
