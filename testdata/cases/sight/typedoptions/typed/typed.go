// Package typed does the same with type parameters: what one store is
// given is not another's.
package typed

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

type repo[T any] struct {
	tbl    *bigtable.Table
	family string
	column string
	stamp  func() bigtable.Timestamp
	filter func() bigtable.Filter
}

type option[T any] func(*repo[T])

func stamped[T any](f func() bigtable.Timestamp) option[T] { return func(r *repo[T]) { r.stamp = f } }

func filtered[T any](f func() bigtable.Filter) option[T] { return func(r *repo[T]) { r.filter = f } }

func column[T any](name string) option[T] { return func(r *repo[T]) { r.column = name } }

func newRepo[T any](tbl *bigtable.Table, family string, opts ...option[T]) *repo[T] {
	r := &repo[T]{tbl: tbl, family: family, column: "v"}
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *repo[T]) put(ctx context.Context, key string, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	if r.stamp != nil {
		ts = r.stamp()
	}
	m.Set(r.family, r.column, ts, b)
	return r.tbl.Apply(ctx, key, m)
}

func (r *repo[T]) get(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.FamilyFilter(r.family)
	if r.filter != nil {
		f = bigtable.ChainFilters(f, r.filter())
	}
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

type stores struct {
	latest, profile, wrong *repo[device]
	seen, stale, forever   *repo[seen]
}

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func in(d time.Duration) func() bigtable.Timestamp {
	return func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }
}

func open(c *bigtable.Client) *stores {
	catalog, sessions := c.Open("catalog"), c.Open("sessions")
	return &stores{
		latest:  newRepo[device](catalog, "latest"),
		profile: newRepo(sessions, "profile", stamped[device](in(0))),
		seen:    newRepo(sessions, "token", stamped[seen](in(2*time.Minute)), filtered[seen](live)),
		stale:   newRepo(sessions, "token", column[seen]("old"), stamped[seen](in(0)), filtered[seen](live)), // want `write-time: .*"token"`
		wrong:   newRepo(catalog, "latest", column[device]("w"), stamped[device](in(time.Hour))),             // want `clock-in-zero: .*"latest"`
		forever: newRepo(sessions, "token", stamped[seen](in(time.Minute))),                                  // want `missing-filter: .*"token"`
	}
}

type device struct{ Name string }

type seen struct{ By string }
