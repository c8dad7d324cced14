package model

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func (t *Locks) Scan(ctx context.Context, fn func(string, *Lock) bool, opts ...bigtable.ReadOption) error {
	return t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		l := new(Lock)
		return !l.Unmarshal(row) || fn(row.Key(), l)
	}, opts...)
}
