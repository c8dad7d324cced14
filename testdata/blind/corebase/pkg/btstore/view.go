package btstore

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Getter is all that most code needs of a table.
type Getter interface {
	Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error)
}

// View is a table that is always read with the same options.
type View struct {
	*Table
	opts []ReadOpt
}

// With makes a view.
func (t *Table) With(opts ...ReadOpt) *View { return &View{Table: t, opts: opts} }

// Get reads one row of the view.
func (v *View) Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error) {
	all := make([]ReadOpt, 0, len(v.opts)+len(opts))
	all = append(append(all, v.opts...), opts...)
	return v.Table.Get(ctx, key, all...)
}
