// Package objectfamilies reads families that objects name.
package objectfamilies

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/objectfamilies/column"
)

var (
	jwt   = column.Str("token", "jwt")
	email = column.Str("profile", "email")
)

type users struct{ tbl *bigtable.Table }

func newUsers(c *bigtable.Client) *users { return &users{c.Open("sessions")} }

func (u *users) okEmail(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k")
	return email.Get(row)
}

func (u *users) token(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return jwt.Get(row)
}

func (u *users) okLive(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k")
	return jwt.Live(row)
}

func (u *users) okHand(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k")
	it, ok := jwt.Item(row)
	if !ok || expired(it) {
		return ""
	}
	return string(it.Value)
}

func expired(it bigtable.ReadItem) bool { return it.Timestamp < bigtable.Now() }

func (u *users) okOneFamily(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return jwt.Get(row)
}

func (u *users) hides(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: .*"profile"`
	return jwt.Get(row) + email.Get(row)
}

func age(row bigtable.Row) time.Duration {
	it, ok := jwt.Item(row)
	if !ok {
		return 0
	}
	return time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
}

func okAge(row bigtable.Row) time.Duration {
	it, _ := email.Item(row)
	return time.Since(it.Timestamp.Time())
}

func (u *users) okFirst(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k")
	return column.First(row, email.Name) + column.First(row, column.Name{Family: "profile"})
}

func (u *users) first(ctx context.Context) string {
	row, _ := u.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return column.First(row, jwt.Name)
}

// A mapper in a field.
type mapped struct {
	tbl        *bigtable.Table
	main, rest *column.Mapper
}

func newMapped(c *bigtable.Client) *mapped {
	return &mapped{
		tbl:  c.Open("sessions"),
		main: column.NewMapper(column.Config{Main: "profile", Extra: "profile"}),
		rest: column.NewMapper(column.Config{Main: "profile", Extra: "token"}),
	}
}

func (m *mapped) okMain(ctx context.Context) map[string]string {
	row, _ := m.tbl.ReadRow(ctx, "k")
	return m.main.Map(row)
}

func (m *mapped) both(ctx context.Context) map[string]string {
	row, _ := m.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return m.rest.Map(row)
}

// Repositories of several families in one package.
type repo[T any] struct {
	tbl    *bigtable.Table
	family string
}

func newRepo[T any](tbl *bigtable.Table, family string) *repo[T] { return &repo[T]{tbl, family} }

// Find finds.
func (r *repo[T]) Find(ctx context.Context, opts ...bigtable.ReadOption) string {
	row, _ := r.tbl.ReadRow(ctx, "k", opts...)
	return string(row[r.family][0].Value)
}

// All finds all.
func (r *repo[T]) All(ctx context.Context) (out []string) {
	_ = r.tbl.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		for _, it := range row[r.family] {
			out = append(out, string(it.Value))
		}
		return true
	})
	return out
}

type service struct{ prefs, tokens *repo[int] }

func newService(c *bigtable.Client) *service {
	return &service{newRepo[int](c.Open("sessions"), "profile"), newRepo[int](c.Open("sessions"), "token")}
}

func (s *service) okPref(ctx context.Context) string { return s.prefs.Find(ctx) }
func (s *service) token(ctx context.Context) string {
	return s.tokens.Find(ctx) // want `missing-filter: .*"token"`
}
func (s *service) live(ctx context.Context) string {
	return s.tokens.Find(ctx, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}
func (s *service) okPrefs(ctx context.Context) []string { return s.prefs.All(ctx) }
func (s *service) tokensAll(ctx context.Context) []string {
	return s.tokens.All(ctx) // want `missing-filter: .*"token"`
}
