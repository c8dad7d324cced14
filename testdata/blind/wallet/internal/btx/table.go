// Package btx holds what the services share in their use of Bigtable: opening
// tables, decorators round them, filters, timestamps, and batches.
package btx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// Table is what the services use of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

var _ Table = (*bigtable.Table)(nil)

// Recorder takes the metrics of calls.
type Recorder interface {
	Observe(table, method string, took time.Duration, err error)
}

type nopRecorder struct{}

func (nopRecorder) Observe(string, string, time.Duration, error) {}

// tableOptions is what TableOptions set.
type tableOptions struct {
	attempts int
	backoff  time.Duration
	recorder Recorder
}

// TableOption adjusts a table that a Conn opens.
type TableOption interface {
	apply(*tableOptions)
}

type attemptsOption int

func (o attemptsOption) apply(opts *tableOptions) { opts.attempts = int(o) }

// WithAttempts limits how often a call is tried.
func WithAttempts(n int) TableOption { return attemptsOption(n) }

type recorderOption struct{ rec Recorder }

func (o recorderOption) apply(opts *tableOptions) { opts.recorder = o.rec }

// WithRecorder sends metrics to rec.
func WithRecorder(rec Recorder) TableOption { return recorderOption{rec: rec} }

// Conn is a connection to the platform's instance.
type Conn struct {
	client   *bigtable.Client
	attempts int
}

// Params is what New needs.
type Params struct {
	Config config.Bigtable
}

// Result is what New provides.
type Result struct {
	Conn *Conn
}

// New connects.
func New(ctx context.Context, p Params) (Result, error) {
	client, err := bigtable.NewClient(ctx, p.Config.Project, p.Config.Instance)
	if err != nil {
		return Result{}, fmt.Errorf("bigtable client: %w", err)
	}
	return Result{Conn: NewConn(client, p.Config.Attempts)}, nil
}

// NewConn wraps a client that exists.
func NewConn(client *bigtable.Client, attempts int) *Conn {
	return &Conn{client: client, attempts: max(attempts, 1)}
}

// Client is the client beneath, for what Conn does not offer.
func (c *Conn) Client() *bigtable.Client { return c.client }

// Close closes the client.
func (c *Conn) Close(context.Context) error { return c.client.Close() }

// Table opens a table and puts the decorators round it.
func (c *Conn) Table(name schema.Table, opts ...TableOption) Table {
	o := tableOptions{attempts: c.attempts, backoff: 50 * time.Millisecond, recorder: nopRecorder{}}
	for _, opt := range opts {
		opt.apply(&o)
	}
	var tbl Table = c.client.Open(name.String())
	if o.attempts > 1 {
		tbl = &retryTable{next: tbl, attempts: o.attempts, backoff: o.backoff}
	}
	return &metricsTable{next: tbl, name: name.String(), rec: o.recorder}
}

// metricsTable measures calls.
type metricsTable struct {
	next Table
	name string
	rec  Recorder
}

var _ Table = (*metricsTable)(nil)

func (t *metricsTable) observe(method string, start time.Time, err *error) {
	t.rec.Observe(t.name, method, time.Since(start), *err)
}

func (t *metricsTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (_ bigtable.Row, err error) {
	defer t.observe("ReadRow", time.Now(), &err)
	return t.next.ReadRow(ctx, row, opts...)
}

func (t *metricsTable) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) (err error) {
	defer t.observe("ReadRows", time.Now(), &err)
	return t.next.ReadRows(ctx, arg, f, opts...)
}

func (t *metricsTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	defer t.observe("Apply", time.Now(), &err)
	return t.next.Apply(ctx, row, m, opts...)
}

func (t *metricsTable) ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) (_ []error, err error) {
	defer t.observe("ApplyBulk", time.Now(), &err)
	return t.next.ApplyBulk(ctx, rowKeys, muts, opts...)
}

func (t *metricsTable) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (_ bigtable.Row, err error) {
	defer t.observe("ApplyReadModifyWrite", time.Now(), &err)
	return t.next.ApplyReadModifyWrite(ctx, row, m)
}

// retryTable repeats what is safe to repeat.
type retryTable struct {
	next     Table
	attempts int
	backoff  time.Duration
}

var _ Table = (*retryTable)(nil)

func (t *retryTable) do(ctx context.Context, f func() error) error {
	var errs []error
	for i := range t.attempts {
		err := f()
		if err == nil {
			return nil
		}
		errs = append(errs, err)
		if !retryable(err) {
			break
		}
		select {
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		case <-time.After(t.backoff << i):
		}
	}
	return errors.Join(errs...)
}

func retryable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded:
		return true
	default:
		return false
	}
}

func (t *retryTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	err = t.do(ctx, func() error {
		var err error
		r, err = t.next.ReadRow(ctx, row, opts...)
		return err
	})
	return r, err
}

func (t *retryTable) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	// A scan that has delivered rows must not start again.
	return t.next.ReadRows(ctx, arg, f, opts...)
}

func (t *retryTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return t.do(ctx, func() error { return t.next.Apply(ctx, row, m, opts...) })
}

func (t *retryTable) ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	return t.next.ApplyBulk(ctx, rowKeys, muts, opts...)
}

func (t *retryTable) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return t.next.ApplyReadModifyWrite(ctx, row, m)
}
