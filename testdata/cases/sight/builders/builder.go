// Package builders uses builders of another package.
package builders

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/builders/build"
)

type store struct{ t *bigtable.Table }

// Open opens the sessions.
func Open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) OkChain(ctx context.Context, key string, v []byte) error {
	return s.t.Apply(ctx, key, build.NewWrite("jwt").Expires(time.Hour).Mutation(v))
}

func (s *store) OkStatement(ctx context.Context, key string, v []byte) error {
	w := build.NewWrite("jwt")
	w.Expires(30 * time.Minute)
	return s.t.Apply(ctx, key, w.Mutation(v))
}

func (s *store) OkReassigned(ctx context.Context, key string, v []byte) error {
	w := build.NewWrite("name")
	w = w.Family("profile")
	w = w.At(bigtable.Now())
	return s.t.Apply(ctx, key, w.Mutation(v))
}

func (s *store) OkBranch(ctx context.Context, key string, long bool, v []byte) error {
	w := build.NewWrite("jwt").Expires(time.Minute)
	if long {
		w = w.Expires(time.Hour)
	}
	return s.t.Apply(ctx, key, w.Mutation(v))
}

func (s *store) BadDefault(ctx context.Context, key string, v []byte) error {
	return s.t.Apply(ctx, key, build.NewWrite("jwt").Mutation(v)) // want `server-timestamp: .*"token"`
}

func (s *store) BadChain(ctx context.Context, key string, v []byte) error {
	return s.t.Apply(ctx, key, build.NewWrite("jwt").Expires(time.Hour).At(bigtable.Now()).Mutation(v)) // want `write-time: .*"token"`
}

func (s *store) BadFamily(ctx context.Context, key string, v []byte) error {
	w := build.NewWrite("jwt").Family("profile").At(bigtable.Now()) // want `write-time: .*"token"`
	w.Family("token")
	return s.t.Apply(ctx, key, w.Mutation(v))
}

func (s *store) OkQuery(ctx context.Context, key string) (string, error) {
	row, err := s.t.ReadRow(ctx, key, build.Select("token").Live().Limit(1).Options()...)
	return token(row), err
}

func (s *store) BadQuery(ctx context.Context, key string) (string, error) {
	row, err := s.t.ReadRow(ctx, key, build.Select("token").Limit(1).Options()...) // want `missing-filter: .*"token"`
	return token(row), err
}

func token(row bigtable.Row) string {
	for _, it := range row["token"] {
		return string(it.Value)
	}
	return ""
}

func (s *store) OkCell(ctx context.Context, key string, v []byte) error {
	return build.Of(s.t).Family("token").Live(time.Hour).Apply(ctx, key, v)
}

func (s *store) OkCellParts(ctx context.Context, key string, v []byte) error {
	c := build.Of(s.t)
	c.Family("token")
	c.Live(time.Minute)
	return c.Apply(ctx, key, v)
}

func (s *store) BadCell(ctx context.Context, key string, v []byte) error {
	return build.Of(s.t).Family("token").Apply(ctx, key, v) // want `write-time: .*"token"`
}

func (s *store) OkGet(ctx context.Context, key string) (string, error) {
	row, err := build.Get(s.t).Filter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})).Row(ctx, key)
	return token(row), err
}

func (s *store) OkGetFrom(ctx context.Context, key string) (string, error) {
	row, err := build.Get(s.t).Since(time.Now()).Row(ctx, key)
	return token(row), err
}

func (s *store) BadGetFrom(ctx context.Context, key string) (string, error) {
	row, err := build.Get(s.t).Since(time.Now().Add(-time.Hour)).Row(ctx, key) // want `wrong-bound: .*"token"`
	return token(row), err
}

func (s *store) BadGet(ctx context.Context, key string) (string, error) {
	row, err := build.Get(s.t).Row(ctx, key) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *store) OkDefaults(ctx context.Context, key string) (string, error) {
	row, err := s.t.ReadRow(ctx, key, build.Defaults().With(bigtable.TimestampRangeFilter(time.Now(), time.Time{})).Build()...)
	return token(row), err
}

func (s *store) BadDefaults(ctx context.Context, key string) (string, error) {
	row, err := s.t.ReadRow(ctx, key, build.Defaults().Build()...) // want `missing-filter: .*"token"`
	return token(row), err
}
