package btx

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// rowReader is what a Reader needs of a table.
type rowReader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// readOptions is what ReadOptions set.
type readOptions struct {
	filter bigtable.Filter
	limit  int64
}

// ReadOption adjusts a read of a Reader.
type ReadOption interface {
	apply(*readOptions)
}

type filterOption struct{ filter bigtable.Filter }

func (o filterOption) apply(opts *readOptions) { opts.filter = o.filter }

// WithFilter reads through f.
func WithFilter(f bigtable.Filter) ReadOption { return filterOption{filter: f} }

type limitOption int64

func (o limitOption) apply(opts *readOptions) { opts.limit = int64(o) }

// WithLimit reads at most n rows.
func WithLimit(n int64) ReadOption { return limitOption(n) }

// Reader reads rows with the platform's options.
type Reader struct {
	tbl rowReader
}

// NewReader returns a Reader of a table.
func NewReader(tbl rowReader) *Reader { return &Reader{tbl: tbl} }

// Get reads one row.
func (r *Reader) Get(ctx context.Context, key string, opts ...ReadOption) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, build(opts)...)
}

// Scan reads rows.
func (r *Reader) Scan(ctx context.Context, rows bigtable.RowSet, f func(bigtable.Row) bool, opts ...ReadOption) error {
	return r.tbl.ReadRows(ctx, rows, f, build(opts)...)
}

func build(opts []ReadOption) []bigtable.ReadOption {
	var o readOptions
	for _, opt := range opts {
		opt.apply(&o)
	}
	var out []bigtable.ReadOption
	if o.filter != nil {
		out = append(out, bigtable.RowFilter(o.filter))
	}
	if o.limit > 0 {
		out = append(out, bigtable.LimitRows(o.limit))
	}
	return out
}
