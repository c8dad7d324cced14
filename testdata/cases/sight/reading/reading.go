// Package reading collects what options ask for, and makes filters of it when it
// reads.
package reading

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type option func(*reading)

type reading struct {
	families []string
	filters  []bigtable.Filter
	limit    int64
}

func families(names ...string) option {
	return func(r *reading) { r.families = append(r.families, names...) }
}

func alive() option {
	return func(r *reading) {
		r.filters = append(r.filters, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
}

func limit(n int64) option { return func(r *reading) { r.limit = n } }

func (r reading) options() []bigtable.ReadOption {
	var fs []bigtable.Filter
	switch len(r.families) {
	case 0:
	case 1:
		fs = append(fs, bigtable.FamilyFilter(r.families[0]))
	default:
		var alt []bigtable.Filter
		for _, f := range r.families {
			alt = append(alt, bigtable.FamilyFilter(f))
		}
		fs = append(fs, bigtable.InterleaveFilters(alt...))
	}
	fs = append(fs, r.filters...)
	var out []bigtable.ReadOption
	switch len(fs) {
	case 0:
	case 1:
		out = append(out, bigtable.RowFilter(fs[0]))
	default:
		out = append(out, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	}
	if r.limit > 0 {
		out = append(out, bigtable.LimitRows(r.limit))
	}
	return out
}

func read(ctx context.Context, t *bigtable.Table, key string, opts ...option) (bigtable.Row, error) {
	var r reading
	for _, o := range opts {
		o(&r)
	}
	return t.ReadRow(ctx, key, r.options()...)
}

func reads(ctx context.Context, c *bigtable.Client, id string) (out [][]bigtable.ReadItem, err error) {
	t := c.Open("sessions")
	a, err := read(ctx, t, id, families("token"), alive())
	if err != nil {
		return nil, err
	}
	b, err := read(ctx, t, id, families("token")) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	d, err := read(ctx, t, id, families("profile"), limit(3))
	if err != nil {
		return nil, err
	}
	e, err := read(ctx, t, id, families("profile", "token"), alive())
	if err != nil {
		return nil, err
	}
	return append(out, a["token"], b["token"], d["profile"], e["profile"]), nil
}

func whole(ctx context.Context, c *bigtable.Client, id string) (bigtable.Row, error) {
	return read(ctx, c.Open("sessions"), id) // want `missing-filter: .*"token"`
}
