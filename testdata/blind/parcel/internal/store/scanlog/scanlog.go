// Package scanlog builds the mutations that scans cause, for whichever table they are applied to.
package scanlog

import (
	"time"

	"cloud.google.com/go/bigtable"
)

const family = "status"

// Passed says that a parcel passed a gate.
func Passed(gate string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(family, "gate/"+gate, bigtable.Now(), []byte{1})
	return m
}

// Numbered says that a parcel passed its n-th gate.
func Numbered(gate string, n int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(family, "gate/"+gate, bigtable.Timestamp(n*1000), []byte{1})
	return m
}

// Damaged says that a parcel is damaged.
func Damaged(note string, at time.Time) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(family, "damage", bigtable.Time(at), []byte(note))
	return m
}
