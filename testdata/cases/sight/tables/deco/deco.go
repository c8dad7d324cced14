// Package deco decorates tables.
package deco

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what the program needs of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Metered counts calls; it embeds the table.
type Metered struct {
	Table
	count func(string)
}

// Meter decorates a table.
func Meter(t Table, count func(string)) *Metered { return &Metered{Table: t, count: count} }

// Logged logs calls; it does not embed.
type Logged struct {
	next Table
	log  *slog.Logger
}

// Log decorates a table.
func Log(t Table, log *slog.Logger) Table { return &Logged{next: t, log: log} }

// ReadRow implements Table.
func (l *Logged) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	l.log.Info("read", "row", row)
	return l.next.ReadRow(ctx, row, opts...)
}

// Apply implements Table.
func (l *Logged) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	l.log.Info("apply", "row", row)
	return l.next.Apply(ctx, row, m, opts...)
}

// Retried tries again.
type Retried struct {
	tbl  Table
	wait time.Duration
}

// Retry decorates a table.
func Retry(t Table) *Retried { return &Retried{tbl: t, wait: time.Second} }

// ReadRow implements Table.
func (r *Retried) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	got, err := r.tbl.ReadRow(ctx, row, opts...)
	if err != nil {
		time.Sleep(r.wait)
		got, err = r.tbl.ReadRow(ctx, row, opts...)
	}
	return got, err
}

// Apply implements Table.
func (r *Retried) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return r.tbl.Apply(ctx, row, m, opts...)
}
