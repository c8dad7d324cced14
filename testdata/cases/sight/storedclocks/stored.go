// Package storedclocks keeps functions and configurations that are used later.
package storedclocks

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/storedclocks/clocks"
)

// A method value of a clock in a func field.

type store struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newStore(tbl *bigtable.Table, clk clocks.Clock) *store { return &store{tbl: tbl, now: clk.Now} }

func newSystem(tbl *bigtable.Table) *store {
	return &store{tbl: tbl, now: clocks.System{}.Now}
}

func (s *store) write(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.now()), nil) // want `uses the current time`
	m.Set("token", "w", bigtable.Time(s.now().Add(time.Minute)), nil)
	return s.tbl.Apply(ctx, key, m)
}

type given struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newGiven(tbl *bigtable.Table, clk clocks.Clock) *given {
	g := &given{tbl: tbl}
	g.now = clk.Now
	return g
}

func (s *given) write(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Time(s.now()), nil) // want `uses the current time`
	return s.tbl.Apply(ctx, key, m)
}

// Functions with two results in a table of structs.

type spec struct {
	family string
	stamp  func(n int64) (bigtable.Timestamp, error)
}

func nowStamp(int64) (bigtable.Timestamp, error) { return bigtable.Now(), nil }

func soon(int64) (bigtable.Timestamp, error) { return bigtable.Time(time.Now().Add(time.Hour)), nil }

func seq(n int64) (bigtable.Timestamp, error) { return bigtable.Timestamp(n * 1000), nil }

var specs = []spec{
	{"token", soon},
	{"entry", seq},
	{"ticket", nowStamp},
	{"entry", nowStamp},
}

func all(ctx context.Context, tbl *bigtable.Table, n int64) error {
	m := bigtable.NewMutation()
	for _, s := range specs {
		ts, err := s.stamp(n)
		if err != nil {
			return err
		}
		m.Set(s.family, "v", ts, nil) // want `family "ticket" \(table not known\) uses the current time` `family "entry" \(table not known\) uses a clock reading`
	}
	return tbl.Apply(ctx, "k", m)
}

var right = []spec{{"token", soon}, {"entry", seq}}

func good(ctx context.Context, tbl *bigtable.Table, n int64) error {
	m := bigtable.NewMutation()
	for _, s := range right {
		if ts, err := s.stamp(n); err == nil {
			m.Set(s.family, "v", ts, nil)
		}
	}
	return tbl.Apply(ctx, "k", m)
}

var byName = map[string]spec{"a": {"token", nowStamp}, "b": {"entry", seq}}

func named(ctx context.Context, tbl *bigtable.Table, name string, n int64) error {
	s := byName[name]
	ts, err := s.stamp(n)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(s.family, "v", ts, nil) // want `family "token" \(table not known\) uses the current time`
	return tbl.Apply(ctx, "k", m)
}

// A sync.Once that fills fields.

type lazy struct {
	client *bigtable.Client
	once   sync.Once
	tbl    *bigtable.Table
	live   bigtable.Filter
	since  time.Time
}

func (l *lazy) init() {
	l.once.Do(func() {
		l.tbl = l.client.Open("history")
		l.live = bigtable.FamilyFilter("val")
		l.since = time.Now()
	})
}

func (l *lazy) read(ctx context.Context, key string) (bigtable.Row, error) {
	l.init()
	return l.tbl.ReadRow(ctx, key, bigtable.RowFilter(l.live)) // want `sequential-numbers family "val" of table "history"`
}

func (l *lazy) put(ctx context.Context, key string) error {
	l.once.Do(l.open)
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `uses a clock reading`
	return l.tbl.Apply(ctx, key, m)
}

func (l *lazy) open() { l.tbl = l.client.Open("history") }
