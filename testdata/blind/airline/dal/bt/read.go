package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type readSpec struct {
	filters []bigtable.Filter
	limit   int64
}

// ReadOpt configures a read.
type ReadOpt func(*readSpec)

func newSpec(opts []ReadOpt) *readSpec {
	s := &readSpec{}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *readSpec) options() []bigtable.ReadOption {
	var out []bigtable.ReadOption
	switch len(s.filters) {
	case 0:
	case 1:
		out = append(out, bigtable.RowFilter(s.filters[0]))
	default:
		out = append(out, bigtable.RowFilter(bigtable.ChainFilters(s.filters...)))
	}
	if s.limit > 0 {
		out = append(out, bigtable.LimitRows(s.limit))
	}
	return out
}

// With adds a filter; filters of several options are chained in order.
func With(f bigtable.Filter) ReadOpt {
	return func(s *readSpec) { s.filters = append(s.filters, f) }
}

// Limit limits the rows.
func Limit(n int64) ReadOpt { return func(s *readSpec) { s.limit = n } }

// Family restricts the read to families.
func Family(pattern string) ReadOpt { return With(bigtable.FamilyFilter(pattern)) }

// Column restricts the read to columns.
func Column(pattern string) ReadOpt { return With(bigtable.ColumnFilter(pattern)) }

// Latest keeps n versions.
func Latest(n int) ReadOpt { return With(bigtable.LatestNFilter(n)) }

// KeysOnly strips values.
func KeysOnly() ReadOpt {
	return With(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))
}

// Live keeps what has not expired yet.
func Live() ReadOpt { return With(LiveFilter()) }

// LiveFilter is the filter of Live.
func LiveFilter() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// LiveAt is Live for callers with a clock.
func LiveAt(now time.Time) ReadOpt { return With(bigtable.TimestampRangeFilter(now, time.Time{})) }

// Since keeps what is younger than d.
func Since(d time.Duration) ReadOpt { return With(YoungerThan(d)) }

// YoungerThan is the filter of Since.
func YoungerThan(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Between keeps a span of time.
func Between(from, to time.Time) ReadOpt { return With(bigtable.TimestampRangeFilter(from, to)) }

// LiveWith reads one expiring family alive and others as they are.
func LiveWith(expiring, others string) ReadOpt {
	return With(bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(expiring), LiveFilter()),
		bigtable.FamilyFilter(others),
	))
}

// Cells returns the cells of a family by qualifier.
func Cells(r bigtable.Row, family string) map[string]bigtable.ReadItem {
	out := map[string]bigtable.ReadItem{}
	for _, it := range r[family] {
		q := it.Column[len(family)+1:]
		if _, dup := out[q]; !dup {
			out[q] = it
		}
	}
	return out
}

// First returns the first cell's value of a column.
func First(r bigtable.Row, family, column string) ([]byte, bool) {
	for _, it := range r[family] {
		if it.Column == family+":"+column {
			return it.Value, true
		}
	}
	return nil, false
}
