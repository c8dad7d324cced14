package rollup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Matcher restricts series.
type Matcher struct {
	Name, Value string
	Regexp      bool
}

// Query asks for a tenant's series over a time.
type Query struct {
	Tenant   string
	Metric   string
	From, To time.Time
	Matchers []Matcher
	Limit    int64
}

func (q Query) rows() bigtable.RowSet {
	var list bigtable.RowRangeList
	for d := q.From.UTC().Truncate(names.Day); !d.After(q.To); d = d.Add(names.Day) {
		list = append(list, bigtable.PrefixRange(rowKey(q.Tenant, q.Metric, d)))
	}
	return list
}

func (q Query) keyFilter() (bigtable.Filter, bool) {
	if len(q.Matchers) == 0 {
		return nil, false
	}
	parts := make([]string, 0, len(q.Matchers))
	for _, m := range q.Matchers {
		v := m.Value
		if !m.Regexp {
			v = regexp.QuoteMeta(v)
		}
		parts = append(parts, regexp.QuoteMeta(m.Name)+"="+v)
	}
	sort.Strings(parts)
	return bigtable.RowKeyFilter(".*" + strings.Join(parts, ".*") + ".*"), true
}

func buckets() bigtable.Filter { return bigtable.FamilyFilter(names.FamRollup) }

func kept() bigtable.Filter { return bt.Younger(names.RollupRetention) }

func (q Query) with(fs ...bigtable.Filter) bigtable.Filter {
	var all []bigtable.Filter
	if f, ok := q.keyFilter(); ok {
		all = append(all, f)
	}
	return bt.And(append(all, fs...)...)
}

func (s *Store) Range(ctx context.Context, q Query) (map[string][]Bucket, error) {
	out := map[string][]Bucket{}
	var bad error
	err := s.tbl.ReadRows(ctx, q.rows(), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		bs, err := decode(r)
		if err != nil {
			bad = err
			return false
		}
		out[r.Key()] = bs
		return true
	}, bigtable.RowFilter(q.with(buckets(), kept(), bigtable.LatestNFilter(1))), bigtable.LimitRows(q.Limit))
	return out, errors.Join(err, bad)
}

func decode(r bigtable.Row) ([]Bucket, error) {
	var bs []Bucket
	for _, it := range r[names.FamRollup] {
		b := Bucket{LeavesAt: it.Timestamp.Time().Add(names.RollupRetention)} // ok ttlage/not-write-time
		if err := b.unmarshal(it.Value); err != nil {
			return nil, fmt.Errorf("row %q: %w", r.Key(), err)
		}
		bs = append(bs, b)
	}
	return bs, nil
}

func (s *Store) RangeLatest(ctx context.Context, q Query) ([]bigtable.Row, error) {
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{q.with(buckets(), bigtable.LatestNFilter(1))}, Limit: q.Limit}) // want ttlread/missing-filter
}

func (s *Store) RangeWindow(ctx context.Context, q Query) ([]bigtable.Row, error) {
	f := q.with(buckets(), bigtable.TimestampRangeFilter(q.From, q.To))                                    // ok ttlread/upper-bound
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}, Limit: q.Limit}) // ok ttlread/missing-filter
}

func (s *Store) RangeMonth(ctx context.Context, q Query) ([]bigtable.Row, error) {
	f := q.with(buckets(), bt.Younger(30*names.Day))                                       // want ttlread/wrong-bound[month]
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}}) // want ttlread/wrong-bound[month]
}

func (s *Store) RangeQuarter(ctx context.Context, q Query) ([]bigtable.Row, error) {
	f := q.with(buckets(), bt.Younger(90*24*time.Hour)) // ok ttlread/wrong-bound
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}})
}

func (s *Store) RangeLive(ctx context.Context, q Query) ([]bigtable.Row, error) {
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{buckets(), bt.Live()}}) // want ttlread/wrong-bound
}

func (s *Store) RangePoints(ctx context.Context, q Query) (map[string][]Bucket, error) {
	out := map[string][]Bucket{}
	opts := []bigtable.ReadOption{bigtable.RowFilter(q.with(buckets(), bt.Younger(names.PointRetention)))} // want ttlread/wrong-bound[points]
	if q.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.Limit))
	}
	err := s.tbl.ReadRows(ctx, q.rows(), func(r bigtable.Row) bool { // want ttlread/wrong-bound[points]
		bs, err := decode(r)
		if err != nil {
			return false
		}
		out[r.Key()] = bs
		return true
	}, opts...)
	return out, err
}

