// Package options makes several stores with one set of options: what one store is
// given is not another's.
package options

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type repo struct {
	tbl    *bigtable.Table
	family string
	column string
	stamp  func() bigtable.Timestamp
	filter func() bigtable.Filter
}

type option func(*repo)

func stamped(f func() bigtable.Timestamp) option { return func(r *repo) { r.stamp = f } }

func filtered(f func() bigtable.Filter) option { return func(r *repo) { r.filter = f } }

func column(name string) option { return func(r *repo) { r.column = name } }

func newRepo(tbl *bigtable.Table, family string, opts ...option) *repo {
	r := &repo{tbl: tbl, family: family, column: "v"}
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *repo) put(ctx context.Context, key string, b []byte) error {
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	if r.stamp != nil {
		ts = r.stamp()
	}
	m.Set(r.family, r.column, ts, b)
	return r.tbl.Apply(ctx, key, m)
}

func (r *repo) get(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.FamilyFilter(r.family)
	if r.filter != nil {
		f = bigtable.ChainFilters(f, r.filter())
	}
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

type stores struct {
	latest, profile, seen, stale, wrong, forever *repo
}

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func in(d time.Duration) func() bigtable.Timestamp {
	return func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }
}

func open(c *bigtable.Client) *stores {
	catalog, sessions := c.Open("catalog"), c.Open("sessions")
	return &stores{
		latest:  newRepo(catalog, "latest"),
		profile: newRepo(sessions, "profile", stamped(in(0))),
		seen:    newRepo(sessions, "token", stamped(in(2*time.Minute)), filtered(live)),
		stale:   newRepo(sessions, "token", column("old"), stamped(in(0)), filtered(live)), // want `write-time: .*"token"`
		wrong:   newRepo(catalog, "latest", column("w"), stamped(in(time.Hour))),           // want `clock-in-zero: .*"latest"`
		forever: newRepo(sessions, "token", stamped(in(time.Minute))),                      // want `missing-filter: .*"token"`
	}
}

// fading returns functions that choose by what they are given.
func fading(d time.Duration) func() bigtable.Timestamp {
	return func() bigtable.Timestamp {
		if d == 0 {
			return bigtable.ServerTime
		}
		return bigtable.Time(time.Now().Add(d))
	}
}

func faded(c *bigtable.Client) []*repo {
	catalog, sessions := c.Open("catalog"), c.Open("sessions")
	return []*repo{
		newRepo(sessions, "profile", stamped(fading(0))),
		newRepo(sessions, "token", stamped(fading(time.Hour)), filtered(live)),
		newRepo(sessions, "token", stamped(fading(0)), filtered(live)), // want `server-timestamp: .*"token"`
		newRepo(catalog, "latest", stamped(fading(time.Hour))),         // want `clock-in-zero: .*"latest"`
	}
}
