package optfilter

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type readOpts struct {
	versions int
	families []string
}

type ReadOpt func(*readOpts)

func Versions(n int) ReadOpt       { return func(o *readOpts) { o.versions = n } }
func Families(f ...string) ReadOpt { return func(o *readOpts) { o.families = f } }

func read(ctx context.Context, t *bigtable.Table, opts ...ReadOpt) (bigtable.Row, error) {
	o := readOpts{families: []string{"raw"}}
	for _, f := range opts {
		f(&o)
	}
	f := bigtable.FamilyFilter(o.families[0])
	if o.versions > 0 {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(o.versions))
	}
	return t.ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func Get(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return read(ctx, t) // silent
}
func Get2(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return read(ctx, t, Families("x"))
}
func Get3(ctx context.Context, t *bigtable.Table) (bigtable.Row, error) {
	return read(ctx, t, Versions(1))
}
