// Package calledfilters chains filters that function values return, in
// helpers that leave out what is nil.
package calledfilters

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/calledfilters/lib"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func family() bigtable.Filter { return bigtable.FamilyFilter("token") }

// A reader has its filters in fields of function type.
type reader struct {
	tbl    *bigtable.Table
	bound  func() bigtable.Filter
	family func() bigtable.Filter
}

func newReader(c *bigtable.Client) *reader {
	return &reader{tbl: c.Open("sessions"), bound: live, family: family}
}

func all(filters ...bigtable.Filter) bigtable.Filter {
	var kept []bigtable.Filter
	for _, f := range filters {
		if f != nil {
			kept = append(kept, f)
		}
	}
	switch len(kept) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return kept[0]
	}
	return bigtable.ChainFilters(kept...)
}

func (r *reader) okFields(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(all(r.family(), r.bound())))
}

func (r *reader) okFieldsAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(lib.All(r.family(), r.bound())))
}

func (r *reader) okMakersAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(lib.With(r.family, r.bound)))
}

func (r *reader) okValue(ctx context.Context, key string) (bigtable.Row, error) {
	bound := func() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(all(bound(), family())))
}

func (r *reader) unbounded(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(all(r.family(), nil))) // want `missing-filter: .*"token"`
}

func (r *reader) unboundedAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(lib.All(r.family(), nil))) // want `missing-filter: .*"token"`
}

// One of another type whose bound is none.
type lax struct {
	tbl    *bigtable.Table
	bound  func() bigtable.Filter
	family func() bigtable.Filter
}

func newLax(c *bigtable.Client) *lax {
	return &lax{tbl: c.Open("sessions"), family: family, bound: func() bigtable.Filter { return nil }}
}

func (r *lax) read(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(all(r.family(), r.bound()))) // want `missing-filter: .*"token"`
}

// A helper calls what it is given.
func with(makers ...func() bigtable.Filter) bigtable.Filter {
	var kept []bigtable.Filter
	for _, m := range makers {
		if f := m(); f != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) == 1 {
		return kept[0]
	}
	return bigtable.ChainFilters(kept...)
}

func (r *reader) okMakers(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(with(r.family, r.bound)))
}

// Filters in a list in a field.
type listed struct {
	tbl     *bigtable.Table
	filters []func() bigtable.Filter
}

func newListed(c *bigtable.Client) *listed {
	return &listed{tbl: c.Open("sessions"), filters: []func() bigtable.Filter{live, family}}
}

func (l *listed) okRead(ctx context.Context, key string) (bigtable.Row, error) {
	var fs []bigtable.Filter
	for _, make := range l.filters {
		if f := make(); f != nil {
			fs = append(fs, f)
		}
	}
	return l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

// What a function that nobody knows returns may be nil, and is not known.
func (r *reader) OkGiven(ctx context.Context, key string, make func() bigtable.Filter) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(all(r.family(), make())))
}
