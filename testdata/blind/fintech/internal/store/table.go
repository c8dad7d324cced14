// Package store is the platform's layer over Bigtable: the table interface
// that repositories depend on, its decorators, and helpers for cells.
package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/telemetry"
)

// ErrNotFound says that a row or a cell is not there.
var ErrNotFound = errors.New("store: not found")

// Table is what repositories need of a Bigtable table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

var _ Table = (*bigtable.Table)(nil)

// Decorator wraps a table in another.
type Decorator func(Table) Table

// Open opens a table and decorates it; the first decorator is the innermost.
func Open(client *bigtable.Client, name schema.Table, ds ...Decorator) Table {
	var t Table = client.Open(string(name))
	for _, d := range ds {
		t = d(t)
	}
	return t
}

// metered counts and times calls.
type metered struct {
	next Table
	reg  *telemetry.Registry
	name string
	clk  clock.Clock
}

// WithMetrics counts calls under name.
func WithMetrics(reg *telemetry.Registry, name string) Decorator {
	return func(t Table) Table { return &metered{next: t, reg: reg, name: name, clk: clock.System{}} }
}

func (m *metered) observe(op string, start time.Time, err error) {
	m.reg.Observe(m.name+"."+op, clock.Since(m.clk, start))
	if err != nil {
		m.reg.Inc(m.name + "." + op + ".errors")
	}
}

func (m *metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	defer func(start time.Time) { m.observe("read_row", start, err) }(m.clk.Now())
	return m.next.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
}

func (m *metered) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) (err error) {
	defer func(start time.Time) { m.observe("read_rows", start, err) }(m.clk.Now())
	return m.next.ReadRows(ctx, arg, f, opts...) // ok ttlread/missing-filter
}

func (m *metered) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	defer func(start time.Time) { m.observe("apply", start, err) }(m.clk.Now())
	return m.next.Apply(ctx, row, mut, opts...) // ok ttlread/conditional-mutation
}

func (m *metered) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) (errs []error, err error) {
	defer func(start time.Time) { m.observe("apply_bulk", start, err) }(m.clk.Now())
	return m.next.ApplyBulk(ctx, keys, muts, opts...)
}

func (m *metered) ApplyReadModifyWrite(ctx context.Context, row string, rmw *bigtable.ReadModifyWrite) (r bigtable.Row, err error) {
	defer func(start time.Time) { m.observe("rmw", start, err) }(m.clk.Now())
	return m.next.ApplyReadModifyWrite(ctx, row, rmw) // ok ttlwrite/read-modify-write
}

// retrying repeats reads that failed for a passing reason.
type retrying struct {
	Table
	n       int
	backoff time.Duration
}

// WithRetry repeats reads up to n times.
func WithRetry(n int, backoff time.Duration) Decorator {
	return func(t Table) Table { return &retrying{Table: t, n: n, backoff: backoff} }
}

func transient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return true
	}
	return false
}

func (r *retrying) do(ctx context.Context, f func() error) error {
	var err error
	for i := 0; i <= r.n; i++ {
		if err = f(); err == nil || !transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.backoff << i):
		}
	}
	return err
}

func (r *retrying) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var out bigtable.Row
	err := r.do(ctx, func() (err error) {
		out, err = r.Table.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
		return err
	})
	return out, err
}

// traced logs a span per call.
type traced struct {
	Table
	log  *slog.Logger
	name string
}

// WithTracing logs a span per read.
func WithTracing(log *slog.Logger, name string) Decorator {
	return func(t Table) Table { return &traced{Table: t, log: log, name: name} }
}

func (t *traced) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	ctx, span := telemetry.StartSpan(ctx, t.log, t.name+".ReadRow")
	r, err := t.Table.ReadRow(ctx, row, opts...)
	span.End(err)
	return r, err
}

// cached keeps rows that were read without options for a short while; only
// tables of ordinary cells may use it.
type cached struct {
	Table
	clk  clock.Clock
	ttl  time.Duration
	mu   sync.Mutex
	rows map[string]cachedRow
}

type cachedRow struct {
	row   bigtable.Row
	until time.Time
}

// WithCache keeps whole rows for ttl.
func WithCache(ttl time.Duration) Decorator {
	return func(t Table) Table {
		return &cached{Table: t, clk: clock.System{}, ttl: ttl, rows: map[string]cachedRow{}}
	}
}

func (c *cached) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	if len(opts) > 0 {
		return c.Table.ReadRow(ctx, row, opts...)
	}
	c.mu.Lock()
	e, ok := c.rows[row]
	c.mu.Unlock()
	if ok && c.clk.Now().Before(e.until) {
		return e.row, nil
	}
	r, err := c.Table.ReadRow(ctx, row)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.rows[row] = cachedRow{row: r, until: c.clk.Now().Add(c.ttl)}
	c.mu.Unlock()
	return r, nil
}
