package ptrfield

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type target struct {
	family string
	fixed  *bigtable.Timestamp
}

func zero() *bigtable.Timestamp {
	var z bigtable.Timestamp
	return &z
}

type sink struct {
	tbl *bigtable.Table
	t   target
}

func (s *sink) write(ctx context.Context, v []byte) error {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if s.t.fixed != nil {
		ts = *s.t.fixed
	}
	m := bigtable.NewMutation()
	m.Set(s.t.family, "c", ts, v)
	return s.tbl.Apply(ctx, "k", m)
}

func Price(ctx context.Context, c *bigtable.Client, v []byte) error {
	s := &sink{tbl: c.Open("catalog"), t: target{family: "latest", fixed: zero()}}
	return s.write(ctx, v)
}

func Cache(ctx context.Context, c *bigtable.Client, v []byte) error {
	s := &sink{tbl: c.Open("cache"), t: target{family: "val"}}
	return s.write(ctx, v)
}
