// Package iter ranges over rows with an iterator, and looks at cells with the
// functions of package slices and with names that methods give.
package iter

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

type fam string

const (
	token   fam = "token"
	profile fam = "profile"
)

func (f fam) String() string { return string(f) }

func rows(ctx context.Context, tbl *bigtable.Table, rs bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stop := false
		err := tbl.ReadRows(ctx, rs, func(r bigtable.Row) bool {
			stop = !yield(r, nil)
			return !stop
		}, opts...)
		if err != nil && !stop {
			yield(nil, err)
		}
	}
}

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) checked(ctx context.Context) ([]string, error) {
	seen := map[string]struct{}{}
	t := bigtable.Time(time.Now())
	for row, err := range rows(ctx, s.tbl, bigtable.PrefixRange("d#"), bigtable.RowFilter(bigtable.FamilyFilter("token"))) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(row["token"], func(it bigtable.ReadItem) bool { return it.Timestamp > t }) {
			seen[row.Key()] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func (s *store) checkedRow(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return slices.DeleteFunc(row[token.String()], func(it bigtable.ReadItem) bool { return it.Timestamp.Time().Before(now) }), nil
}

func (s *store) uncheckedRow(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(row[token.String()], func(it bigtable.ReadItem) bool { return len(it.Value) == 0 }), nil
}

func (s *store) names(ctx context.Context) ([]string, error) {
	var out []string
	for row, err := range rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.LatestNFilter(1))) {
		if err != nil {
			return nil, err
		}
		for _, it := range row[profile.String()] {
			out = append(out, string(it.Value))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (s *store) tokens(ctx context.Context) ([]string, error) {
	var out []string
	for row, err := range rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.LatestNFilter(1))) { // want `missing-filter: .*"token"`
		if err != nil {
			return nil, err
		}
		for _, it := range row[token.String()] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

// newest takes the newest cell of an ordinary family.
func (s *store) newest(ctx context.Context, key string) (bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return bigtable.ReadItem{}, err
	}
	return slices.MaxFunc(row[string(profile)], func(a, b bigtable.ReadItem) int { return int(a.Timestamp - b.Timestamp) }), nil
}

func (s *store) newestToken(ctx context.Context, key string) (bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return bigtable.ReadItem{}, err
	}
	return slices.MaxFunc(row[string(token)], func(a, b bigtable.ReadItem) int { return int(a.Timestamp - b.Timestamp) }), nil
}

func (s *store) collected(ctx context.Context) (map[string][]byte, error) {
	out := make(map[string][]byte)
	for row, err := range rows(ctx, s.tbl, bigtable.InfiniteRange("")) {
		if err != nil {
			return nil, err
		}
		for it := range slices.Values(row["profile"]) {
			out[it.Column] = it.Value
		}
	}
	return out, nil
}

func (s *store) live(ctx context.Context) (out []string, err error) {
	now := bigtable.Now()
	for row, err := range rows(ctx, s.tbl, bigtable.InfiniteRange("")) {
		if err != nil {
			return nil, err
		}
		for it := range slices.Values(row["token"]) {
			if it.Timestamp <= now {
				continue
			}
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func alive(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

func (s *store) anyAlive(ctx context.Context) (n int, err error) {
	for row, err := range rows(ctx, s.tbl, bigtable.InfiniteRange("")) {
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(row["token"], alive(time.Now())) {
			n++
		}
	}
	return n, nil
}
