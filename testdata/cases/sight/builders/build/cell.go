package build

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type settings struct {
	family string
	clock  func() time.Time
	life   time.Duration
}

// A Cell writes a cell of a table.
type Cell struct {
	table *bigtable.Table
	settings
}

// Of returns a cell of a table, which is a profile's unless it is said
// otherwise.
func Of(t *bigtable.Table) *Cell {
	return &Cell{table: t, settings: settings{family: "profile", clock: time.Now}}
}

// Family sets the family.
func (c *Cell) Family(name string) *Cell {
	c.settings.family = name
	return c
}

// Live sets the lifetime.
func (c *Cell) Live(d time.Duration) *Cell {
	c.life = d
	return c
}

// Apply writes.
func (c *Cell) Apply(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(c.family, "v", bigtable.Time(c.clock().Add(c.life)), v)
	return c.table.Apply(ctx, key, mut)
}

// A Getter reads a row.
type Getter struct {
	table  *bigtable.Table
	filter bigtable.Filter
	since  time.Time
}

// Get returns a getter without bounds.
func Get(t *bigtable.Table) *Getter {
	g := &Getter{table: t}
	g.filter = bigtable.FamilyFilter("token")
	return g
}

// Filter adds a filter.
func (g *Getter) Filter(f bigtable.Filter) *Getter {
	g.filter = bigtable.ChainFilters(g.filter, f)
	return g
}

// Since bounds it.
func (g *Getter) Since(t time.Time) *Getter {
	g.since = t
	return g
}

// Row reads.
func (g *Getter) Row(ctx context.Context, key string) (bigtable.Row, error) {
	f := g.filter
	if !g.since.IsZero() {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(g.since, time.Time{}))
	}
	return g.table.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Options are options in the making.
type Options struct{ filters []bigtable.Filter }

// Defaults returns options for the newest token.
func Defaults() *Options {
	return &Options{filters: []bigtable.Filter{bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)}}
}

// With adds a filter.
func (o *Options) With(f bigtable.Filter) *Options {
	o.filters = append(o.filters, f)
	return o
}

// Build returns the options.
func (o *Options) Build() []bigtable.ReadOption {
	return []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(o.filters...))}
}
