package storemethod

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type store struct {
	tbl    *bigtable.Table
	family string
}

func newStore(c *bigtable.Client, table, family string) *store {
	return &store{tbl: c.Open(table), family: family}
}

func (s *store) write(ctx context.Context, key, column string) error {
	m := bigtable.NewMutation()
	m.Set(s.family, column, bigtable.Now(), nil)
	return s.tbl.Apply(ctx, key, m)
}

type sender struct {
	tbl   *bigtable.Table
	marks *store
	kept  map[string]*store
}

func newSender(c *bigtable.Client) *sender {
	s := &sender{tbl: c.Open("sessions"), kept: map[string]*store{}}
	s.marks = newStore(c, "sessions", "token")   // want `write-time: .*"token"`
	s.kept["codes"] = newStore(c, "otp", "code") // want `write-time: .*"code"`
	s.kept["notes"] = newStore(c, "metrics", "sample")
	return s
}

func (s *sender) Run(ctx context.Context, q chan string) {
	for j := range q {
		_ = s.one(ctx, j)
		_ = s.codes(ctx, j)
	}
}

func (s *sender) one(ctx context.Context, key string) error { return s.marks.write(ctx, key, "mark") }

func (s *sender) codes(ctx context.Context, key string) error {
	return s.kept["codes"].write(ctx, key, "mark")
}
