// Package app reads: what is wrong is wrong here, whoever makes a Service.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/faultplace/dal"
)

// Service reads.
type Service struct {
	tokens, alive, names *dal.Repo[string]
	last, first          *dal.Getter[int]
}

// New returns a Service.
func New(c *dal.Client) *Service {
	return &Service{
		tokens: dal.NewRepo[string](c.Sessions(), "token"),
		alive:  dal.NewRepo[string](c.Sessions(), "token"),
		names:  dal.NewRepo[string](c.Sessions(), "profile"),
		last:   dal.NewGetter[int](c.Ledger(), "entry", dal.Bounded(func() bigtable.Filter { return bigtable.LatestNFilter(9) })), // want "asks for more versions"
		first:  dal.NewGetter[int](c.Ledger(), "entry", dal.Bounded(func() bigtable.Filter { return bigtable.LatestNFilter(1) })),
	}
}

// Token reads one.
func (s *Service) Token(ctx context.Context, id string) (string, error) {
	return s.tokens.Find(ctx, id) // want "read of one-second-expiration family .token. of table .sessions."
}

// Alive reads one that lives.
func (s *Service) Alive(ctx context.Context, id string) (string, error) {
	return s.alive.Find(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), dal.Live())))
}

// Name reads a name.
func (s *Service) Name(ctx context.Context, id string) (string, error) {
	return s.names.Find(ctx, id)
}

// Entries reads both.
func (s *Service) Entries(ctx context.Context, id string) {
	for _, g := range []*dal.Getter[int]{s.last, s.first} {
		g.Get(ctx, id, "e")
	}
}
