// Package core opens tables, and puts others around them.
package core

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what is read of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

type metered struct {
	delegate Table
	reads    int
}

func (t *metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	t.reads++
	return t.delegate.ReadRow(ctx, row, opts...)
}

func (t *metered) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	t.reads++
	return t.delegate.ReadRows(ctx, arg, f, opts...)
}

// OpenMetered counts what is read.
func OpenMetered(c *bigtable.Client, name string) Table { return &metered{delegate: c.Open(name)} }

// OpenPlain does not.
func OpenPlain(c *bigtable.Client, name string) Table { return c.Open(name) }

// Retrying tries it twice.
type Retrying struct{ Inner Table }

// ReadRow reads a row.
func (t *Retrying) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	for range 2 {
		if r, err = t.Inner.ReadRow(ctx, row, opts...); err == nil {
			break
		}
	}
	return r, err
}

// ReadRows reads rows.
func (t *Retrying) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return t.Inner.ReadRows(ctx, arg, f, opts...)
}

// Fetch reads the newest cells of a row.
func Fetch(ctx context.Context, tbl *bigtable.Table, key string) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Repo reads a table of its own.
type Repo struct{ tbl *bigtable.Table }

// NewRepo is its constructor.
func NewRepo(c *bigtable.Client, table string) *Repo { return &Repo{c.Open(table)} }

// Load reads a row.
func (r *Repo) Load(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Either reads one table where the other has nothing.
func Either(ctx context.Context, a, b *bigtable.Table, key string) (bigtable.Row, error) {
	row, err := a.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil || len(row) > 0 {
		return row, err
	}
	return b.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}
