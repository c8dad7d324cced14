// Package lib has a struct of tables.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Tables are all.
type Tables struct{ Codes, Metrics, Spare *bigtable.Table }

// Open opens them.
func Open(c *bigtable.Client) *Tables {
	return &Tables{Codes: c.Open("otp"), Metrics: c.Open("metrics")}
}

// Filter asks for codes.
type Filter struct{ tbl, metrics, spare, given *bigtable.Table }

// New returns a Filter.
func New(t *Tables, given *bigtable.Table) *Filter {
	return &Filter{tbl: t.Codes, metrics: t.Metrics, spare: t.Spare, given: given}
}

func local(c *bigtable.Client) *Filter { return New(Open(c), c.Open("otp")) }

// Known looks for a code.
func (f *Filter) Known(ctx context.Context, id string) bool {
	row, _ := f.tbl.ReadRow(ctx, id) // want "read of one-second-expiration family .code. of table .otp."
	return len(row) > 0
}

// Measured looks for a sample.
func (f *Filter) Measured(ctx context.Context, id string) bool {
	row, _ := f.metrics.ReadRow(ctx, id)
	return len(row) > 0
}

// Others look into what others may give: one is a table that nobody opens, the
// other what the only call in view gives.
func (f *Filter) Others(ctx context.Context, id string) bool {
	row, _ := f.spare.ReadRow(ctx, id)
	more, _ := f.given.ReadRow(ctx, id) // want "read of one-second-expiration family .code. of table .otp."
	return len(row)+len(more) > 0
}
