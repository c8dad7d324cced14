package bt

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned for rows and cells that are not there.
var ErrNotFound = errors.New("bt: not found")

// Reader is the reading half of a table.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Applier is the writing half of a table.
type Applier interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Table is all that repositories use of a table.
type Table interface {
	Reader
	Applier
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

var _ Table = (*bigtable.Table)(nil)

// Opener opens tables; *bigtable.Client has it.
type Opener interface {
	Open(table string) *bigtable.Table
}

// Middleware wraps a table.
type Middleware func(Table) Table

// Open opens a table and wraps it, the first middleware outermost.
func Open[T ~string](o Opener, id T, mw ...Middleware) Table {
	var t Table = o.Open(string(id))
	for i := len(mw) - 1; i >= 0; i-- {
		t = mw[i](t)
	}
	return t
}

// logged is a table that logs slow calls.
type logged struct {
	Table
	log  *slog.Logger
	slow time.Duration
}

// Logged logs calls that take longer than slow.
func Logged(log *slog.Logger, slow time.Duration) Middleware {
	return func(t Table) Table { return &logged{Table: t, log: log, slow: slow} }
}

func (l *logged) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	defer l.observe(ctx, "ReadRow", time.Now())
	return l.Table.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
}

func (l *logged) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer l.observe(ctx, "Apply", time.Now())
	return l.Table.Apply(ctx, row, m, opts...)
}

func (l *logged) observe(ctx context.Context, op string, start time.Time) {
	if d := time.Since(start); d > l.slow { // ok ttlage/not-write-time
		l.log.WarnContext(ctx, "slow bigtable call", "op", op, "took", d)
	}
}

// Rows ranges over rows. An error ends the sequence as its last pair.
func Rows(ctx context.Context, t Reader, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := t.ReadRows(ctx, set, func(r bigtable.Row) bool { // ok ttlread/missing-filter
			stopped = !yield(r, nil)
			return !stopped
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Cells ranges over the cells of one family of a row.
func Cells[F ~string](r bigtable.Row, family F) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range r[string(family)] {
			if !yield(it) {
				return
			}
		}
	}
}

// First is the first cell of a column, without the family's prefix.
func First[F ~string](r bigtable.Row, family F, column string) (bigtable.ReadItem, bool) {
	want := string(family) + ":" + column
	for it := range Cells(r, family) {
		if it.Column == want {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Batch collects mutations and writes them in groups.
type Batch struct {
	t    Table
	size int
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch makes a Batch of at most size rows.
func NewBatch(t Table, size int) *Batch { return &Batch{t: t, size: size} }

// Add adds a row's mutation and writes the batch when it is full.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
	if len(b.keys) < b.size {
		return nil
	}
	return b.Flush(ctx)
}

// Flush writes what is left.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.t.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	return errors.Join(append(errs, err)...)
}
