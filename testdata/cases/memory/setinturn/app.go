// Package setinturn calls methods that set the same field of an object several times.
package setinturn

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/memory/setinturn/lib"
)

func registered(ctx context.Context, c *bigtable.Client) error {
	w := &lib.Work{}
	a := bigtable.NewMutation()
	a.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	w.Register(c.Open("cache"), "k", a)
	b := bigtable.NewMutation()
	b.Set("val", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	w.Register(c.Open("history"), "k", b)
	d := bigtable.NewMutation()
	d.Set("val", "a", bigtable.Now(), nil)
	w.Register(c.Open("wallets"), "k", d)
	return w.Save(ctx)
}

// Which table is that of the second, a branch decides.
func perhaps(ctx context.Context, c *bigtable.Client, old bool) error {
	w := &lib.Work{}
	a := bigtable.NewMutation()
	a.Set("val", "a", bigtable.Now(), nil)
	tbl := c.Open("wallets")
	if old {
		w.Register(tbl, "k0", a)
	}
	w.Register(tbl, "k", a)
	return w.Save(ctx)
}

func last(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	c := &lib.Cell{}
	c.At(bigtable.Now())
	c.At(bigtable.Time(time.Now().Add(time.Hour)))
	c.Put(mut)
	c.At(bigtable.ServerTime) // want `server-timestamp: .*"token"`
	c.Put(mut)
	return tbl.Apply(ctx, "k", mut)
}

func unless(ctx context.Context, tbl *bigtable.Table, not bool) error {
	mut := bigtable.NewMutation()
	c := &lib.Cell{}
	c.At(bigtable.Time(time.Now().Add(time.Hour)))
	c.AtUnless(true, bigtable.Now())
	c.Put(mut)
	c.AtUnless(not, bigtable.Now()) // want `write-time: .*"token" .* uses the current time`
	c.Put(mut)
	return tbl.Apply(ctx, "k", mut)
}

func once(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	c := &lib.Cell{}
	c.At(bigtable.Now()) // want `write-time: .*"token" .* uses the current time`
	c.Put(mut)
	return tbl.Apply(ctx, "k", mut)
}

// Whether the setter is called, a branch decides.
func branch(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	c := &lib.Cell{}
	if time.Now().Hour() > 12 {
		c.At(bigtable.Now()) // want `write-time: .*"token" .* uses the current time`
	}
	c.Put(mut)
	return tbl.Apply(ctx, "k", mut)
}

// Of what the method is given, and the setter not, the method's call tells.
func both(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	c := &lib.Cell{}
	c.In("token")
	c.PutAt(mut, bigtable.Now()) // want `write-time: .*"token" .* uses the current time`
	c.In("profile")
	c.PutAt(mut, bigtable.Now())
	return tbl.Apply(ctx, "k", mut)
}

// What was set since is not the constructor's.
func query(ctx context.Context, tbl *bigtable.Table) int {
	q := lib.NewQuery()
	q.Where(bigtable.FamilyFilter("token"))
	q.Where(bigtable.LatestNFilter(1))
	row, _ := q.Read(ctx, tbl) // want `missing-filter: .*"token"`
	return len(row["token"])
}

func okQuery(ctx context.Context, tbl *bigtable.Table) int {
	q := lib.NewQuery()
	q.Where(bigtable.FamilyFilter("token"))
	q.Where(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, _ := q.Read(ctx, tbl)
	return len(row["token"])
}

// What is set after a read was not in it: the constructor's call gives what is wrong.
func afterwards(ctx context.Context, tbl *bigtable.Table) int {
	q := lib.NewQueryOf(bigtable.FamilyFilter("token")) // want `missing-filter: .*"token"`
	row, _ := q.Read(ctx, tbl)
	q.Where(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	live, _ := q.Read(ctx, tbl)
	return len(row["token"]) + len(live["token"])
}

// What a setter is given after all writes is not written.
func tooLate(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	c := lib.NewCell(bigtable.Now()) // want `write-time: .*"token" .* uses the current time`
	c.Put(mut)
	c.At(bigtable.Now())
	return tbl.Apply(ctx, "k", mut)
}
