// Package exported has exported constructors that the package itself calls.
package exported

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Repo keeps numbers.
type Repo struct{ tbl *bigtable.Table }

func NewRepo(t *bigtable.Table) *Repo { return &Repo{tbl: t} }

func Provide(c *bigtable.Client) *Repo { return NewRepo(c.Open("history")) }

func (r *Repo) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Number(ctx context.Context, key string, n int64) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Timestamp(n*1000), nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) All(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key) // want `missing-filter`
}

// Jobs is of no table that is registered.
type Jobs struct{ scratch *bigtable.Table }

func NewJobs(t *bigtable.Table) *Jobs { return &Jobs{scratch: t} }

func Wire(c *bigtable.Client) *Jobs { return NewJobs(c.Open("scratch")) }

func (j *Jobs) Do(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("latest", "done", bigtable.Now(), nil)
	return j.scratch.Apply(ctx, "k", m)
}

func (j *Jobs) Look(ctx context.Context) (bigtable.Row, error) {
	return j.scratch.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("code")))
}

// Service reads two families of one table.
type Service struct{ tbl *bigtable.Table }

func New(t *bigtable.Table) *Service { return &Service{tbl: t} }

func ProvideService(c *bigtable.Client) (*Service, error) {
	s := New(c.Open("mixed"))
	return s, nil
}

func (s *Service) Export(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, user) // want `missing-filter`
}

func (s *Service) Live(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("hot"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

// Either is given one of two tables.
type Either struct{ tbl *bigtable.Table }

func NewEither(t *bigtable.Table) *Either { return &Either{tbl: t} }

func Both(c *bigtable.Client) (*Either, *Either) {
	return NewEither(c.Open("history")), NewEither(c.Open("cache"))
}

func (e *Either) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
	return e.tbl.Apply(ctx, key, m)
}

// Given is made with whatever table is given.
type Given struct{ tbl *bigtable.Table }

func NewGiven(t *bigtable.Table) *Given { return &Given{tbl: t} }

func With(t *bigtable.Table) *Given { return NewGiven(t) }

func Fixed(c *bigtable.Client) *Given { return NewGiven(c.Open("history")) }

func (g *Given) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
	return g.tbl.Apply(ctx, key, m)
}
