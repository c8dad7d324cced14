package flags

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Seven flags of the receiver, one of which bounds: that is the program's own data,
// and it happens that none is set.
type scanner struct {
	tbl                          *bigtable.Table
	live, one, strip, col, sampl bool
	fam, prefix                  string
}

// NewScanner makes a scanner.
func NewScanner(c *bigtable.Client, live, one, strip, col, sampl bool, fam, prefix string) *scanner {
	return &scanner{c.Open("sessions"), live, one, strip, col, sampl, fam, prefix}
}

func (s *scanner) read(ctx context.Context, key string) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter("token")}
	if s.live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.one {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if s.strip {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if s.col {
		fs = append(fs, bigtable.ColumnFilter("jwt"))
	}
	if s.sampl {
		fs = append(fs, bigtable.RowSampleFilter(0.5))
	}
	if s.fam != "" {
		fs = append(fs, bigtable.FamilyFilter(s.fam))
	}
	if s.prefix != "" {
		fs = append(fs, bigtable.RowKeyFilter(s.prefix+".*"))
	}
	if len(fs) == 1 {
		return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(fs[0])) // want `missing-filter: .*"token"`
	}
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // not seen: missing-filter
}

// Functional options.
type query struct {
	family, column  string
	versions        int
	live, keys, all bool
	limit           int64
}

type option func(*query)

func family(f string) option { return func(q *query) { q.family = f } }
func latest(n int) option    { return func(q *query) { q.versions = n } }
func live() option           { return func(q *query) { q.live = true } }
func limit(n int64) option   { return func(q *query) { q.limit = n } }

func (s *store) get(ctx context.Context, key string, opts ...option) (bigtable.Row, error) {
	var q query
	for _, o := range opts {
		o(&q)
	}
	var fs []bigtable.Filter
	if q.family != "" {
		fs = append(fs, bigtable.FamilyFilter(q.family))
	}
	if q.column != "" {
		fs = append(fs, bigtable.ColumnFilter(q.column))
	}
	if q.live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if q.versions > 0 {
		fs = append(fs, bigtable.LatestNFilter(q.versions))
	}
	if q.keys {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if !q.all && q.versions == 0 {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	var ro []bigtable.ReadOption
	if len(fs) == 1 {
		ro = append(ro, bigtable.RowFilter(fs[0]))
	} else if len(fs) > 1 {
		ro = append(ro, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	}
	if q.limit > 0 {
		ro = append(ro, bigtable.LimitRows(q.limit))
	}
	return s.tbl.ReadRow(ctx, key, ro...)
}

func (s *store) dead(ctx context.Context) (bigtable.Row, error) {
	return s.get(ctx, "k", family("token")) // want `missing-filter: .*"token"`
}

func (s *store) deadLatest(ctx context.Context) (bigtable.Row, error) {
	return s.get(ctx, "k", latest(1), limit(2)) // want `missing-filter: .*"token"`
}

func (s *store) okOptions(ctx context.Context) error {
	if _, err := s.get(ctx, "k", family("token"), live()); err != nil {
		return err
	}
	_, err := s.get(ctx, "k", live(), family("token"), latest(1), limit(3))
	return err
}

func (s *store) okProfile(ctx context.Context) (bigtable.Row, error) {
	return s.get(ctx, "k", family("profile"), latest(1))
}

// Positional flags.
func filterBy(live, one, strip, col, jwt, sample bool) bigtable.Filter {
	f := bigtable.FamilyFilter("token")
	if live {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if one {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(1))
	}
	if strip {
		f = bigtable.ChainFilters(f, bigtable.StripValueFilter())
	}
	if col && !jwt {
		f = bigtable.ChainFilters(f, bigtable.ColumnFilter("refresh"))
	}
	if jwt {
		f = bigtable.ChainFilters(f, bigtable.ColumnFilter("jwt"))
	}
	if sample {
		f = bigtable.ChainFilters(f, bigtable.RowSampleFilter(0.5))
	}
	return f
}

func (s *store) okPositional(ctx context.Context, sample bool) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(filterBy(true, false, false, true, false, sample)))
}

func (s *store) positional(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(filterBy(false, true, false, true, false, false))) // want `missing-filter: .*"token"`
}

// Whatever the flag, it is wrong.
func (s *store) either(ctx context.Context, sample bool) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(filterBy(false, true, false, true, false, sample))) // not seen: missing-filter
}

// The flag decides.
func (s *store) okEither(ctx context.Context, live bool) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(filterBy(live, true, false, true, false, false)))
}
