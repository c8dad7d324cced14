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

func okEither(keys []string, gone map[string]bool) []*bigtable.Mutation {
	var muts []*bigtable.Mutation
	expiry := bigtable.Time(time.Now().Add(time.Hour))
	for _, k := range keys {
		mut := bigtable.NewMutation()
		muts = append(muts, mut)
		if gone[k] {
			mut.DeleteRow()
			continue
		}
		if k == "" {
			mut.Set("token", "jwt", expiry, nil)
			continue
		}
		mut.Set("token", "jwt", expiry, []byte(k))
	}
	return muts
}
