// Package use reads by queries of another package.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/flags/build"
)

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) none(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, build.Query{}.Options()...) // want `missing-filter: .*"token"`
}

func (s *store) family(ctx context.Context, key string) (bigtable.Row, error) {
	q := build.Query{Family: "token", Versions: 1}
	return s.tbl.ReadRow(ctx, key, q.Options()...) // want `missing-filter: .*"token"`
}

func (s *store) okFamily(ctx context.Context, key string) (bigtable.Row, error) {
	q := build.Query{Family: "profile", Limit: 10}
	return s.tbl.ReadRow(ctx, key, q.Options()...)
}

func (s *store) okLive(ctx context.Context, key string) (bigtable.Row, error) {
	q := build.Query{Family: "token", Live: true, Reverse: true}
	return s.tbl.ReadRow(ctx, key, q.Options()...)
}

func (s *store) expired(ctx context.Context, key string) (bigtable.Row, error) {
	q := build.Query{Family: "token", To: time.Now()}
	return s.tbl.ReadRow(ctx, key, q.Options()...) // want `expired-only: .*"token"`
}

func (s *store) okFrom(ctx context.Context, key string) (bigtable.Row, error) {
	q := build.Query{Family: "token", From: time.Now(), Limit: 1}
	return s.tbl.ReadRow(ctx, key, q.Options()...)
}

func (s *store) scan(ctx context.Context, limit int64) (n int, err error) {
	q := build.Query{Column: "jwt", Limit: limit}
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		n += len(r["token"])
		return true
	}, q.Options()...)
	return n, err
}

func (s *store) filtered(ctx context.Context, key, family string) (bigtable.Row, error) {
	q := build.Query{Family: family, Column: "jwt"}
	if family == "" {
		q.Family = "token"
	}
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(q.Filter()))
}
