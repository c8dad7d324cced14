// Package app copies tables out of what its constructors are given.
package app

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/copiedhandles/store"
)

type svc struct {
	tbl  *bigtable.Table
	sess *bigtable.Table
	now  func() time.Time
}

// NewSvc makes a service.
func NewSvc(cfg store.Config) *svc {
	s := &svc{}
	s.tbl = cfg.Tables.Ledger
	s.sess = cfg.Tables.Sessions
	s.now = cfg.Clock
	return s
}

func (s *svc) append(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return s.tbl.Apply(ctx, key, m)
}

func (s *svc) okLogin(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Now().Add(10*time.Minute)), nil)
	return s.sess.Apply(ctx, key, m)
}

func (s *svc) login(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.ServerTime, nil) // want `server-timestamp: .*"val"`
	return s.sess.Apply(ctx, key, m)
}

func (s *svc) read(ctx context.Context, key string) (bigtable.Row, error) {
	return s.sess.ReadRow(ctx, key) // want `missing-filter: .*"val"`
}

func (s *svc) okRead(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// By a pointer, in a literal.
type reader struct{ tbl *bigtable.Table }

// NewReader makes a reader.
func NewReader(t *store.Tables) *reader { return &reader{tbl: t.Sessions} }

func (r *reader) get(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key) // want `missing-filter: .*"val"`
}

// Through a local, after a check.
type checked struct{ tbl *bigtable.Table }

// NewChecked makes one.
func NewChecked(cfg *store.Config) (*checked, error) {
	tbl := cfg.Tables.Ledger
	if tbl == nil {
		return nil, errors.New("no table")
	}
	return &checked{tbl}, nil
}

func (c *checked) put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return c.tbl.Apply(ctx, key, m)
}

func (c *checked) okPut(ctx context.Context, key string, n int64) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Timestamp(n*1000), nil)
	return c.tbl.Apply(ctx, key, m)
}

// The whole struct is kept.
type whole struct{ t store.Tables }

// NewWhole makes one.
func NewWhole(cfg store.Config) whole { return whole{cfg.Tables} }

func (w whole) put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return w.t.Ledger.Apply(ctx, key, m)
}

// Copied twice.
type inner struct{ tbl *bigtable.Table }
type outer struct{ in inner }

// NewOuter makes one.
func NewOuter(t store.Tables) *outer {
	o := &outer{}
	o.in.tbl = t.Ledger
	return o
}

func (o *outer) put(ctx context.Context, key string) error {
	return o.in.put(ctx, key)
}

func (i inner) put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return i.tbl.Apply(ctx, key, m)
}

// The table's name is what the handle is.
type named struct {
	c    *bigtable.Client
	name string
}

// NewNamed makes one.
func NewNamed(c *bigtable.Client, n store.Names) *named { return &named{c: c, name: n.Ledger} }

func (n *named) put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return n.c.Open(n.name).Apply(ctx, key, m)
}

// A clock that a function literal is given.
func clocks(ctx context.Context, tbl *bigtable.Table) error {
	write := func(now func() time.Time, col string) error {
		m := bigtable.NewMutation()
		m.Set("token", col, bigtable.Time(now()), nil) // want `write-time: .*"token"`
		return tbl.Apply(ctx, "k", m)
	}
	return write(time.Now, "a")
}

func okClocks(ctx context.Context, tbl *bigtable.Table) error {
	write := func(now func() time.Time, col string) error {
		m := bigtable.NewMutation()
		m.Set("token", col, bigtable.Time(now().Add(time.Hour)), nil)
		return tbl.Apply(ctx, "k", m)
	}
	return errors.Join(write(time.Now, "a"), write(time.Now, "b"))
}

type clock interface{ Now() time.Time }

type sysClock struct{}

func (sysClock) Now() time.Time { return time.Now() }

func ticking(ctx context.Context, tbl *bigtable.Table) error {
	touch := func(c clock) bigtable.Timestamp { return bigtable.Time(c.Now()) }
	m := bigtable.NewMutation()
	m.Set("token", "v", touch(sysClock{}), nil) // want `write-time: .*"token"`
	return tbl.Apply(ctx, "k", m)
}

func stamping(ctx context.Context, tbl *bigtable.Table) error {
	stamp := func(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }
	m := bigtable.NewMutation()
	m.Set("token", "v", stamp(time.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "w", stamp(time.Now().Add(time.Hour)), nil)
	return tbl.Apply(ctx, "k", m)
}

func reading(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	live := func(now func() time.Time) bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(now(), time.Time{}))
	}
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(live(time.Now)))
}

// A closure of a struct's clock, run by another.
func (s *svc) each(ctx context.Context, keys []string, f func(now time.Time, key string) error) error {
	for _, k := range keys {
		if err := f(s.now(), k); err != nil {
			return err
		}
	}
	return nil
}

func (s *svc) touchAll(ctx context.Context, keys []string) error {
	return s.each(ctx, keys, func(now time.Time, key string) error {
		m := bigtable.NewMutation()
		m.Set("val", "v", bigtable.Time(now.Add(10*time.Minute)), nil)
		return s.sess.Apply(ctx, key, m)
	})
}

func run(keys []string, f func(now func() time.Time, key string) error) error {
	for _, k := range keys {
		if err := f(time.Now, k); err != nil {
			return err
		}
	}
	return nil
}

func (s *svc) runAll(ctx context.Context, keys []string) error {
	return run(keys, func(now func() time.Time, key string) error {
		m := bigtable.NewMutation()
		m.Set("val", "v", bigtable.Time(now()), nil) // want `write-time: .*"val"`
		return s.sess.Apply(ctx, key, m)
	})
}
