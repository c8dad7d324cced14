// Package lib has objects whose methods set one field, each call after the other.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type write struct {
	table *bigtable.Table
	key   string
	mut   *bigtable.Mutation
}

// Work applies what is registered, each to its table.
type Work struct{ writes []write }

func (w *Work) Register(t *bigtable.Table, key string, m *bigtable.Mutation) {
	w.writes = append(w.writes, write{table: t, key: key, mut: m})
}

func (w *Work) Save(ctx context.Context) error {
	for _, p := range w.writes {
		if err := p.table.Apply(ctx, p.key, p.mut); err != nil {
			return err
		}
	}
	w.writes = nil
	return nil
}

// A Cell is written at the moment that was set last.
type Cell struct {
	at     bigtable.Timestamp
	family string
}

func (c *Cell) In(family string)                                    { c.family = family }
func (c *Cell) PutAt(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set(c.family, "a", ts, nil) }

func (c *Cell) At(ts bigtable.Timestamp)   { c.at = ts }
func (c *Cell) Put(mut *bigtable.Mutation) { mut.Set("token", "a", c.at, nil) }

// AtUnless sets nothing where it is told so.
func (c *Cell) AtUnless(not bool, ts bigtable.Timestamp) {
	if !not {
		c.at = ts
	}
}

// A Query collects filters.
type Query struct{ filters []bigtable.Filter }

func NewQuery() *Query { return &Query{} }

func (q *Query) Where(f bigtable.Filter) { q.filters = append(q.filters, f) }

func (q *Query) Read(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(q.filters...)))
}

// NewQueryOf begins with a filter.
func NewQueryOf(f bigtable.Filter) *Query {
	return &Query{filters: []bigtable.Filter{f, bigtable.LatestNFilter(1)}}
}

func NewCell(ts bigtable.Timestamp) *Cell { return &Cell{at: ts} }
