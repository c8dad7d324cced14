// Package app wires them: the table behind two decorators is known.
package app

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/passedon/bt"
)

type store struct {
	tbl  bt.Table
	mode int
}

func newStore(t bt.Table, mode int) *store { return &store{tbl: t, mode: mode} }

func (s *store) put(ctx context.Context, key, family string) error {
	return s.tbl.Write(ctx, key, family, "c", bigtable.Now())
}

func (s *store) get(ctx context.Context, key, family string) ([]bigtable.ReadItem, error) {
	filters := []bigtable.Filter{bigtable.FamilyFilter(family)}
	if s.mode == 1 {
		filters = append(filters, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	row, err := s.tbl.Read(ctx, key, filters...)
	return row[family], err
}

func run(ctx context.Context, c *bigtable.Client) {
	known := newStore(bt.Open(c, "sessions", slog.Default()), 0)
	known.put(ctx, "a", "token") // want `write-time`
	known.get(ctx, "a", "token") // want `missing-filter`
	known.put(ctx, "a", "profile")
	known.get(ctx, "a", "profile")
}

func okOther(ctx context.Context, c *bigtable.Client) error {
	t := bt.Open(c, "unregistered", nil)
	return t.Write(ctx, "a", "token", "c", bigtable.Now())
}
