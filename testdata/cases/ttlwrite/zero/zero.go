// Package zero writes into a family whose timestamps are always zero.
package zero

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

func okLiteral(mut *bigtable.Mutation) {
	mut.Set("latest", "price", 0, nil)
}

func okConversion(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Timestamp(0), nil)
}

func okEpoch(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Time(time.Unix(0, 0)), nil)
}

func okVariable(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	mut.Set("latest", "price", ts, nil)
}

func okParameter(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("latest", "price", ts, nil)
}

func now(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Now(), nil) // want `clock-in-zero: .*"latest"`
}

func serverTime(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
}

func timeNow(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now())
	mut.Set("latest", "price", ts, nil) // want `clock-in-zero: .*"latest"`
}

func expiry(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Time(time.Now().Add(time.Hour)), nil) // want `clock-in-zero: .*"latest"`
}

func constant(mut *bigtable.Mutation) {
	mut.Set("latest", "price", 1000, nil) // want `clock-in-zero: .*"latest"`
}

func date(mut *bigtable.Mutation) {
	mut.Set("latest", "price", bigtable.Time(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want `clock-in-zero: .*"latest"`
}

func oneBranch(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	if os.Getenv("VERSIONED") != "" {
		ts = bigtable.Now()
	}
	mut.Set("latest", "price", ts, nil) // want `clock-in-zero: .*"latest"`
}

func sharedLocal(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	mut.Set("profile", "name", ts, nil)
	mut.Set("latest", "price", ts, nil) // want `clock-in-zero: .*"latest"`
}

func put(mut *bigtable.Mutation, column string, ts bigtable.Timestamp) {
	mut.Set("latest", column, ts, nil)
}

func throughHelper(mut *bigtable.Mutation) {
	put(mut, "price", 0)
	put(mut, "stock", bigtable.Now()) // want `clock-in-zero: .*"latest"`
}
