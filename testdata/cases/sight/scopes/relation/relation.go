// Package relation has a query that filters are added to until it is read.
package relation

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Relation struct {
	table  *bigtable.Table
	wheres []bigtable.Filter
}

func From(table *bigtable.Table) *Relation { return &Relation{table: table} }

func (r *Relation) Where(fs ...bigtable.Filter) *Relation {
	r.wheres = append(r.wheres, fs...)
	return r
}

func (r *Relation) Each(ctx context.Context, fn func(bigtable.Row) bool) error {
	return r.table.ReadRows(ctx, bigtable.InfiniteRange(""), fn, r.options()...)
}

func (r *Relation) Pluck(ctx context.Context, family string) (out []string, err error) {
	err = r.Each(ctx, func(row bigtable.Row) bool {
		for _, it := range row[family] {
			out = append(out, string(it.Value))
		}
		return true
	})
	return out, err
}

func (r *Relation) options() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	switch len(r.wheres) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(r.wheres[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(r.wheres...)))
	}
	return opts
}
