// Package kinds describes its families to a library, which sets the policy
// of each by its kind, and reads by queries that are copied to be changed.
package kinds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/kinds/btstore"
)

// The families, each with the policy of its kind.
var (
	token   = btstore.ExpiringFamily("token", 30*time.Minute)
	profile = btstore.Family{Name: "profile", Versions: 1}
	entry   = btstore.NumberedFamily("entry", 3)
)

func setup(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := (btstore.Schema{Table: "sessions", Families: []btstore.Family{token, profile}}).Apply(ctx, ac); err != nil {
		return err
	}
	if err := (btstore.Schema{Table: "eu-ledger", Families: []btstore.Family{entry}}).Apply(ctx, ac); err != nil {
		return err
	}
	bad := btstore.Schema{Table: "sessions", Families: []btstore.Family{{Name: "token"}}}
	return bad.Apply(ctx, ac) // want `no-policy: .*"token"`
}

type session struct{ jwt []byte }

func decode(row bigtable.Row) (s session, err error) {
	for _, it := range row["token"] {
		s.jwt = it.Value
	}
	return s, nil
}

type store struct{ sessions *btstore.Query[session] }

func newStore(c *bigtable.Client) *store {
	return &store{btstore.NewQuery(c.Open("sessions"), decode)}
}

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func (s *store) live(ctx context.Context, key string) (session, error) {
	return s.sessions.Where(live()).Get(ctx, key)
}

func (s *store) any(ctx context.Context, key string) (session, error) {
	return s.sessions.Get(ctx, key) // want `missing-filter: .*"token" of table "sessions"`
}
