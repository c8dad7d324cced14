// Package bt opens tables with retries and metrics.
package bt

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what stores need of one.
type Table interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type retrying struct {
	Table
	attempts int
	base     time.Duration
}

type measured struct{ Table }

func (r *retrying) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	for range r.attempts {
		if err = r.Table.Apply(ctx, row, m, opts...); err == nil {
			return nil
		}
	}
	return err
}

// Open opens a table.
func Open(c *bigtable.Client, name string) Table {
	return &retrying{Table: &measured{c.Open(name)}, attempts: 3, base: time.Second}
}

// Either opens one of two tables, of which calls find out which has a row.
func Either(c *bigtable.Client, a, b string) Table { return &both{Open(c, a), Open(c, b)} }

type both struct {
	Table
	old Table
}
