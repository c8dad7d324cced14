package trace

import (
	"context"
	"regexp"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// filterSpec is put together by options.
type filterSpec struct {
	family  string
	names   string
	after   time.Time
	before  time.Time
	latest  int
	noValue bool
}

// SearchOption changes a search.
type SearchOption func(*filterSpec)

func InColumns(re string) SearchOption { return func(s *filterSpec) { s.names = re } }

func KeptFor(d time.Duration) SearchOption {
	return func(s *filterSpec) { s.after = time.Now().Add(-d) }
}

func Newest(n int) SearchOption { return func(s *filterSpec) { s.latest = n } }

func KeysOnly() SearchOption { return func(s *filterSpec) { s.noValue = true } }

func spec(family string, opts ...SearchOption) bigtable.Filter {
	fs := &filterSpec{family: family}
	for _, o := range opts {
		o(fs)
	}
	return fs.filter()
}

func (fs *filterSpec) filter() bigtable.Filter {
	parts := []bigtable.Filter{bigtable.FamilyFilter(fs.family)}
	if !fs.after.IsZero() || !fs.before.IsZero() {
		parts = append(parts, bigtable.TimestampRangeFilter(fs.after, fs.before))
	}
	if fs.names != "" {
		parts = append(parts, bigtable.ColumnFilter(fs.names))
	}
	if fs.latest > 0 {
		parts = append(parts, bigtable.LatestNFilter(fs.latest))
	}
	if fs.noValue {
		parts = append(parts, bigtable.StripValueFilter())
	}
	return bt.And(parts...)
}

// Criteria of a search in the index.
type Criteria struct {
	Tenant   string
	From, To time.Time
	Name     string
	Limit    int
}

func (c Criteria) rows(service string) bigtable.RowSet {
	return bigtable.NewRange(indexKey(c.Tenant, service, c.From), indexKey(c.Tenant, service, c.To.Add(time.Hour)))
}

func (s *Store) Find(ctx context.Context, c Criteria, service string) ([]string, error) {
	f := spec(names.FamIndex, KeptFor(names.SpanRetention), Newest(1)) // ok ttlread/missing-filter
	return s.find(ctx, c, service, f)                                  // ok ttlread/missing-filter
}

func (s *Store) FindRecent(ctx context.Context, c Criteria, service string) ([]string, error) {
	f := spec(names.FamIndex, KeptFor(names.Day)) // want ttlread/wrong-bound[frecent]
	return s.find(ctx, c, service, f)             // want ttlread/wrong-bound[frecent]
}

func (s *Store) FindAny(ctx context.Context, c Criteria, service string) ([]string, error) {
	f := spec(names.FamIndex, Newest(1), InColumns(".*")) // want ttlread/missing-filter[fany]
	return s.find(ctx, c, service, f)                     // want ttlread/missing-filter[fany]
}

func (s *Store) find(ctx context.Context, c Criteria, service string, f bigtable.Filter) ([]string, error) {
	var out []string
	err := s.index.ReadRows(ctx, c.rows(service), func(r bigtable.Row) bool {
		for _, it := range r[names.FamIndex] {
			if c.Name != "" && string(it.Value) != c.Name {
				continue
			}
			out = append(out, it.Column[len(names.FamIndex)+1:])
		}
		return c.Limit == 0 || len(out) < c.Limit
	}, bigtable.RowFilter(f))
	return out, err
}

func (s *Store) Scan(ctx context.Context, tenant string) (int, error) {
	kept := bt.Younger(names.SpanRetention)
	ch, errs := bt.FanOut(ctx, []bt.Shard{ // ok ttlread/missing-filter
		{Name: "spans", Table: s.spans, Rows: bigtable.PrefixRange(tenant + "#"), Filter: bt.InFamily(names.FamSpan, kept)},
		{Name: "index", Table: s.index, Rows: bigtable.PrefixRange(tenant + "#"), Filter: kept},
	}, 2)
	bytes := 0
	for r := range ch {
		for _, items := range r.Row {
			for _, it := range items {
				bytes += len(it.Value)
			}
		}
	}
	return bytes, errs()
}

func (s *Store) ScanRaw(ctx context.Context, tenant string) (int, error) {
	ch, errs := bt.FanOut(ctx, []bt.Shard{ // want ttlread/missing-filter[scanraw]
		{Name: "index", Table: s.index, Rows: bigtable.PrefixRange(tenant + "#")}, // want ttlread/missing-filter[scanraw]
	}, 1)
	bytes := 0
	for r := range ch {
		for _, items := range r.Row {
			for _, it := range items {
				bytes += len(it.Value)
			}
		}
	}
	return bytes, errs()
}

func (s *Store) Services(ctx context.Context, tenant string) ([]string, error) {
	re := regexp.MustCompile(`^[^#]+#([^#]+)#`)
	seen := map[string]bool{}
	var out []string
	err := s.index.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if m := re.FindStringSubmatch(r.Key()); m != nil && !seen[m[1]] {
			seen[m[1]] = true
			out = append(out, m[1])
		}
		return true
	}, bigtable.RowFilter(spec(names.FamIndex, KeysOnly())))
	return out, err
}

