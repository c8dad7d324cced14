// Package optioncollector reads by options that a library collects, and writes cells
// whose timestamps it fills.
package optioncollector

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/optioncollector/btstore"
)

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

type store struct{ sessions *btstore.Table }

func newStore(c *bigtable.Client) *store { return &store{btstore.Open(c, "sessions")} }

func (s *store) one(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Where(live()))
}

func (s *store) two(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Where(live()), btstore.Limit(1), btstore.Where(bigtable.ColumnFilter("jwt")))
}

func (s *store) kept(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Where(live()), btstore.Instead(nil))
}

func (s *store) replaced(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Where(live()), btstore.Instead(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token" of table "sessions"`
}

func (s *store) none(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Limit(1)) // want `missing-filter: .*"token" of table "sessions"`
}

func (s *store) wrong(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.Get(ctx, "k", btstore.Where(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token" of table "sessions"`
}

func (s *store) write(ctx context.Context) error {
	exp := bigtable.Time(time.Now().Add(time.Hour))
	if err := s.sessions.Write(ctx, "k", btstore.Cell{Family: "token", Column: "a", TS: exp}, btstore.Cell{Family: "profile", Column: "a"}); err != nil {
		return err
	}
	return s.sessions.Write(ctx, "k", btstore.Cell{Family: "token", Column: "a"}) // want `server-timestamp: .*"token" of table "sessions"`
}
