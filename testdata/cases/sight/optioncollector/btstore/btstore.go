// Package btstore is a library whose options collect filters, and whose cells
// have the server's time where nobody gives them one.
package btstore

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// ReadOpt restricts a read.
type ReadOpt func(*config)

type config struct {
	filters []bigtable.Filter
	limit   int64
}

// Where adds a filter.
func Where(f bigtable.Filter) ReadOpt {
	return func(c *config) {
		if f != nil {
			c.filters = append(c.filters, f)
		}
	}
}

// Instead replaces what was collected.
func Instead(f bigtable.Filter) ReadOpt {
	return func(c *config) {
		if f != nil {
			c.filters = []bigtable.Filter{f}
		}
	}
}

// Limit stops after n rows.
func Limit(n int64) ReadOpt { return func(c *config) { c.limit = n } }

func (c *config) filter() bigtable.Filter {
	switch len(c.filters) {
	case 0:
		return nil
	case 1:
		return c.filters[0]
	}
	return bigtable.ChainFilters(c.filters...)
}

func (c *config) options() []bigtable.ReadOption {
	var out []bigtable.ReadOption
	if f := c.filter(); f != nil {
		out = append(out, bigtable.RowFilter(f))
	}
	if c.limit > 0 {
		out = append(out, bigtable.LimitRows(c.limit))
	}
	return out
}

// Table is a table.
type Table struct{ t *bigtable.Table }

// Open opens one.
func Open(c *bigtable.Client, name string) *Table { return &Table{c.Open(name)} }

// Get reads a row.
func (t *Table) Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error) {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	return t.t.ReadRow(ctx, key, c.options()...)
}

// Cell is what is written.
type Cell struct {
	Family, Column string
	TS             bigtable.Timestamp
}

// Write writes cells.
func (t *Table) Write(ctx context.Context, key string, cells ...Cell) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		ts := c.TS
		if ts == 0 {
			ts = bigtable.ServerTime
		}
		m.Set(c.Family, c.Column, ts, nil)
	}
	return t.t.Apply(ctx, key, m)
}
