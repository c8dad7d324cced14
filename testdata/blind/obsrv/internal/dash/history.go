package dash

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Entry is a line of a dashboard's history.
type Entry struct {
	Revision int64     `json:"revision"`
	Title    string    `json:"title"`
	SavedAt  time.Time `json:"saved_at"`
	Updated  time.Time `json:"updated"`
	By       string    `json:"by"`
}

type part func([]bigtable.Filter) []bigtable.Filter

func revisions(n int) part {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		return append(fs, bigtable.FamilyFilter(names.FamRev), bigtable.LatestNFilter(n))
	}
}

func columns(pattern string) part {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		if pattern == "" {
			return fs
		}
		return append(fs, bigtable.ColumnFilter(pattern))
	}
}

func values(pattern string) part {
	return func(fs []bigtable.Filter) []bigtable.Filter {
		if pattern == "" {
			return fs
		}
		return append(fs, bigtable.ValueFilter(pattern))
	}
}

func build(parts ...part) bigtable.Filter {
	var fs []bigtable.Filter
	for _, p := range parts {
		fs = p(fs)
	}
	return bt.And(fs...)
}

func (s *Store) History(ctx context.Context, id string) ([]Entry, error) {
	row, err := bt.One(ctx, s.boards, id, build(revisions(names.RevisionsKept), columns(colTitle))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row[names.FamRev] {
		out = append(out, Entry{Revision: bt.SeqOf(it.Timestamp), Title: string(it.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

func (s *Store) LongHistory(ctx context.Context, id string) ([]Entry, error) {
	row, err := bt.One(ctx, s.boards, id, build(revisions(100), columns(colTitle))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row[names.FamRev] {
		out = append(out, Entry{
			Revision: int64(it.Timestamp) / 1000,
			Title:    string(it.Value),
			Updated:  it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return out, nil
}

func (s *Store) Latest(ctx context.Context, id string) (*Doc, error) {
	row, err := s.boards.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (*Doc, error) {
	it, ok := bt.Cell(row, names.FamRev, colDoc)
	if !ok {
		return nil, bt.ErrNoRow
	}
	var d Doc
	if err := json.Unmarshal(it.Value, &d); err != nil {
		return nil, err
	}
	d.Revision = bt.SeqOf(it.Timestamp)
	if who, ok := bt.Cell(row, names.FamAudit, colWho); ok {
		d.Author = string(who.Value)
		d.Updated = who.Timestamp.Time() // ok ttlage/not-write-time
	}
	return &d, nil
}

func (s *Store) Full(ctx context.Context, id string) (*Doc, error) {
	row, err := s.boards.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func (s *Store) Docs(ctx context.Context, prefix string) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colDoc))                // want ttlread/version-limit[docs]
	return bt.Collect(ctx, s.boards, bt.Query{Rows: bigtable.PrefixRange(prefix), Filters: []bigtable.Filter{f}}) // want ttlread/version-limit[docs]
}

func (s *Store) DocsLatest(ctx context.Context, prefix string) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colDoc), bigtable.LatestNFilter(1))
	return bt.Collect(ctx, s.boards, bt.Query{Rows: bigtable.PrefixRange(prefix), Filters: []bigtable.Filter{f}}) // ok ttlread/version-limit
}

func (s *Store) By(ctx context.Context, author string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ValueFilter(".*"+author+".*"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[by]
	var ids []string
	err := s.boards.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[by]
		if it, ok := bt.Cell(r, names.FamRev, colDoc); ok {
			ids = append(ids, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return ids, err
}

func (s *Store) ByLatest(ctx context.Context, author string) ([]string, error) {
	f := build(revisions(1), columns(colDoc), values(".*"+author+".*")) // ok ttlread/version-limit
	var ids []string
	err := s.boards.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		ids = append(ids, r.Key())
		return true
	}, bigtable.RowFilter(f))
	return ids, err
}

func (s *Store) LastWeek(ctx context.Context, id string) (bigtable.Row, error) {
	return bt.One(ctx, s.boards, id, bt.InFamily(names.FamRev, bt.Younger(7*names.Day))) // want ttlread/wrong-bound
}

func (s *Store) AuditWeek(ctx context.Context, id string) (bigtable.Row, error) {
	return bt.One(ctx, s.boards, id, bt.InFamily(names.FamAudit, bt.Younger(7*names.Day))) // ok ttlread/wrong-bound
}

func (s *Store) Since(ctx context.Context, id string, at time.Time) (bigtable.Row, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.TimestampRangeFilter(at, now), bigtable.LatestNFilter(names.RevisionsKept)) // want ttlread/wrong-bound[since]
	return s.boards.ReadRow(ctx, id, bigtable.RowFilter(f))                                                                                              // want ttlread/wrong-bound[since]
}

func (s *Store) At(ctx context.Context, id string, rev int64) (bigtable.Row, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamRev),
		bigtable.TimestampRangeFilterMicros(bt.Seq(rev), bt.Seq(rev+1)), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)
	return s.boards.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/version-limit
}

func (s *Store) Settings(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.boards.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(names.FamConfig))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[names.FamConfig] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

func (s *Store) SettingsPage(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.boards.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(names.FamConfig))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[names.FamConfig] {
		modified := it.Timestamp.Time()                // want ttlage/not-write-time[setpage]
		out[it.Column] = modified.Format(time.RFC1123) // want ttlage/not-write-time[setpage]
	}
	return out, nil
}

func (s *Store) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.boards.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

func (s *Store) Publish(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamAudit, "published", bigtable.Now(), nil)                                                                                // ok ttlwrite/write-time
	approved := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter("state"), bigtable.ValueFilter("approved")) // want ttlread/conditional-mutation[publish]
	return s.boards.Apply(ctx, id, bigtable.NewCondMutation(approved, mut, nil))                                                             // want ttlread/conditional-mutation[publish]
}

func (s *Store) PublishLatest(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamAudit, "published", bigtable.Now(), nil)
	approved := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter("state"), bigtable.LatestNFilter(1), bigtable.ValueFilter("approved"))
	return s.boards.Apply(ctx, id, bigtable.NewCondMutation(approved, mut, nil)) // ok ttlread/conditional-mutation
}

func (s *Store) Reserve(ctx context.Context, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bt.Seq(1), body)                                                          // ok ttlwrite/unscaled-sequence
	return s.boards.Apply(ctx, id, bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamRev), nil, mut)) // ok ttlread/conditional-mutation
}

func (s *Store) Diff(ctx context.Context, id string) (bigtable.Row, error) {
	return s.boards.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.LatestNFilter(2)))) // ok ttlread/version-limit
}

func (s *Store) NoneOf(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.boards.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		ids = append(ids, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter
	return ids, err
}
