// Package bounds looks the bounds of a range up, each with a default of its own:
// the defaults are no pair.
package bounds

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
)

func num(r *http.Request, name string, def int) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil {
		return def
	}
	return n
}

func day(r *http.Request, name string, def time.Time) time.Time {
	if t, err := time.Parse(time.DateOnly, r.FormValue(name)); err == nil {
		return t
	}
	return def
}

func between(ctx context.Context, tbl *bigtable.Table, r *http.Request) (bigtable.Row, error) {
	from, to := int64(num(r, "from", 1)), int64(num(r, "to", 1))
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		bigtable.LatestNFilter(1),
		bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from*1000), bigtable.Timestamp(to*1000)),
	)))
}

func days(ctx context.Context, tbl *bigtable.Table, r *http.Request) (bigtable.Row, error) {
	epoch := time.Unix(1_700_000_000, 0)
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("sample"),
		bigtable.TimestampRangeFilter(day(r, "from", epoch), day(r, "to", epoch)),
	)))
}

func cleared(r *http.Request) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("sample", "c", bigtable.Timestamp(num(r, "from", 0))*1000, bigtable.Timestamp(num(r, "to", 1000))*1000)
	return m
}

// Bounds that are chosen together are judged together.
func together(ctx context.Context, tbl *bigtable.Table, wide bool) (bigtable.Row, error) {
	from, to := bigtable.Timestamp(5_000), bigtable.Timestamp(5_000)
	if wide {
		from, to = 1_000, 9_000
	}
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("sample"),
		bigtable.TimestampRangeFilterMicros(from, to),
	)))
}

func empty(ctx context.Context, tbl *bigtable.Table, r *http.Request) (bigtable.Row, error) {
	to := bigtable.Timestamp(num(r, "to", 7)) * 1000
	if to < 1000 {
		to = 9000
	}
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("sample"),
		bigtable.TimestampRangeFilterMicros(9000, 9000), // want `empty-range: the range ends where it starts`
	)))
}
