// Package toldcell takes times of cells for times of writing, in a family that has
// a default: what is wrong with that one is told here, and to nobody who leaves it so.
package toldcell

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Policy has a family with a default.
type Policy struct {
	TTL    time.Duration
	Family string
}

func (p Policy) withDefaults() Policy {
	if p.Family == "" {
		p.Family = "log"
	}
	if p.TTL == 0 {
		p.TTL = 24 * time.Hour
	}
	return p
}

// Page is what is kept.
type Page struct {
	Modified time.Time
	HTML     []byte
}

// Cache keeps pages.
type Cache struct {
	tbl *bigtable.Table
	pol Policy
}

// New makes it.
func New(tbl *bigtable.Table, p Policy) *Cache { return &Cache{tbl: tbl, pol: p.withDefaults()} }

// Get reads a page.
func (c *Cache) Get(ctx context.Context, key string) (Page, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(c.pol.Family), bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))
	row, err := c.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	return c.decode(row), err
}

func (c *Cache) decode(row bigtable.Row) Page {
	var p Page
	for _, it := range row[c.pol.Family] {
		p.HTML = it.Value
		p.Modified = it.Timestamp.Time() // want `not-write-time: .*"log"`
	}
	return p
}

// Handler makes a cache when it is asked.
func Handler(client *bigtable.Client, p Policy) func(ctx context.Context, key string) Page {
	caches := map[string]*Cache{}
	return func(ctx context.Context, key string) Page {
		c := caches[key]
		if c == nil {
			c = New(client.Open("mixed"), p)
			caches[key] = c
		}
		page, _ := c.Get(ctx, key)
		return page
	}
}

// Named has no default: whoever names the family is told.
type Named struct {
	tbl *bigtable.Table
	fam string
}

// NewNamed makes it.
func NewNamed(tbl *bigtable.Table, fam string) *Named { return &Named{tbl, fam} }

// Last reads the last.
func (n *Named) Last(ctx context.Context, key string) Page {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(n.fam), bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))
	row, _ := n.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	var p Page
	for _, it := range row[n.fam] {
		p.Modified = it.Timestamp.Time()
	}
	return p
}

// Reader reads the last when it is asked.
func Reader(client *bigtable.Client, fam string) func(ctx context.Context, key string) Page {
	return func(ctx context.Context, key string) Page {
		return NewNamed(client.Open("mixed"), fam).Last(ctx, key)
	}
}