func (s *Store) Names(ctx context.Context, tenant, service string) (map[string]int, error) {
	out := map[string]int{}
	err := bt.Each(ctx, s.index, bt.Query{Rows: bigtable.PrefixRange(tenant + "#" + service + "#"), Filters: []bigtable.Filter{bigtable.LatestNFilter(1)}}, func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[names.FamIndex] {
			out[string(it.Value)]++
		}
		return true
	})
	return out, err
}

func (s *Store) NamesKept(ctx context.Context, tenant, service string) (map[string]int, error) {
	out := map[string]int{}
	err := bt.Each(ctx, s.index, bt.Query{Rows: bigtable.PrefixRange(tenant + "#" + service + "#"), Filters: []bigtable.Filter{bt.Younger(names.SpanRetention), bigtable.LatestNFilter(1)}}, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamIndex] {
			out[string(it.Value)]++
		}
		return true
	})
	return out, err
}

func (s *Store) Tenant(ctx context.Context, tenant string, f func(Span) bool) error {
	keep := bigtable.TimestampRangeFilter(time.Now().Add(-s.keep.Of(tenant)), time.Time{})     // ok ttlread/wrong-bound
	return s.spans.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		spans, err := decodeSpans(r)
		for _, sp := range spans {
			if !f(sp) {
				return false
			}
		}
		return err == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSpan), keep)))
}

func (s *Store) Aged(ctx context.Context, tenant string) (int, error) {
	n := 0
	cut := bigtable.Time(time.Now().Add(-names.SpanRetention))
	err := s.spans.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamSpan] {
			if it.Timestamp < cut {
				continue
			}
			n += len(it.Value)
		}
		return true
	})
	return n, err
}

func (s *Store) Slow(ctx context.Context, tenant string, min time.Duration) ([]Span, error) {
	var out []Span
	err := s.spans.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[slow]
		spans, err := decodeSpans(r)
		for _, sp := range spans {
			if sp.Took >= min {
				out = append(out, sp)
			}
		}
		return err == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSpan), bt.Live()))) // want ttlread/wrong-bound[slow]
	return out, err
}

func (s *Store) Orphans(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(names.FamSpan)}
	fs = append(fs, bigtable.ValueFilter(`.*"parent":"[0-9a-f]+".*`))
	return bt.Collect(ctx, s.spans, bt.Query{Rows: bigtable.PrefixRange(tenant + "#"), Filters: fs}) // want ttlread/missing-filter
}

func (s *Store) OrphansKept(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(names.FamSpan), bt.Younger(names.SpanRetention)}
	fs = append(fs, bigtable.ValueFilter(`.*"parent":"[0-9a-f]+".*`))
	return bt.Collect(ctx, s.spans, bt.Query{Rows: bigtable.PrefixRange(tenant + "#"), Filters: fs}) // ok ttlread/missing-filter
}

func (s *Store) Empty(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLink), bigtable.TimestampRangeFilterMicros(5_000_000, 2_000_000)) // want ttlunit/empty-range
	return s.spans.ReadRow(ctx, key, bigtable.RowFilter(f))
}

func (s *Store) Some(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLink), bigtable.TimestampRangeFilterMicros(2_000_000, 5_000_000)) // ok ttlunit/empty-range
	return s.spans.ReadRow(ctx, key, bigtable.RowFilter(f))
}
