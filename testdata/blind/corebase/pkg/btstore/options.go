package btstore

import (
	"cloud.google.com/go/bigtable"
)

// ReadOpt restricts a read. Unlike the client's options, filters add up.
type ReadOpt func(*readConfig)

type readConfig struct {
	filters []bigtable.Filter
	limit   int64
	reverse bool
}

// Where adds a filter; several are chained in the order given.
func Where(f bigtable.Filter) ReadOpt {
	return func(c *readConfig) {
		if f != nil {
			c.filters = append(c.filters, f)
		}
	}
}

// Limit stops after n rows.
func Limit(n int64) ReadOpt { return func(c *readConfig) { c.limit = n } }

// Backwards reads from the end.
func Backwards() ReadOpt { return func(c *readConfig) { c.reverse = true } }

// Columns keeps one family's columns that match pattern.
func Columns(family, pattern string) ReadOpt {
	return func(c *readConfig) {
		c.filters = append(c.filters, bigtable.FamilyFilter(family), bigtable.ColumnFilter(pattern))
	}
}

func newReadConfig(opts []ReadOpt) *readConfig {
	c := &readConfig{}
	for _, o := range opts {
		o(c)
	}
	return c
}

// filter is the one filter that the collected ones make, or nil.
func (c *readConfig) filter() bigtable.Filter {
	switch len(c.filters) {
	case 0:
		return nil
	case 1:
		return c.filters[0]
	default:
		return bigtable.ChainFilters(c.filters...) // ok ttlunit/invalid-filter
	}
}

func (c *readConfig) options() []bigtable.ReadOption {
	var out []bigtable.ReadOption
	if f := c.filter(); f != nil {
		out = append(out, bigtable.RowFilter(f))
	}
	if c.limit > 0 {
		out = append(out, bigtable.LimitRows(c.limit))
	}
	if c.reverse {
		out = append(out, bigtable.ReverseScan())
	}
	return out
}
