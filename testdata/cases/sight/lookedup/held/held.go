// Package held chooses by what is in a map that an object of another package has.
package held

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/lookedup/flags"
)

func end() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func live(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func Write(ctx context.Context, c *bigtable.Client, fl *flags.Set) error {
	ts := bigtable.Now()
	if fl.Enabled("long") {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "a", ts, nil) // want `write-time`
	return c.Open("tickets").Apply(ctx, "k", m)
}

func Read(ctx context.Context, c *bigtable.Client, fl *flags.Set) (bigtable.Row, error) {
	f := bigtable.FamilyFilter("ticket")
	if fl.Knows("live") {
		f = live(f)
	}
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter`
}

// A Cache reads what its maker says.
type Cache struct {
	tbl    *bigtable.Table
	family string
	flags  *flags.Set
}

// New makes a cache of a family.
func New(tbl *bigtable.Table, family string, fl *flags.Set) *Cache { return &Cache{tbl, family, fl} }

func Tickets(c *bigtable.Client, fl *flags.Set) *Cache {
	return New(c.Open("tickets"), "ticket", fl) // want `missing-filter`
}

// Get reads a row.
func (c *Cache) Get(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.FamilyFilter(c.family)
	if c.flags.Enabled("live") {
		f = live(f)
	}
	return c.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// A field that is no map decides as its object does, and so does a list.
func OkField(ctx context.Context, c *bigtable.Client, fl *flags.Set) error {
	ts := bigtable.Now()
	if !fl.Debug() {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "a", ts, nil)
	return c.Open("tickets").Apply(ctx, "k", m)
}

func OkList(ctx context.Context, c *bigtable.Client, fl *flags.Set) error {
	ts := bigtable.Now()
	if fl.Bit() {
		ts = end()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "a", ts, nil)
	return c.Open("tickets").Apply(ctx, "k", m)
}
