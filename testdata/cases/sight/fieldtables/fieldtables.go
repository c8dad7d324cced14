// Package fieldtables reads tables from fields that constructors were given, all of them
// known and none of them registered.
package fieldtables

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/fieldtables/repo"
)

type store struct{ tbl *bigtable.Table }

func newStore(tbl *bigtable.Table) *store { return &store{tbl} }

func open(c *bigtable.Client) (*store, *store) {
	return newStore(c.Open("unheard")), newStore(c.Open("unheard-of"))
}

func (s *store) okTokens(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token")))
	return row["token"], err
}

func (s *store) okPut(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, key, mut)
}

type mixed struct{ tbl *bigtable.Table }

func newMixed(tbl *bigtable.Table) *mixed { return &mixed{tbl} }

func openMixed(c *bigtable.Client) (*mixed, *mixed) {
	return newMixed(c.Open("unheard")), newMixed(c.Open("sessions"))
}

// tokens reads what one of the callers has registered.
func (s *mixed) tokens(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
	return row["token"], err
}

func okAbroad(c *bigtable.Client) *repo.Repo { return repo.New(c.Open("unheard")) }

// abroad gives a table whose read is told where it is.
func abroad(c *bigtable.Client) *repo.Repo {
	return repo.New(c.Open("sessions"))
}

type asked struct{ tbl *bigtable.Table }

func newAsked(tbl *bigtable.Table) *asked { return &asked{tbl: tbl} }

// NewAsked has a table that other packages know.
func NewAsked(tbl *bigtable.Table) *asked { return newAsked(tbl) }

func (s *asked) tokens(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token" \(table not known\)`
	return row["token"], err
}
