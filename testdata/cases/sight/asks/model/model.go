// Package model has an accessor.
package model

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Lock is kept.
type Lock struct{ Owner string }

// Locks keeps them.
type Locks struct{ tbl *bigtable.Table }

// New opens it.
func New(c *bigtable.Client) *Locks { return &Locks{tbl: c.Open("tickets")} }

// Apply writes.
func (t *Locks) Apply(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.tbl.Apply(ctx, key, m)
}

// Get returns nil where there is none.
func (t *Locks) Get(ctx context.Context, key string) (*Lock, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("ticket"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(live))
	if err != nil || len(row) == 0 {
		return nil, err
	}
	return &Lock{Owner: string(row["ticket"][0].Value)}, nil
}
