package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
)

// ReadOpt is a functional option of Reader's methods.
type ReadOpt func(*readPlan)

type readPlan struct {
	filters []bigtable.Filter
	opts    []bigtable.ReadOption
}

// Live drops what expired before now.
func Live(now time.Time) ReadOpt {
	return func(p *readPlan) { p.filters = append(p.filters, LiveFilter(now)) }
}

// Latest keeps the newest n cells of each column.
func Latest(n int) ReadOpt {
	return func(p *readPlan) { p.filters = append(p.filters, bigtable.LatestNFilter(n)) }
}

// Only keeps one family.
func Only(f schema.Family) ReadOpt {
	return func(p *readPlan) { p.filters = append(p.filters, bigtable.FamilyFilter(f.String())) }
}

// Limit stops after n rows.
func Limit(n int64) ReadOpt {
	return func(p *readPlan) { p.opts = append(p.opts, bigtable.LimitRows(n)) }
}

func (p *readPlan) build() []bigtable.ReadOption {
	switch len(p.filters) {
	case 0:
		return p.opts
	case 1:
		return append(p.opts, bigtable.RowFilter(p.filters[0]))
	}
	return append(p.opts, bigtable.RowFilter(bigtable.ChainFilters(p.filters...)))
}

// Reader reads with ReadOpts.
type Reader struct{ tbl Table }

// NewReader reads from tbl.
func NewReader(tbl Table) Reader { return Reader{tbl: tbl} }

// Get reads one row.
func (r Reader) Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error) {
	var p readPlan
	for _, o := range opts {
		o(&p)
	}
	row, err := r.tbl.ReadRow(ctx, key, p.build()...)
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNotFound
	}
	return row, nil
}

// Scan reads the rows under a prefix.
func (r Reader) Scan(ctx context.Context, prefix string, f func(bigtable.Row) error, opts ...ReadOpt) error {
	var p readPlan
	for _, o := range opts {
		o(&p)
	}
	var inner error
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		inner = f(row)
		return inner == nil
	}, p.build()...)
	if err == nil {
		err = inner
	}
	return err
}
