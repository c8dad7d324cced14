// Package optionalfilter adds the filter of a query where there is one, which another
// package's option says.
package optionalfilter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/optionalfilter/opt"
)

type query struct{ filters []bigtable.Filter }

func all() query { return query{} }

func (q query) where(f bigtable.Filter) query {
	q.filters = copied(q.filters, f)
	return q
}

func copied[T any](xs []T, more ...T) []T {
	out := make([]T, 0, len(xs)+len(more))
	out = append(out, xs...)
	return append(out, more...)
}

func (q query) live() query {
	return q.where(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func (q query) filter() opt.Option[bigtable.Filter] {
	switch len(q.filters) {
	case 0:
		return opt.None[bigtable.Filter]()
	case 1:
		return opt.Some(q.filters[0])
	default:
		return opt.Some(bigtable.ChainFilters(q.filters...))
	}
}

func (q query) options() []bigtable.ReadOption {
	var out []bigtable.ReadOption
	if f, ok := q.filter().Get(); ok {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func okQueries(ctx context.Context, client *bigtable.Client) {
	tbl := client.Open("sessions")
	row, _ := tbl.ReadRow(ctx, "a", all().live().options()...)
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", all().where(bigtable.FamilyFilter("token")).live().options()...)
	use(row["token"])
}

func badQueries(ctx context.Context, client *bigtable.Client) {
	tbl := client.Open("sessions")
	row, _ := tbl.ReadRow(ctx, "a", all().options()...) // want `missing-filter: .*"token"`
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", all().where(bigtable.FamilyFilter("token")).options()...) // want `missing-filter: .*"token"`
	use(row["token"])
}

func wrapped(f bigtable.Filter) (out []bigtable.ReadOption) {
	if f, ok := opt.Some(f).Get(); ok {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func chosen(f bigtable.Filter, is bool) (out []bigtable.ReadOption) {
	if f, ok := opt.Of(f, is).Get(); ok {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func negated(f bigtable.Filter, is bool) (out []bigtable.ReadOption) {
	if f, absent := opt.Of(f, is).Absent(); !absent {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func first(fs ...bigtable.Filter) (out []bigtable.ReadOption) {
	if f, ok := opt.First(fs); ok {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func known(f bigtable.Filter, m map[string]bool) (out []bigtable.ReadOption) {
	if f, ok := opt.Known(f, m, "live"); ok {
		out = append(out, bigtable.RowFilter(f))
	}
	return out
}

func okHelpers(ctx context.Context, client *bigtable.Client) {
	tbl := client.Open("sessions")
	row, _ := tbl.ReadRow(ctx, "a", wrapped(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))...)
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", chosen(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), true)...)
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", negated(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), true)...)
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", first(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))...)
	use(row["token"])
}

func badHelpers(ctx context.Context, client *bigtable.Client, m map[string]bool) {
	tbl := client.Open("sessions")
	row, _ := tbl.ReadRow(ctx, "a", wrapped(bigtable.FamilyFilter("token"))...) // want `missing-filter: .*"token"`
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", chosen(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), false)...) // want `missing-filter: .*"token"`
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", negated(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), false)...) // want `missing-filter: .*"token"`
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", first()...) // want `missing-filter: .*"token"`
	use(row["token"])
	row, _ = tbl.ReadRow(ctx, "a", known(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), m)...) // want `missing-filter: .*"token"`
	use(row["token"])
}

func use([]bigtable.ReadItem) {}
