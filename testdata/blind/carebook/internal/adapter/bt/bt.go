// Package bt has what the Bigtable adapters share: the narrow table interface with its decorators,
// the generic repository, stamps and filters.
package bt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/platform/metrics"
	"github.com/carebook/appointments/internal/platform/retry"
)

// Rows is the part of a table that adapters use. *bigtable.Table implements it, and so do the
// decorators below.
type Rows interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Opener opens tables with the decorators of this process.
type Opener struct {
	client *bigtable.Client
	policy retry.Policy
	reg    *metrics.Registry
	log    *slog.Logger
}

// NewOpener returns an opener.
func NewOpener(client *bigtable.Client, reg *metrics.Registry, log *slog.Logger) *Opener {
	return &Opener{client: client, policy: retry.Default(), reg: reg, log: log}
}

// Table opens a table: metrics outside, retries inside.
func (o *Opener) Table(name string) Rows {
	var rows Rows = o.client.Open(name)
	rows = Retried(rows, o.policy)
	return Metered(rows, o.reg, name)
}

// Raw opens a table without decorators, for bulk jobs that retry by themselves.
func (o *Opener) Raw(name string) *bigtable.Table { return o.client.Open(name) }

type retried struct {
	next   Rows
	policy retry.Policy
}

// Retried decorates a table with retries of its reads; writes are retried by the client.
func Retried(next Rows, p retry.Policy) Rows { return &retried{next, p} }

func (r *retried) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return retry.Do(ctx, r.policy, func(ctx context.Context) (bigtable.Row, error) {
		return r.next.ReadRow(ctx, row, opts...)
	})
}

func (r *retried) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return r.next.ReadRows(ctx, arg, f, opts...)
}

func (r *retried) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return r.next.Apply(ctx, row, m, opts...)
}

func (r *retried) ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	errs, err := r.next.ApplyBulk(ctx, rowKeys, muts, opts...)
	if err != nil {
		return nil, fmt.Errorf("bulk of %d: %w", len(rowKeys), err)
	}
	return errs, errors.Join(errs...)
}

func (r *retried) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return r.next.ApplyReadModifyWrite(ctx, row, m)
}

type metered struct {
	Rows
	read, scan, write *metrics.Series
}

// Metered decorates a table with counters.
func Metered(next Rows, reg *metrics.Registry, table string) Rows {
	return metered{next, reg.Get(table + ".read"), reg.Get(table + ".scan"), reg.Get(table + ".write")}
}

func (m metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	defer func(t time.Time) { m.read.Observe(t, err) }(time.Now())
	return m.Rows.ReadRow(ctx, row, opts...)
}

func (m metered) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) (err error) {
	defer func(t time.Time) { m.scan.Observe(t, err) }(time.Now())
	return m.Rows.ReadRows(ctx, arg, f, opts...)
}

func (m metered) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	defer func(t time.Time) { m.write.Observe(t, err) }(time.Now())
	return m.Rows.Apply(ctx, row, mut, opts...)
}

type filtered struct {
	Rows
	filter func() bigtable.Filter
}

// Filtered decorates a table with a filter that every read gets, last.
func Filtered(next Rows, filter func() bigtable.Filter) Rows { return filtered{next, filter} }

func (f filtered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.Rows.ReadRow(ctx, row, append(opts, bigtable.RowFilter(f.filter()))...)
}

func (f filtered) ReadRows(ctx context.Context, arg bigtable.RowSet, fn func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return f.Rows.ReadRows(ctx, arg, fn, append(opts, bigtable.RowFilter(f.filter()))...)
}

// First returns the newest item of a column, if there is one.
func First(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}
