// Package filtercollector reads with filters that helpers collect in loops.
package filtercollector

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/filtercollector/filters"
)

type Store struct {
	sessions *bigtable.Table
	extra    bigtable.Filter
}

func New(c *bigtable.Client, extra bigtable.Filter) *Store {
	return &Store{sessions: c.Open("sessions"), extra: extra}
}

func live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// all is filters.All in this package.
func all(fs ...bigtable.Filter) bigtable.Filter {
	var kept []bigtable.Filter
	for _, f := range fs {
		if f == nil {
			continue
		}
		kept = append(kept, f)
	}
	switch len(kept) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return kept[0]
	default:
		return bigtable.ChainFilters(kept...)
	}
}

func token(row bigtable.Row) string {
	for _, it := range row["token"] {
		return string(it.Value)
	}
	return ""
}

func (s *Store) okOne(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(bigtable.FamilyFilter("token"), live())))
	return token(row), err
}

func (s *Store) okNil(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(nil, live())))
	return token(row), err
}

func (s *Store) okColumn(ctx context.Context, key, column string) (string, error) {
	var col bigtable.Filter
	if column != "" {
		col = bigtable.ColumnFilter(column)
	}
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(live(), col)))
	return token(row), err
}

func (s *Store) okLocal(ctx context.Context, key, column string) (string, error) {
	var col bigtable.Filter
	if column != "" {
		col = bigtable.ColumnFilter(column)
	}
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(all(live(), col, bigtable.LatestNFilter(1))))
	return token(row), err
}

func (s *Store) okOption(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, filters.Option(nil, bigtable.FamilyFilter("token"), live())...)
	return token(row), err
}

// okUnknown may have been given the filter that bounds it.
func (s *Store) okUnknown(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(s.extra)))
	return token(row), err
}

// okUnknownLocal is okUnknown with the helper of this package.
func (s *Store) okUnknownLocal(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(all(s.extra, nil)))
	return token(row), err
}

// okSpread hands on what it is given.
func (s *Store) okSpread(ctx context.Context, key string, fs ...bigtable.Filter) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(append(fs, live())...)))
	return token(row), err
}

func (s *Store) okInline(ctx context.Context, key, column string) (string, error) {
	var col bigtable.Filter
	if column != "" {
		col = bigtable.ColumnFilter(column)
	}
	var kept []bigtable.Filter
	for _, f := range []bigtable.Filter{col, live(), nil} {
		if f != nil {
			kept = append(kept, f)
		}
	}
	var opts []bigtable.ReadOption
	switch len(kept) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(kept[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(kept...)))
	}
	row, err := s.sessions.ReadRow(ctx, key, opts...)
	return token(row), err
}

func (s *Store) okCompact(ctx context.Context, key string) (string, error) {
	kept := filters.Compact([]bigtable.Filter{nil, live(), bigtable.LatestNFilter(1)})
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(kept...)))
	return token(row), err
}

func (s *Store) bad(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(filters.All(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)))) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *Store) badNone(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, filters.Option(nil, nil)...) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *Store) badLocal(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(all(bigtable.FamilyFilter("token"), nil))) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *Store) badCompact(ctx context.Context, key string) (string, error) {
	kept := filters.Compact([]bigtable.Filter{nil, bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)})
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(kept...))) // want `missing-filter: .*"token"`
	return token(row), err
}
