// Package store wraps a table for others.
package store

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type Sessions struct{ t Table }

func NewSessions(c *bigtable.Client) *Sessions { return &Sessions{t: c.Open("sessions")} }

type Query struct {
	Prefix  string
	Filters []bigtable.Filter
	Expired bool
}

func readFilter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func (s *Sessions) Find(ctx context.Context, q Query, f func(bigtable.Row) bool) error {
	filters := append([]bigtable.Filter{bigtable.FamilyFilter("token"), readFilter(q.Expired)}, q.Filters...)
	return s.t.ReadRows(ctx, bigtable.PrefixRange(q.Prefix), f, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
}

func (s *Sessions) Token(ctx context.Context, id string) ([]byte, error) {
	row, err := s.t.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	items := row["token"]
	if len(items) == 0 {
		return nil, errors.New("none")
	}
	return items[0].Value, nil
}

func (s *Sessions) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.t.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want `missing-filter: .*"token"`
	return len(row) > 0, err
}

func (s *Sessions) Keys(ctx context.Context) (keys []string, err error) {
	err = s.t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { keys = append(keys, r.Key()); return true }, bigtable.RowFilter(bigtable.StripValueFilter()))
	return
}

func (s *Sessions) Purge(ctx context.Context) error {
	return s.t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteRow()
		return s.t.Apply(ctx, r.Key(), m) == nil
	})
}

func (s *Sessions) Profile(ctx context.Context, id string) (bigtable.Row, error) {
	return s.t.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter("^profile$")))
}

func (s *Sessions) All(ctx context.Context, id string) (bigtable.Row, error) {
	return s.t.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter("token|profile"))) // want `missing-filter: .*"token"`
}

type Writer struct {
	s   *Sessions
	ttl time.Duration
	mut *bigtable.Mutation
}

func (s *Sessions) Writer(ttl time.Duration) *Writer {
	return &Writer{s: s, ttl: ttl, mut: bigtable.NewMutation()}
}

func (w *Writer) Set(column string, value []byte) *Writer {
	w.mut.Set("token", column, bigtable.Time(time.Now().Add(w.ttl)), value)
	return w
}

func (w *Writer) Commit(ctx context.Context, key string) error { return w.s.t.Apply(ctx, key, w.mut) }

func ApplyAll(ctx context.Context, t Table, key string, fs ...func(*bigtable.Mutation)) error {
	m := bigtable.NewMutation()
	for _, f := range fs {
		f(m)
	}
	return t.Apply(ctx, key, m)
}

func Cell(family, column string, ts bigtable.Timestamp, v []byte) func(*bigtable.Mutation) {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, v) }
}