func (s *Store) Settled(ctx context.Context, q Query) ([]bigtable.Row, error) {
	now := time.Now()
	f := bigtable.ChainFilters(buckets(), bigtable.TimestampRangeFilter(now.Add(-names.RollupRetention), now)) // want ttlread/upper-bound[settled]
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}})                     // want ttlread/upper-bound[settled]
}

func (s *Store) Outdated(ctx context.Context, q Query) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(buckets(), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-names.RollupRetention))) // want ttlread/expired-only[outdated]
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}})                                    // want ttlread/expired-only[outdated]
}

func (s *Store) Described(ctx context.Context, q Query) (string, []Bucket, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(q.Tenant, q.Metric, q.From), bigtable.RowFilter(kept())) // want ttlread/hides-other-families
	if err != nil {
		return "", nil, err
	}
	unit, _ := bt.Cell(row, names.FamHeader, colUnit)
	bs, err := decode(row)
	return string(unit.Value), bs, err
}

func (s *Store) DescribedAll(ctx context.Context, q Query) (string, []Bucket, error) {
	f := bt.Either(bigtable.FamilyFilter(names.FamHeader), bigtable.ChainFilters(buckets(), kept()))
	row, err := s.tbl.ReadRow(ctx, rowKey(q.Tenant, q.Metric, q.From), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return "", nil, err
	}
	unit, _ := bt.Cell(row, names.FamHeader, colUnit)
	bs, err := decode(row)
	return string(unit.Value), bs, err
}

func (s *Store) Units(ctx context.Context, tenant string) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamHeader] {
			if it.Column == names.FamHeader+":"+colUnit {
				out[r.Key()] = string(it.Value)
			}
		}
		return true
	})
	return out, err
}

func (s *Store) First(ctx context.Context, q Query, n int) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(buckets(), bigtable.CellsPerRowLimitFilter(n), kept())      // want ttlread/limit-before-filter[first]
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}}) // want ttlread/limit-before-filter[first]
}

func (s *Store) FirstKept(ctx context.Context, q Query, n int) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(buckets(), kept(), bigtable.CellsPerRowLimitFilter(n)) // ok ttlread/limit-before-filter
	return bt.Collect(ctx, s.tbl, bt.Query{Rows: q.rows(), Filters: []bigtable.Filter{f}})
}

func (s *Store) Page(ctx context.Context, q Query, offset int) ([]bigtable.Row, error) {
	var rows []bigtable.Row
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(buckets(), kept()))}
	opts = append(opts, bigtable.RowFilter(bigtable.CellsPerRowOffsetFilter(offset))) // want ttlread/overridden-filter[page]
	err := s.tbl.ReadRows(ctx, q.rows(), func(r bigtable.Row) bool {                  // want ttlread/overridden-filter[page]
		rows = append(rows, r)
		return true
	}, opts...)
	return rows, err
}

func (s *Store) PageOf(ctx context.Context, q Query, offset int) ([]bigtable.Row, error) {
	var rows []bigtable.Row
	fs := []bigtable.Filter{buckets(), kept()}
	if offset > 0 {
		fs = append(fs, bigtable.CellsPerRowOffsetFilter(offset))
	}
	err := s.tbl.ReadRows(ctx, q.rows(), func(r bigtable.Row) bool { // ok ttlread/overridden-filter
		rows = append(rows, r)
		return true
	}, bigtable.RowFilter(bt.And(fs...)))
	return rows, err
}

func (s *Store) Fresh(ctx context.Context, q Query) (time.Duration, error) {
	row, err := bt.One(ctx, s.tbl, rowKey(q.Tenant, q.Metric, q.To), buckets(), kept()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var newest bigtable.Timestamp
	for _, it := range row[names.FamRollup] {
		if it.Timestamp > newest {
			newest = it.Timestamp
		}
	}
	return time.Since(newest.Time()), nil // want ttlage/not-write-time
}

func (s *Store) Written(ctx context.Context, q Query) ([]Bucket, error) {
	row, err := bt.One(ctx, s.tbl, rowKey(q.Tenant, q.Metric, q.To), buckets(), kept())
	if err != nil {
		return nil, err
	}
	var out []Bucket
	for _, it := range row[names.FamRollup] {
		var b Bucket
		if b.unmarshal(it.Value) == nil {
			b.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
			out = append(out, b)
		}
	}
	return out, nil
}

func (s *Store) Has(ctx context.Context, tenant, series string, day time.Time) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(tenant, series, day), bigtable.RowFilter(bigtable.ChainFilters(buckets(), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return err == nil && len(row) > 0, err
}

func (s *Store) Days(ctx context.Context, tenant, series string) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"+series+"#"), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.StripValueFilter())) // ok ttlread/missing-filter
	return n, err
}
