// Package options brings the filter to the read on every way that real code
// knows: locals, append, opts..., helpers, closures, fields.
package options

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

func open(c *bigtable.Client) *bigtable.Table { return c.Open("otp") }

// Locals.

func okLocal(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func local(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.LatestNFilter(1)
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter: .*"code"`
}

func localOption(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opt := bigtable.RowFilter(bigtable.LatestNFilter(1))
	return open(c).ReadRow(ctx, "k", opt) // want `missing-filter: .*"code"`
}

func okWrappedAgain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.LatestNFilter(1)
	f = bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), f)
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func oneBranch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	if os.Getenv("ALL") != "" {
		f = bigtable.PassAllFilter()
	}
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter: .*"code"`
}

func okBothBranches(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	if os.Getenv("ONE") != "" {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(1))
	}
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f))
}

// Slices.

func okSlice(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))}
	return open(c).ReadRow(ctx, "k", opts...)
}

func slice(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}
	return open(c).ReadRow(ctx, "k", opts...) // want `missing-filter: .*"code"`
}

func okAppend(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	var opts []bigtable.ReadOption
	opts = append(opts, bigtable.LimitRows(10))
	opts = append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return open(c).ReadRows(ctx, bigtable.PrefixRange("a"), visit, opts...)
}

func appended(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	var opts []bigtable.ReadOption
	opts = append(opts, bigtable.LimitRows(10))
	return open(c).ReadRows(ctx, bigtable.PrefixRange("a"), visit, opts...) // want `missing-filter: .*"code"`
}

func appendedSometimes(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	var opts []bigtable.ReadOption
	if os.Getenv("LIVE") != "" {
		opts = append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	}
	return open(c).ReadRows(ctx, bigtable.PrefixRange("a"), visit, opts...) // want `missing-filter: .*"code"`
}

func okAppendToUnknown(ctx context.Context, c *bigtable.Client, opts []bigtable.ReadOption) (bigtable.Row, error) {
	opts = append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return open(c).ReadRow(ctx, "k", opts...)
}

func okFiltersSlice(ctx context.Context, c *bigtable.Client, columns ...string) (bigtable.Row, error) {
	filters := []bigtable.Filter{bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1)}
	for _, col := range columns {
		filters = append(filters, bigtable.ColumnFilter(col))
	}
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(filters...)))
}

func filtersSlice(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	filters := []bigtable.Filter{bigtable.FamilyFilter("code")}
	filters = append(filters, bigtable.LatestNFilter(1))
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(filters...))) // want `missing-filter: .*"code"`
}

// Helpers that return a filter or options.

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func latest() bigtable.Filter { return bigtable.LatestNFilter(1) }

func liveOption() bigtable.ReadOption { return bigtable.RowFilter(live()) }

func latestOption() bigtable.ReadOption { return bigtable.RowFilter(latest()) }

func liveOnly(opts ...bigtable.ReadOption) []bigtable.ReadOption {
	return append(opts, liveOption())
}

func limited(n int64) []bigtable.ReadOption {
	return []bigtable.ReadOption{bigtable.LimitRows(n), latestOption()}
}

func okHelper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(live()))
}

func helper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(latest())) // want `missing-filter: .*"code"`
}

func okOptionHelper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", liveOption())
}

func optionHelper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", latestOption()) // want `missing-filter: .*"code"`
}

func okOptionsHelper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", liveOnly()...)
}

func okOptionsHelperWithMore(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", liveOnly(bigtable.LimitRows(1))...)
}

func optionsHelper(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", limited(10)...) // want `missing-filter: .*"code"`
}

// readFilter chooses by a parameter.
func readFilter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func okReadFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(readFilter(false)))
}

func readFilterExpired(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(readFilter(true))) // want `missing-filter: .*"code"`
}

func okReadFilterUnknown(ctx context.Context, c *bigtable.Client, expired bool) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(readFilter(expired)))
}

// since takes the start of the range.
func since(t time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(t, time.Time{}) }

func okSince(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(since(time.Now())))
}

func sinceAnHour(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(since(time.Now().Add(-time.Hour)))) // want `wrong-bound: .*"code"`
}

func maxAge(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

func okMaxAge(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(maxAge(720*time.Hour)))
}

func otherMaxAge(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(maxAge(24*time.Hour))) // want `wrong-bound: .*"event"`
}

// with combines what it is given with a limit of versions.
func with(fs ...bigtable.Filter) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(append(fs, bigtable.LatestNFilter(1))...))
}

func okWith(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", with(live()))
}

func withColumn(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", with(bigtable.ColumnFilter("c"))) // want `missing-filter: .*"code"`
}

// Functions that read: the finding stands where the filter is supplied.

type store struct {
	tbl     *bigtable.Table
	filter  bigtable.Filter
	options []bigtable.ReadOption
}

func newStore(c *bigtable.Client) *store {
	return &store{tbl: c.Open("otp"), filter: bigtable.LatestNFilter(1)}
}

func (s *store) read(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

func (s *store) okRead(ctx context.Context) (bigtable.Row, error) {
	return s.read(ctx, "k", live())
}

func (s *store) badRead(ctx context.Context) (bigtable.Row, error) {
	return s.read(ctx, "k", bigtable.LatestNFilter(1)) // want `missing-filter: .*"code"`
}

func (s *store) readWith(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) okReadWith(ctx context.Context) (bigtable.Row, error) {
	return s.readWith(ctx, "k", liveOption())
}

func (s *store) badReadWith(ctx context.Context) (bigtable.Row, error) {
	return s.readWith(ctx, "k") // want `missing-filter: .*"code"`
}

func (s *store) okReadLive(ctx context.Context, fs ...bigtable.Filter) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(append([]bigtable.Filter{live()}, fs...)...)))
}

func (s *store) okCallsReadLive(ctx context.Context) (bigtable.Row, error) {
	return s.okReadLive(ctx, bigtable.LatestNFilter(1))
}

// A filter in a field.

func (s *store) fieldFilter(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(s.filter)) // want `missing-filter: .*"code"`
}

func (s *store) okFieldFilterChained(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(s.filter, live())))
}

// SetOptions is called by programs that are not analysed.
func (s *store) SetOptions(opts []bigtable.ReadOption) { s.options = opts }

func (s *store) okFieldOptions(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", s.options...)
}

// Closures.

func closure(ctx context.Context, c *bigtable.Client) func() (bigtable.Row, error) {
	f := bigtable.LatestNFilter(1)
	return func() (bigtable.Row, error) {
		return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter: .*"code"`
	}
}

func okClosure(ctx context.Context, c *bigtable.Client) func() (bigtable.Row, error) {
	f := live()
	return func() (bigtable.Row, error) {
		return open(c).ReadRow(ctx, "k", bigtable.RowFilter(f))
	}
}

func retried(ctx context.Context, c *bigtable.Client, retry func(func() error) error) (row bigtable.Row, err error) {
	err = retry(func() error {
		row, err = open(c).ReadRow(ctx, "k") // want `missing-filter: .*"code"`
		return err
	})
	return row, err
}

// Package variables.

var latestOnly = bigtable.LatestNFilter(1)

func packageVariable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(latestOnly)) // want `missing-filter: .*"code"`
}

func okPackageVariableChained(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return open(c).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(latestOnly, live())))
}
