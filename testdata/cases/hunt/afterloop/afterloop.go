// Package afterloop uses after a loop what the loop did.
package afterloop

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

func okFilled(mut *bigtable.Mutation, parts []string) {
	var ts bigtable.Timestamp
	for _, p := range parts {
		fmt.Sscan(p, &ts)
	}
	mut.Set("token", "jwt", ts, nil)
}

func deleted(columns []string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, c := range columns {
		mut.Set("token", c, bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
	mut.DeleteCellsInFamily("token") // want `delete-after-set: .*"token"`
	return mut
}

func okDeletedFirst(columns []string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, c := range columns {
		mut.DeleteCellsInColumn("token", c)
		mut.Set("token", c, bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
	return mut
}
