// Package indexedoptions puts options into lists by index, before a read and
// between two.
package indexedoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/indexedoptions/lib"
)

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// The second read is the one that lacks the filter.
func (s *store) overwritten(ctx context.Context, key string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1), bigtable.RowFilter(live())}
	if row, err := s.tbl.ReadRow(ctx, key, opts...); err != nil || len(row) > 0 {
		return row, err
	}
	opts[1] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	return s.tbl.ReadRow(ctx, key+"/old", opts...) // want `missing-filter: .*"token"`
}

// The other way round it is the first.
func (s *store) mended(ctx context.Context, key string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1), bigtable.RowFilter(bigtable.FamilyFilter("profile"))}
	if row, err := s.tbl.ReadRow(ctx, key, opts...); err != nil || len(row) > 0 {
		return row, err
	}
	opts[1] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key+"/old", opts...)
}

func (s *store) okFilled(ctx context.Context, key string) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.LimitRows(1)
	opts[1] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) filled(ctx context.Context, key string) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.LimitRows(1)
	opts[1] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	return s.tbl.ReadRow(ctx, key, opts...) // want `missing-filter: .*"token"`
}

func (s *store) filledTwice(ctx context.Context, key string) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.RowFilter(live())
	opts[1] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	return s.tbl.ReadRow(ctx, key, opts...) // want `overridden-filter: `
}

func (s *store) okReplacedFilter(ctx context.Context, key string) (bigtable.Row, error) {
	filters := make([]bigtable.Filter, 2)
	filters[0] = bigtable.FamilyFilter("token")
	filters[1] = bigtable.LatestNFilter(1)
	filters[1] = bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
}

func (s *store) okAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, lib.Options(true)...)
}

func (s *store) abroad(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, lib.Options(false)...) // want `missing-filter: .*"token"`
}

func (s *store) okMendedAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	opts := lib.Options(false)
	opts[1] = bigtable.RowFilter(lib.Live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) okPairAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	opts, err := lib.Pair()
	if err != nil {
		return nil, err
	}
	opts[1] = bigtable.RowFilter(lib.Live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) spoiltAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	opts := lib.Options(true)
	opts[1] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	return s.tbl.ReadRow(ctx, key, opts...) // want `missing-filter: .*"token"`
}

func (s *store) spoiltPairAbroad(ctx context.Context, key string) (bigtable.Row, error) {
	opts, err := lib.Pair()
	if err != nil {
		return nil, err
	}
	opts[0] = bigtable.LimitRows(2)
	return s.tbl.ReadRow(ctx, key, opts...) // want `missing-filter: .*"token"`
}

func listed() []bigtable.ReadOption {
	return []bigtable.ReadOption{bigtable.LimitRows(1), bigtable.RowFilter(bigtable.FamilyFilter("token"))}
}

func (s *store) okMendedResult(ctx context.Context, key string) (bigtable.Row, error) {
	opts := listed()
	opts[1] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

// What is copied is what is there then, what is kept may change.
func (s *store) okKept(ctx context.Context, key string) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 1)
	opts[0] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	k := keep(opts)
	opts[0] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key, k.opts...)
}

type kept struct{ opts []bigtable.ReadOption }

func keep(opts []bigtable.ReadOption) *kept { return &kept{opts} }

func (s *store) okChosen(ctx context.Context, key string, all bool) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 1)
	opts[0] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	if all {
		opts = []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("profile"))}
	}
	opts[0] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) okLoop(ctx context.Context, keys []string) (rows []bigtable.Row) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.LimitRows(1)
	for _, k := range keys {
		opts[1] = bigtable.RowFilter(live())
		row, _ := s.tbl.ReadRow(ctx, k, opts...)
		rows = append(rows, row)
	}
	return rows
}

// Which element is replaced is not known.
func (s *store) OkSomewhere(ctx context.Context, key string, i int) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.RowFilter(live())
	opts[1] = bigtable.LimitRows(1)
	opts[i] = bigtable.LimitRows(2)
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) OkSomewhereFilter(ctx context.Context, key string, i int) (bigtable.Row, error) {
	opts := make([]bigtable.ReadOption, 2)
	opts[0] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	opts[1] = bigtable.LimitRows(1)
	opts[i] = bigtable.RowFilter(live())
	return s.tbl.ReadRow(ctx, key, opts...)
}

func (s *store) okFilledInLoop(ctx context.Context, key string) (bigtable.Row, error) {
	filters := make([]bigtable.Filter, 2)
	for i, f := range []bigtable.Filter{bigtable.FamilyFilter("token"), live()} {
		filters[i] = f
	}
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
}

func (s *store) okTurns(ctx context.Context, keys []string) (rows []bigtable.Row) {
	opts := make([]bigtable.ReadOption, 1)
	opts[0] = bigtable.RowFilter(live())
	for _, k := range keys {
		row, _ := s.tbl.ReadRow(ctx, k, opts...)
		rows = append(rows, row)
		opts[0] = bigtable.RowFilter(live())
	}
	return rows
}

func (s *store) turns(ctx context.Context, keys []string) (rows []bigtable.Row) {
	opts := make([]bigtable.ReadOption, 1)
	opts[0] = bigtable.RowFilter(live())
	for _, k := range keys {
		row, _ := s.tbl.ReadRow(ctx, k, opts...) // want `missing-filter: .*"token"`
		rows = append(rows, row)
		opts[0] = bigtable.RowFilter(bigtable.FamilyFilter("token"))
	}
	return rows
}
