// Package store has objects that are given their table, and of which the
// package itself makes none.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what stores use.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Repo keeps values: a family that several tables have.
type Repo struct {
	tbl Table
	now func() time.Time
}

// NewRepo makes a Repo.
func NewRepo(t Table) *Repo { return newRepo(t, time.Now) }

func newRepo(t Table, now func() time.Time) *Repo { return &Repo{tbl: t, now: now} }

func (r *Repo) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // either way wrong
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Expire(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(r.now().Add(10*time.Minute)), nil) // right in cache
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Number(ctx context.Context, key string, n int64) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Timestamp(n*1000), nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) At(ctx context.Context, key string, at bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", at, nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Stamp(ctx context.Context, key string, expires bool) error {
	ts := bigtable.Now()
	if expires {
		ts = bigtable.Time(time.Now().Add(time.Minute))
	}
	m := bigtable.NewMutation()
	m.Set("val", "v", ts, nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Latest(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.LatestNFilter(1))))
}

// Service reads whole rows.
type Service struct{ tbl *bigtable.Table }

// New makes a Service.
func New(t *bigtable.Table) (*Service, error) { return &Service{tbl: t}, nil }

func (s *Service) Export(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key)
}

func (s *Service) Names(ctx context.Context) (keys []string, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		keys = append(keys, r.Key())
		return true
	})
	return keys, err
}

func (s *Service) Profile(ctx context.Context, key string) string {
	row, _ := s.tbl.ReadRow(ctx, key)
	for _, it := range row["profile"] {
		return string(it.Value)
	}
	return ""
}

func (s *Service) Live(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

// Tokens has a family of one table: what is wrong with it is found here.
type Tokens struct{ tbl Table }

// NewTokens makes Tokens.
func NewTokens(t Table) *Tokens { return &Tokens{t} }

func (s *Tokens) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp`
	return s.tbl.Apply(ctx, key, m)
}

func (s *Tokens) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
}

// Query is built.
type Query struct {
	tbl  Table
	opts []bigtable.ReadOption
}

// From begins a query.
func From(t Table) *Query { return &Query{tbl: t} }

// Where adds a filter.
func (q *Query) Where(f bigtable.Filter) *Query {
	q.opts = append(q.opts, bigtable.RowFilter(f))
	return q
}

// Row reads.
func (q *Query) Row(ctx context.Context, key string) (bigtable.Row, error) {
	return q.tbl.ReadRow(ctx, key, q.opts...)
}

// Copied is built by value.
type Copied struct {
	tbl    Table
	filter bigtable.Filter
}

// Of begins one.
func Of(t Table) Copied { return Copied{tbl: t, filter: bigtable.PassAllFilter()} }

// With returns one with another filter.
func (c Copied) With(f bigtable.Filter) Copied {
	c.filter = f
	return c
}

// Row reads.
func (c Copied) Row(ctx context.Context, key string) (bigtable.Row, error) {
	return c.tbl.ReadRow(ctx, key, bigtable.RowFilter(c.filter))
}
