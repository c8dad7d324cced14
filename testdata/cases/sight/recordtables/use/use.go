// Package use saves records of its own by another package's function.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/recordtables"
)

type lasting struct{ tbl *bigtable.Table }

func (l lasting) Table() *bigtable.Table { return l.tbl }
func (l lasting) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

type stamped struct{ tbl *bigtable.Table }

func (s stamped) Table() *bigtable.Table { return s.tbl }
func (s stamped) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Now(), nil)
}

func saveAll(ctx context.Context, c *bigtable.Client) {
	for _, r := range []recordtables.Record{lasting{c.Open("cache")}, stamped{c.Open("plain")}} {
		_ = recordtables.Save(ctx, "k", r)
	}
}

type lost struct{ tbl *bigtable.Table }

func (l lost) Table() *bigtable.Table { return l.tbl }
func (l lost) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
}

func saveLost(ctx context.Context, c *bigtable.Client) {
	for _, r := range []recordtables.Record{lasting{c.Open("plain")}, lost{c.Open("cache")}} {
		_ = recordtables.Save(ctx, "k", r)
	}
}
