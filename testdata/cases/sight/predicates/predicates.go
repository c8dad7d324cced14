// Package predicates has conditional mutations and filters whose families
// are not known, or others.
package predicates

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	client   *bigtable.Client
	sessions *bigtable.Table
	mixed    *bigtable.Table
	ledger   *bigtable.Table
	kinds    map[string]string
}

func Open(c *bigtable.Client) *Store {
	return &Store{client: c, sessions: c.Open("sessions"), mixed: c.Open("mixed"), ledger: c.Open("eu-ledger")}
}

// OkFamily reads the family that it is told to, those of sequence numbers too.
func (s *Store) OkFamily(ctx context.Context, key, family string) (bigtable.Row, error) {
	return s.mixed.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}),
	)))
}

// OkLooked is OkFamily with a family from a map.
func (s *Store) OkLooked(ctx context.Context, key, kind string) (bigtable.Row, error) {
	return s.mixed.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(s.kinds[kind]),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)))
}

// GetBare lets every dead cell pass, whatever the family.
func (s *Store) GetBare(ctx context.Context, key string) (bigtable.Row, error) {
	return s.mixed.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // want `missing-filter: .*"hot"` `version-limit: .*"seq"`
		bigtable.FamilyFilter(".*"),
		bigtable.PassAllFilter(),
	)))
}

// OkExists asks whether an entry has ever been made.
func (s *Store) OkExists(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "first", bigtable.Timestamp(1000), v)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("entry"), nil, mut)
	return s.ledger.Apply(ctx, key, cond)
}

// OkColumn asks the same of one column.
func (s *Store) OkColumn(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "first", bigtable.Timestamp(1000), v)
	exists := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("first"), bigtable.StripValueFilter())
	return s.ledger.Apply(ctx, key, bigtable.NewCondMutation(exists, nil, mut))
}

// CasValue compares with a version that may be superseded.
func (s *Store) CasValue(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "first", bigtable.Timestamp(2000), v)
	is := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("state"), bigtable.ValueFilter("open"))
	return s.ledger.Apply(ctx, key, bigtable.NewCondMutation(is, mut, nil)) // want `conditional-mutation: .*"entry"`
}

// TokenExists can match a dead token.
func (s *Store) TokenExists(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "seen", bigtable.Now(), v)
	return s.sessions.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter("token"), mut, nil)) // want `conditional-mutation: .*"token"`
}

// GetConditional lets tokens through where there is a profile.
func (s *Store) GetConditional(ctx context.Context, key string) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter( // want `unfiltered-branch: .*"token"`
		bigtable.FamilyFilter("profile"),
		bigtable.PassAllFilter(),
		bigtable.BlockAllFilter(),
	)))
}

// GetBounded lets tokens through where something was written since.
func (s *Store) GetBounded(ctx context.Context, key string, since, until time.Time) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter( // want `unfiltered-branch: .*"token"`
		bigtable.TimestampRangeFilter(since, until),
		bigtable.LatestNFilter(1),
		nil,
	)))
}

// GetChained has the predicate in a chain.
func (s *Store) GetChained(ctx context.Context, key string, since time.Time) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter( // want `unfiltered-branch: .*"token"`
		bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.ColumnFilter("admin"), bigtable.ValueFilter("1"), bigtable.TimestampRangeFilter(since, time.Time{})),
		bigtable.FamilyFilter("token"),
		bigtable.BlockAllFilter(),
	)))
}

// OkConditional bounds the branch.
func (s *Store) OkConditional(ctx context.Context, key string) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter(
		bigtable.FamilyFilter("profile"),
		bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
		bigtable.BlockAllFilter(),
	)))
}

// OkNever: nothing passes the predicate.
func (s *Store) OkNever(ctx context.Context, key string) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter(
		bigtable.BlockAllFilter(),
		bigtable.PassAllFilter(),
		bigtable.FamilyFilter("profile"),
	)))
}

// A type for a comparison, which is never sent.
var empty = bigtable.ChainFilters()

func isEmpty(f bigtable.Filter) bool {
	return f == bigtable.ChainFilters() || f.String() == empty.String()
}

// OkRelated: n tells whether the time was set.
func (s *Store) OkRelated(ctx context.Context, key string, n int, v []byte) error {
	var until time.Time
	if n > 0 {
		until = time.Now().Add(time.Hour)
	}
	mut := bigtable.NewMutation()
	if n > 0 {
		mut.Set("token", "jwt", bigtable.Time(until), v)
	}
	return s.sessions.Apply(ctx, key, mut)
}

type lease struct {
	n     int
	until time.Time
}

func grant(names []string) lease {
	var l lease
	for range names {
		l.n++
		l.until = time.Now().Add(time.Hour)
	}
	return l
}

// OkLease: where n counts, the time was set.
func (s *Store) OkLease(ctx context.Context, key string, names []string, v []byte) error {
	l := grant(names)
	if l.n == 0 {
		return nil
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(l.until), v)
	return s.sessions.Apply(ctx, key, mut)
}
