package bt

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

type clockKey struct{}

// WithClock makes c the clock of what is done with the context.
func WithClock(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, c)
}

// ClockFrom is the clock of a context.
func ClockFrom(ctx context.Context) Clock {
	if c, ok := ctx.Value(clockKey{}).(Clock); ok {
		return c
	}
	return time.Now
}

// RowWrite is a row that is being put together.
type RowWrite struct {
	Key string
	mut *bigtable.Mutation
	at  bigtable.Timestamp
}

// NewRow begins a row. Its cells are written now unless At, Lasting or Rev says otherwise.
func NewRow(key string) *RowWrite {
	return &RowWrite{Key: key, mut: bigtable.NewMutation(), at: bigtable.Now()}
}

// At sets the timestamp of the cells that follow.
func (r *RowWrite) At(ts bigtable.Timestamp) *RowWrite {
	r.at = ts
	return r
}

// Lasting lets the cells that follow live for d.
func (r *RowWrite) Lasting(d time.Duration) *RowWrite { return r.At(ExpireIn(d)) }

// Rev writes the cells that follow at a revision.
func (r *RowWrite) Rev(n uint64) *RowWrite { return r.At(Seq(n)) }

// Set adds a cell.
func (r *RowWrite) Set(family, column string, value []byte) *RowWrite {
	r.mut.Set(family, column, r.at, value)
	return r
}

// SetAt adds a cell with a timestamp of its own.
func (r *RowWrite) SetAt(family, column string, ts bigtable.Timestamp, value []byte) *RowWrite {
	r.mut.Set(family, column, ts, value)
	return r
}

// Clear deletes a column.
func (r *RowWrite) Clear(family, column string) *RowWrite {
	r.mut.DeleteCellsInColumn(family, column)
	return r
}

// Mutation is what was put together.
func (r *RowWrite) Mutation() *bigtable.Mutation { return r.mut }

// Apply writes the row.
func (r *RowWrite) Apply(ctx context.Context, t Applier) error { return t.Apply(ctx, r.Key, r.mut) }

// ApplyAll writes rows in batches.
func ApplyAll(ctx context.Context, t Table, rows iter.Seq[*RowWrite]) error {
	b := NewBatch(t, 500)
	for r := range rows {
		if err := b.Add(ctx, r.Key, r.mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// Query is a read that is being put together.
type Query struct {
	Reader
	set    bigtable.RowSet
	filter []bigtable.Filter
	limit  int64
}

// From begins a read.
func From(r Reader, set bigtable.RowSet) *Query { return &Query{Reader: r, set: set} }

// Where adds a filter; all filters have to pass.
func (q *Query) Where(f ...bigtable.Filter) *Query {
	q.filter = append(q.filter, f...)
	return q
}

// Limit bounds the rows.
func (q *Query) Limit(n int64) *Query {
	q.limit = n
	return q
}

// Rows runs the read.
func (q *Query) Rows(ctx context.Context) iter.Seq2[bigtable.Row, error] {
	var opts []bigtable.ReadOption
	switch len(q.filter) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(q.filter[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(q.filter...)))
	}
	if q.limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.limit))
	}
	return Rows(ctx, q.Reader, q.set, opts...)
}
