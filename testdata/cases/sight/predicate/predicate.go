// Package predicate has predicates that ask for any cell of a row, of a table
// that is known on one way only: one predicate is one finding.
package predicate

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Config struct {
	Client *bigtable.Client
	Table  string
}

type Store struct{ tbl *bigtable.Table }

func New(cfg Config) *Store {
	name := cfg.Table
	if name == "" {
		name = "sessions"
	}
	return &Store{tbl: cfg.Client.Open(name)}
}

func (s *Store) Create(ctx context.Context, key string, value []byte) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set("profile", "name", bigtable.Now(), value)
	cond := bigtable.NewCondMutation(
		bigtable.CellsPerRowLimitFilter(1), // want `conditional-mutation: .*"token"`
		nil,
		mut,
	)
	var matched bool
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

func (s *Store) CreateToken(ctx context.Context, key string, ts bigtable.Timestamp, value []byte) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", ts, value)
	cond := bigtable.NewCondMutation(
		bigtable.CellsPerRowLimitFilter(1), // want `conditional-mutation: .*"token"`
		nil,
		mut,
	)
	var matched bool
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// Several is of a table with several families, where it is known.
type Several struct{ tbl *bigtable.Table }

func NewSeveral(cfg Config) *Several {
	name := cfg.Table
	if name == "" {
		name = "mixed"
	}
	return &Several{tbl: cfg.Client.Open(name)}
}

func (s *Several) Create(ctx context.Context, key string, ts bigtable.Timestamp, value []byte) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set("hot", "name", ts, value)
	cond := bigtable.NewCondMutation(
		bigtable.CellsPerRowLimitFilter(1), // want `conditional-mutation: .*"hot".*"log"`
		nil,
		mut,
	)
	var matched bool
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}
