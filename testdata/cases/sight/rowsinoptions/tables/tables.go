// Package tables reads rows into results.
package tables

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowsinoptions/opt"
)

// A Table is read by rows.
type Table struct{ tbl *bigtable.Table }

// Open opens a table.
func Open(c *bigtable.Client, name string) Table { return Table{c.Open(name)} }

// Row reads one row.
func (t Table) Row(ctx context.Context, key string, opts ...bigtable.ReadOption) opt.Result[bigtable.Row] {
	row, err := t.tbl.ReadRow(ctx, key, opts...)
	return opt.Try(row, err)
}
