package dal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Decorator wraps a Table.
type Decorator func(Table) Table

// Decorate applies decorators, the last one outermost.
func Decorate(t Table, ds ...Decorator) Table {
	for _, d := range ds {
		t = d(t)
	}
	return t
}

type logged struct {
	Table
	name string
	log  Logger
}

// Logged logs what fails.
func Logged(name string, log Logger) Decorator {
	return func(t Table) Table { return &logged{Table: t, name: name, log: log} }
}

func (l *logged) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	r, err := l.Table.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
	if err != nil {
		l.log.Error("read row", "table", l.name, "row", row, "err", err)
	}
	return r, err
}

func (l *logged) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	err := l.Table.Apply(ctx, row, m, opts...)
	if err != nil {
		l.log.Error("apply", "table", l.name, "row", row, "err", err)
	}
	return err
}

type metered struct {
	next  Table
	name  string
	meter Meter
	clock Clock
}

// Metered measures every call.
func Metered(name string, m Meter, c Clock) Decorator {
	return func(t Table) Table { return &metered{next: t, name: name, meter: m, clock: c} }
}

func (m *metered) since(op string, start time.Time, err error) {
	m.meter.Observe(op, m.name, m.clock.Now().Sub(start), err)
}

func (m *metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	defer func(t time.Time) { m.since("read", t, err) }(m.clock.Now())
	return m.next.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
}

func (m *metered) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) (err error) {
	defer func(t time.Time) { m.since("scan", t, err) }(m.clock.Now())
	return m.next.ReadRows(ctx, arg, f, opts...) // ok ttlread/missing-filter
}

func (m *metered) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	defer func(t time.Time) { m.since("apply", t, err) }(m.clock.Now())
	return m.next.Apply(ctx, row, mut, opts...)
}

func (m *metered) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) (errs []error, err error) {
	defer func(t time.Time) { m.since("bulk", t, err) }(m.clock.Now())
	return m.next.ApplyBulk(ctx, keys, muts, opts...)
}

func (m *metered) ApplyReadModifyWrite(ctx context.Context, row string, rmw *bigtable.ReadModifyWrite) (r bigtable.Row, err error) {
	defer func(t time.Time) { m.since("rmw", t, err) }(m.clock.Now())
	return m.next.ApplyReadModifyWrite(ctx, row, rmw)
}

type retrying struct {
	Table
	max  int
	wait time.Duration
}

// Retrying repeats reads that the server was too busy for.
func Retrying(max int, wait time.Duration) Decorator {
	return func(t Table) Table { return &retrying{Table: t, max: max, wait: wait} }
}

func (r *retrying) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var last error
	for i := range r.max {
		got, err := r.Table.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
		if status.Code(err) != codes.Unavailable {
			return got, err
		}
		last = err
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(r.wait << i):
		}
	}
	return nil, last
}

// guarded adds a live filter to the reads of a table with one-second
// expiration that has no other families.
type guarded struct {
	Table
	clock Clock
}

// Guarded returns a decorator after which a read without a filter is safe.
func Guarded(c Clock) Decorator {
	return func(t Table) Table { return &guarded{Table: t, clock: c} }
}

func (g *guarded) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return g.Table.ReadRow(ctx, row, append(opts, bigtable.RowFilter(Live(g.clock)))...) // ok ttlread/missing-filter
}

func (g *guarded) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return g.Table.ReadRows(ctx, arg, f, append(opts, bigtable.RowFilter(Live(g.clock)))...) // ok ttlread/missing-filter
}
