// Package eitherwrong chooses by a parameter between values that are both wrong, beside
// others that are right whatever the parameter is.
package eitherwrong

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/eitherwrong/lib"
)

type Repo struct {
	Append, Repair func(ctx context.Context, n int64) error
}

func MakeRepo(client *bigtable.Client, clock func() time.Time, fixed bool) Repo {
	tbl := client.Open("eu-ledger")
	now := lib.OrSystem(clock)
	return Repo{
		Append: func(ctx context.Context, n int64) error {
			return lib.Write(ctx, tbl, "1",
				lib.Cell{Family: "entry", At: bigtable.Timestamp(n * 1000)},
				lib.Cell{Family: "entry", At: bigtable.Time(now())}, // want `clock-in-sequence: .*"entry"`
			)
		},
		// What one value of the parameter makes wrong, its caller decides.
		Repair: func(ctx context.Context, n int64) error {
			at := bigtable.Timestamp(n * 1000)
			if !fixed {
				at = bigtable.Now()
			}
			return lib.Write(ctx, tbl, "1",
				lib.Cell{Family: "entry", At: bigtable.Timestamp(n * 1000)},
				lib.Cell{Family: "entry", At: at},
			)
		},
	}
}
