package zerofield

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Query struct{ Versions int }

func (q Query) filter() bigtable.Filter {
	if q.Versions > 0 {
		return bigtable.LatestNFilter(q.Versions)
	}
	return bigtable.PassAllFilter()
}

type Reader struct{ tbl *bigtable.Table }

func (r *Reader) Query(ctx context.Context, q Query) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, "k", bigtable.RowFilter(q.filter()))
}

func (r *Reader) All(ctx context.Context) (bigtable.Row, error) {
	return r.Query(ctx, Query{}) // silent
}
