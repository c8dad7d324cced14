// Package across ranges over the rows that another package's iterators give.
package across

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowiterators/each"
)

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) names(ctx context.Context) (out []string, err error) {
	for row, err := range each.Rows(ctx, s.tbl, bigtable.InfiniteRange("")) {
		if err != nil {
			return nil, err
		}
		for _, it := range row["profile"] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func (s *store) tokens(ctx context.Context) (out []string, err error) {
	for row, err := range each.Rows(ctx, s.tbl, bigtable.InfiniteRange("")) { // want `missing-filter: .*"token"`
		if err != nil {
			return nil, err
		}
		for _, it := range row["token"] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func (s *store) checked(ctx context.Context) (out []string, err error) {
	now := time.Now()
	for row, err := range each.Rows(ctx, s.tbl, bigtable.InfiniteRange("")) {
		if err != nil {
			return nil, err
		}
		for _, it := range row["token"] {
			if it.Timestamp.Time().After(now) {
				out = append(out, string(it.Value))
			}
		}
	}
	return out, nil
}

func (s *store) keyed(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	rows, failed := each.Keyed(ctx, s.tbl, "a", bigtable.LatestNFilter(1))
	for key, row := range rows {
		out[key] = len(row["profile"])
	}
	return out, failed()
}

func (s *store) keyedTokens(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	rows, failed := each.Keyed(ctx, s.tbl, "a", bigtable.LatestNFilter(1)) // want `missing-filter: .*"token"`
	for key, row := range rows {
		for _, it := range row["token"] {
			out[key] = string(it.Value)
		}
	}
	return out, failed()
}

func (s *store) scanned(ctx context.Context) (n int, err error) {
	for row, err := range each.Scan(ctx, s.tbl, 10) {
		if err != nil {
			return 0, err
		}
		n += len(row["profile"])
	}
	return n, nil
}

func (s *store) whole(ctx context.Context) (n int, err error) {
	for row, err := range each.Scan(ctx, s.tbl, 10) { // want `missing-filter: .*"token"`
		if err != nil {
			return 0, err
		}
		for _, items := range row {
			n += len(items)
		}
	}
	return n, nil
}

func (s *store) good(ctx context.Context) (out []string) {
	for row := range each.Good(each.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.FamilyFilter("profile")))) {
		out = append(out, row.Key())
	}
	for row := range each.Good(each.Rows(ctx, s.tbl, bigtable.InfiniteRange(""))) { // want `missing-filter: .*"token"`
		for _, it := range row["token"] {
			out = append(out, string(it.Value))
		}
	}
	return out
}

// pass hands an iterator on to its own callers.
func (s *store) pass(ctx context.Context) func(func(bigtable.Row, error) bool) {
	return each.Rows(ctx, s.tbl, bigtable.InfiniteRange(""))
}

func (s *store) passed(ctx context.Context) (n int) {
	for row := range s.pass(ctx) {
		n += len(row["profile"])
	}
	return n
}

func (s *store) alive(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	return slices.ContainsFunc(row["token"], each.Alive(time.Now())), err
}

func (s *store) filled(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	return slices.ContainsFunc(row["token"], each.Filled(3)), err
}
