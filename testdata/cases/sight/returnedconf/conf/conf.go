// Package conf says how tables are made.
package conf

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Sessions has a family without a policy: whoever creates the table may set one.
func Sessions() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{
			"token":   {},
			"profile": {},
		},
	}
}

// Tickets has a policy that is wrong whoever creates the table.
func Tickets() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: "tickets",
		ColumnFamilies: map[string]bigtable.Family{
			"ticket": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch: .*"ticket"`
		},
	}
}
