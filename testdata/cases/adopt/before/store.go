// Program before writes and reads by plain calls of the client what package
// schema declares.
package main

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/adopt/schema"
)

type store struct {
	logins, visits, books, prefs *bigtable.Table
	now                          func() time.Time
}

func open(c *bigtable.Client) *store {
	return &store{
		logins: c.Open(schema.Logins.Name()), visits: c.Open("ad-visits"), books: c.Open("ad-books"), prefs: c.Open("ad-prefs"),
		now: time.Now,
	}
}

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "ad-logins",
		ColumnFamilies: map[string]bigtable.Family{
			"ad-grant":  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
			"ad-person": {},
		},
	})
	if err != nil {
		return err
	}
	// Another family beside the declared ones: it stays.
	err = ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "ad-visits", ColumnFamilies: map[string]bigtable.Family{
		"ad-visit": {GCPolicy: bigtable.MaxAgePolicy(720 * time.Hour)}, "audit": {},
	}})
	if err != nil {
		return err
	}
	if err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "ad-books", ColumnFamilies: map[string]bigtable.Family{"ad-amount": {GCPolicy: bigtable.MaxVersionsPolicy(3)}}}); err != nil {
		return err
	}
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "ad-prefs", ColumnFamilies: map[string]bigtable.Family{"ad-pref": {GCPolicy: bigtable.MaxVersionsPolicy(1)}}})
}

func (s *store) grant(ctx context.Context, key string, life time.Duration, deadline time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("ad-grant", "usual", bigtable.Time(time.Now().Add(30*time.Minute)), []byte("usual")) // half an hour
	mut.Set("ad-grant", "short", bigtable.Time(time.Now().Add(time.Minute)), []byte("short"))
	mut.Set(schema.Grant.Name(), "given", bigtable.Time(time.Now().Add(life)), []byte("given"))
	mut.Set("ad-grant", "until", bigtable.Time(deadline), []byte("until"))
	mut.DeleteCellsInColumn("ad-grant", "again")
	mut.Set("ad-grant", "again", bigtable.Time(time.Now().Add(life)), []byte("again"))
	mut.Set("ad-grant", "clock", bigtable.Time(s.now().Add(life)), []byte("clock")) // the program's clock
	now := func() time.Time { return s.now() }
	mut.Set("ad-grant", "call", bigtable.Time(now().Add(life)), []byte("call")) // so may a call
	mut.Set("ad-person", "name", bigtable.Now(), []byte("name"))
	mut.Set("ad-person", "born", bigtable.Time(deadline), []byte("born"))
	mut.Set("ad-person", "seen", bigtable.ServerTime, []byte("seen")) // the server's clock
	return s.logins.Apply(ctx, key, mut)
}

func (s *store) visit(ctx context.Context, key string, life time.Duration, deadline time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("ad-visit", "usual", bigtable.Now(), []byte("usual"))
	mut.Set("ad-visit", "today", bigtable.Time(time.Now().Add(-696*time.Hour)), []byte("today"))
	mut.Set("ad-visit", "given", bigtable.Time(time.Now().Add(life-720*time.Hour)), []byte("given"))
	mut.Set("ad-visit", "until", bigtable.Time(deadline.Add(-720*time.Hour)), []byte("until"))
	return s.visits.Apply(ctx, key, mut)
}

func (s *store) book(ctx context.Context, key string, first int64, values ...string) (int, error) {
	mut := bigtable.NewMutation()
	for i, v := range values {
		mut.Set("ad-amount", "eur", bigtable.Timestamp((first+int64(i))*1000), []byte(v))
	}
	mut.Set("ad-amount", "usd", bigtable.Timestamp(first)*1000, nil)
	mut.Set("ad-amount", "gbp", 7000, nil)
	return len(values), s.books.Apply(ctx, key, mut)
}

func (s *store) prefer(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("ad-pref", "lang", 0, []byte("de"))
	return s.prefs.Apply(ctx, key, mut)
}

// No error can be returned, and package ttl is not imported: it stays.
func (s *store) silent(mut *bigtable.Mutation) {
	mut.Set("ad-grant", "usual", bigtable.Time(time.Now().Add(30*time.Minute)), nil)
}

func (s *store) readLogins(ctx context.Context, key string) (bigtable.Row, error) {
	return s.logins.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("ad-grant"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
		bigtable.FamilyFilter("ad-person"),
	)))
}

func (s *store) readVisits(ctx context.Context, key string) (bigtable.Row, error) {
	live := bigtable.TimestampRangeFilter(s.now().Add(-720*time.Hour), time.Time{}) // the program's clock
	return s.visits.ReadRow(ctx, key, bigtable.RowFilter(live))
}

func (s *store) readNewest(ctx context.Context, key string) (bigtable.Row, error) {
	return s.visits.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}), bigtable.LatestNFilter(1), bigtable.ColumnFilter("u.*"))), bigtable.LimitRows(1))
}

func (s *store) readBooks(ctx context.Context, key string) (bigtable.Row, error) {
	return s.books.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(3)))
}

// Fewer versions than are kept is another filter.
func (s *store) readLast(ctx context.Context, key string) (bigtable.Row, error) {
	return s.books.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func (s *store) lock(ctx context.Context, key string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set("ad-visit", "lock", bigtable.Now(), nil)
	held := false
	err := s.visits.Apply(ctx, key, bigtable.NewCondMutation(bigtable.ChainFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("ad-visit"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})),
		bigtable.ColumnFilter("lock"),
	), nil, take), bigtable.GetCondMutationResult(&held))
	return held, err
}
