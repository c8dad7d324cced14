// Package use writes where another package says.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/together/lib"
)

type store struct {
	tbl    *bigtable.Table
	pinned map[string]bool
}

func newStore(c *bigtable.Client) *store {
	return &store{c.Open("sessions"), map[string]bool{"a": true}}
}

func (s *store) okPlace(ctx context.Context, key string) error {
	p := lib.For(key, s.pinned)
	m := bigtable.NewMutation()
	m.Set(p.Family, p.Column, p.TS, nil)
	return s.tbl.Apply(ctx, key, m)
}

func (s *store) okPair(ctx context.Context, key string) error {
	family, ts := lib.Pair(s.pinned, key)
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.tbl.Apply(ctx, key, m)
}

func (s *store) bad(ctx context.Context, key string) error {
	family, ts := lib.Bad(s.pinned, key)
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil) // want `write-time: .*"token"`
	return s.tbl.Apply(ctx, key, m)
}
