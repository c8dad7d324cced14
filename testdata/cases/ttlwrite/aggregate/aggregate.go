// Package aggregate adds to aggregate cells, which the service rejects with
// its own timestamp.
package aggregate

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func add(mut *bigtable.Mutation) {
	mut.AddIntToCell("counts", "views", bigtable.ServerTime, 1) // want `aggregate-server-time: .*"counts"`
}

func merge(mut *bigtable.Mutation) {
	mut.MergeBytesToCell("counts", "visitors", bigtable.ServerTime, nil) // want `aggregate-server-time: .*"counts"`
}

func minusOne(mut *bigtable.Mutation) {
	mut.AddIntToCell("counts", "views", -1, 1) // want `aggregate-server-time: .*"counts"`
}

func local(mut *bigtable.Mutation) {
	ts := bigtable.ServerTime
	mut.AddIntToCell("counts", "views", ts, 1) // want `aggregate-server-time: .*"counts"`
}

func okZero(mut *bigtable.Mutation) {
	mut.AddIntToCell("counts", "views", 0, 1)
}

func okBucket(mut *bigtable.Mutation) {
	mut.AddIntToCell("counts", "views", bigtable.Time(time.Now().Truncate(time.Hour)), 1)
}

func okParameter(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.AddIntToCell("counts", "views", ts, 1)
}

func okDelta(mut *bigtable.Mutation) {
	mut.AddIntToCell("counts", "views", 0, -1)
}

func bump(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	mut.AddIntToCell(family, "n", ts, 1)
}

func throughHelper(mut *bigtable.Mutation) {
	bump(mut, "counts", 0)
	bump(mut, "counts", bigtable.ServerTime) // want `aggregate-server-time: .*"counts"`
}

// In a registered family the more certain failure is named: the service
// rejects the mutation before anything could expire.
func registered(mut *bigtable.Mutation) {
	mut.AddIntToCell("token", "uses", bigtable.ServerTime, 1) // want `aggregate-server-time: .*"token"`
}
