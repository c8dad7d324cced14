// Package handedread reads families that are options' defaults; other functions of
// the package hand options of their own on to the constructor, which says nothing of
// the families.
package handedread

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Options struct{ Family string }

func (o Options) withDefaults() Options {
	if o.Family == "" {
		o.Family = "event"
	}
	return o
}

type Cache struct {
	tbl *bigtable.Table
	opt Options
}

func New(tbl *bigtable.Table, o Options) *Cache { return &Cache{tbl, o.withDefaults()} }

func Wrap(c *bigtable.Client, o Options) *Cache { return New(c.Open("clicks"), o) }

func Handler(c *bigtable.Client, o Options) func() *Cache {
	return func() *Cache { return New(c.Open("clicks"), o) }
}

func (c *Cache) Get(ctx context.Context) (int, error) {
	row, err := c.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(c.opt.Family))) // want `missing-filter: .*"event"`
	return len(row[c.opt.Family]), err
}

func (c *Cache) List(ctx context.Context) (n int, err error) {
	err = c.tbl.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool { // want `missing-filter: .*"event"`
		n += len(row[c.opt.Family])
		return true
	})
	return n, err
}

func (c *Cache) Live(ctx context.Context) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(c.opt.Family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := c.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `wrong-bound: .*"event"`
	return len(row[c.opt.Family]), err
}

func (c *Cache) OkLive(ctx context.Context) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(c.opt.Family), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
	row, err := c.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f))
	return len(row[c.opt.Family]), err
}

func (c *Cache) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(c.opt.Family, "c", 0, nil) // want `already-expired: .*"event"`
	return c.tbl.Apply(ctx, "k", m)
}

// Named is a store of which the package makes one itself, of another family: its own
// constructor's calls say of which families its objects are.
type Named struct {
	tbl *bigtable.Table
	opt Options
}

func newNamed(tbl *bigtable.Table, o Options) *Named { return &Named{tbl, o.withDefaults()} }

func Profiles(c *bigtable.Client) *Named {
	return newNamed(c.Open("sessions"), Options{Family: "profile"})
}

func (n *Named) OkGet(ctx context.Context) (int, error) {
	row, err := n.tbl.ReadRow(ctx, "k")
	return len(row[n.opt.Family]), err
}
