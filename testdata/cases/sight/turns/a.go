// Package turns gives lists to loops that ask something of each element: what they
// ask is decided by the list.
package turns

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/turns/bt"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func okOne(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool) {
	bt.FanOut(ctx, []bt.Shard{{Table: c.Open("tickets"), Filter: live()}}, f)
}

func okSeveral(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool) {
	bt.FanOut(ctx, []bt.Shard{
		{Table: c.Open("tickets"), Filter: live()},
		{Table: c.Open("sessions"), Filter: bigtable.ChainFilters(bigtable.FamilyFilter("token"), live())},
		{Table: c.Open("nobodys")},
	}, f)
}

func none(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool) {
	bt.FanOut(ctx, []bt.Shard{{Table: c.Open("tickets")}}, f) // want `missing-filter: .*"ticket" of table "tickets"`
}

func oneOfTwo(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool) {
	bt.FanOut(ctx, []bt.Shard{ // want `missing-filter: .*"ticket" of table "tickets"`
		{Table: c.Open("sessions"), Filter: bigtable.ChainFilters(bigtable.FamilyFilter("token"), live())},
		{Table: c.Open("tickets")},
	}, f)
}

type cell struct {
	family string
	lasts  bool
}

func write(mut *bigtable.Mutation, cells []cell) {
	for _, c := range cells {
		ts := bigtable.Now()
		if c.lasts {
			ts = bigtable.Time(time.Now().Add(30 * time.Minute))
		}
		mut.Set(c.family, "c", ts, nil)
	}
}

func okWritten(mut *bigtable.Mutation) {
	write(mut, []cell{{"token", true}, {"profile", false}})
}

func written(mut *bigtable.Mutation) {
	write(mut, []cell{{"profile", true}, {"token", false}}) // want `write-time: .*"token"`
}

// Elements that nobody in view supplies are the program's data.
func given(mut *bigtable.Mutation, cells []cell) {
	for _, c := range cells {
		ts := bigtable.Now()
		if c.lasts {
			ts = bigtable.Time(time.Now().Add(30 * time.Minute))
		}
		mut.Set("token", "c", ts, nil) // want `write-time: .*"token"`
	}
}
