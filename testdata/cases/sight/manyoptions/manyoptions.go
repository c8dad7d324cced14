// Package manyoptions decides by many conditions: those that constants decide,
// and those that have nothing to do with the filter.
package manyoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type query struct {
	family  string
	column  string
	latest  int
	strip   bool
	sample  float64
	live    bool
	limit   int64
	reverse bool
	start   string
	end     string
	after   string
}

func filters(q query) []bigtable.Filter {
	var fs []bigtable.Filter
	if q.family != "" {
		fs = append(fs, bigtable.FamilyFilter(q.family))
	}
	if q.column != "" {
		fs = append(fs, bigtable.ColumnFilter(q.column))
	}
	if q.latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(q.latest))
	}
	if q.strip {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if q.sample > 0 {
		fs = append(fs, bigtable.RowSampleFilter(q.sample))
	}
	if q.live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return fs
}

func chain(fs []bigtable.Filter) bigtable.Filter {
	switch len(fs) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

func dead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(chain(filters(query{family: "token", column: "jwt", latest: 1, strip: true})))) // want `missing-filter: .*"token"`
}

func okLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(chain(filters(query{family: "token", column: "jwt", latest: 1, live: true}))))
}

// Pages are chosen by much that says nothing of the filter.
func pages(ctx context.Context, c *bigtable.Client, q query, token string, size int, each func(bigtable.Row) bool) error {
	start, end := q.start, q.end
	if token != "" {
		start = token + "\x00"
	}
	if q.after != "" && q.after > start {
		start = q.after
	}
	if end == "" {
		end = start + "\xff"
	}
	if size <= 0 {
		size = 100
	}
	if size > 1000 {
		size = 1000
	}
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)))}
	if size > 0 {
		opts = append(opts, bigtable.LimitRows(int64(size)))
	}
	if q.reverse {
		opts = append(opts, bigtable.ReverseScan())
	}
	set := bigtable.NewRange(start, end)
	if q.start == q.end && q.start != "" {
		set = bigtable.PrefixRange(q.start)
	}
	return c.Open("sessions").ReadRows(ctx, set, each, opts...) // want `missing-filter: .*"token"`
}

func okPages(ctx context.Context, c *bigtable.Client, q query, token string, size int, each func(bigtable.Row) bool) error {
	start, end := q.start, q.end
	if token != "" {
		start = token + "\x00"
	}
	if q.after != "" && q.after > start {
		start = q.after
	}
	if end == "" {
		end = start + "\xff"
	}
	if size <= 0 {
		size = 100
	}
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))}
	if size > 0 {
		opts = append(opts, bigtable.LimitRows(int64(size)))
	}
	if q.reverse {
		opts = append(opts, bigtable.ReverseScan())
	}
	return c.Open("sessions").ReadRows(ctx, bigtable.NewRange(start, end), each, opts...)
}
