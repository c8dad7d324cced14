// Package clockwired writes and reads with clocks that it is given.
package clockwired

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// The constructor's own clock, unless an option replaces it.
type store struct {
	tbl   *bigtable.Table
	clock func() time.Time
	life  time.Duration
}

type option func(*store)

// WithClock replaces the clock.
func WithClock(f func() time.Time) option { return func(s *store) { s.clock = f } }

func newStore(c *bigtable.Client, opts ...option) *store {
	s := &store{tbl: c.Open("sessions"), clock: time.Now, life: time.Hour}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *store) create(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "imp", bigtable.Time(s.clock()), nil) // want `write-time: .*"token"`
	m.Set("token", "ok", bigtable.Time(s.clock().Add(s.life)), nil)
	return s.tbl.Apply(ctx, "k", m)
}

func (s *store) revoke(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.Time(s.clock().Add(-time.Hour)), nil) // want `already-expired: .*"token"`
	return s.tbl.Apply(ctx, "k", m)
}

func (s *store) first(ctx context.Context) ([]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, s.clock()))
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `expired-only: .*"token"`
	if err != nil {
		return nil, err
	}
	return row["token"][0].Value, nil
}

func useOne(ctx context.Context, c *bigtable.Client) error { return newStore(c).create(ctx) }
func useTwo(ctx context.Context, c *bigtable.Client) error {
	s := newStore(c, WithClock(time.Now))
	if err := s.revoke(ctx); err != nil {
		return err
	}
	_, err := s.first(ctx)
	return err
}

// A getter falls back to the clock.
type ledger struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewLedger makes a ledger.
func NewLedger(c *bigtable.Client, now func() time.Time) *ledger {
	return &ledger{tbl: c.Open("main-ledger"), now: now}
}

func (l *ledger) time() time.Time {
	if l.now != nil {
		return l.now()
	}
	return time.Now()
}

// Book books.
func (l *ledger) Book(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Time(l.time()), nil) // want `clock-in-sequence: .*"entry"`
	return l.tbl.Apply(ctx, "k", m)
}

func books(ctx context.Context, c *bigtable.Client) error {
	if err := NewLedger(c, nil).Book(ctx); err != nil {
		return err
	}
	return NewLedger(c, time.Now).Book(ctx)
}

// Hooks write with the clock of the hub that they are given.
type hub struct {
	tbl   *bigtable.Table
	clock func() time.Time
	hooks map[string][]func(*hub, string)
}

func newHub(t *bigtable.Table, clock func() time.Time) *hub {
	h := &hub{t, clock, map[string][]func(*hub, string){}}
	h.hooks["login"] = append(h.hooks["login"], func(h *hub, key string) {
		m := bigtable.NewMutation()
		m.Set("token", "last", bigtable.Time(h.clock()), nil) // want `write-time: .*"token"`
		m.Set("token", "next", bigtable.Time(h.clock().Add(time.Minute)), nil)
		_ = h.tbl.Apply(context.Background(), key, m)
	})
	return h
}

func (h *hub) fire(topic, key string) {
	for _, f := range h.hooks[topic] {
		f(h, key)
	}
}

func hubs(c *bigtable.Client) { newHub(c.Open("sessions"), time.Now).fire("login", "k") }

// A configuration with defaults.
type config struct {
	Now func() time.Time
	TTL time.Duration
}

func (c *config) defaults() {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.TTL == 0 {
		c.TTL = time.Hour
	}
}

type cache struct {
	tbl *bigtable.Table
	cfg config
}

// NewCache makes a cache.
func NewCache(c *bigtable.Client, cfg config) *cache {
	cfg.defaults()
	return &cache{c.Open("tickets"), cfg}
}

// Put writes.
func (c *cache) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "seen", bigtable.Time(c.cfg.Now()), nil) // want `write-time: .*"ticket"`
	m.Set("ticket", "v", bigtable.Time(c.cfg.Now().Add(c.cfg.TTL)), nil)
	return c.tbl.Apply(ctx, "k", m)
}

func caches(ctx context.Context, c *bigtable.Client) error { return NewCache(c, config{}).Put(ctx) }

// Interfaces, embedded, and as a type parameter: the package has a clock.
type clock interface{ Now() time.Time }

type system struct{}

func (system) Now() time.Time                   { return time.Now() }
func (system) NowTimestamp() bigtable.Timestamp { return bigtable.Now() }

// fixed is what tests use.
type fixed struct{ at time.Time }

func (f fixed) Now() time.Time { return f.at }

type base struct {
	clk clock
	tbl *bigtable.Table
}

type sessions struct{ base }

// NewSessions makes sessions.
func NewSessions(t *bigtable.Table, clk clock) *sessions { return &sessions{base{clk, t}} }

func (s *sessions) expire(m *bigtable.Mutation) {
	m.Set("token", "gone", bigtable.Time(s.clk.Now()), nil) // want `write-time: .*"token"`
	m.Set("token", "kept", bigtable.Time(s.clk.Now().Add(time.Hour)), nil)
}

type repo[T any, C clock] struct{ clk C }

func (r repo[T, C]) put(m *bigtable.Mutation, v T) {
	m.Set("event", "old", bigtable.Time(r.clk.Now().Add(-800*time.Hour)), nil) // want `already-expired: .*"event"`
	m.Set("event", "new", bigtable.Time(r.clk.Now()), nil)
}

// Clocks that yield timestamps.
type stamps interface{ NowTimestamp() bigtable.Timestamp }

func stamped(m *bigtable.Mutation, s stamps) {
	m.Set("entry", "v", s.NowTimestamp(), nil) // want `clock-in-sequence: .*"entry"`
	m.Set("event", "v", s.NowTimestamp(), nil)
}

// Readings of a clock that is given are not the same time twice, and one kept
// in a variable is.
func twice(m *bigtable.Mutation, now func() time.Time) {
	m.Set("token", "v", bigtable.Time(now().Add(time.Hour)), nil)
	m.Set("token", "v", bigtable.Time(now().Add(2*time.Hour)), nil)
	exp := bigtable.Time(now().Add(time.Hour))
	m.Set("token", "w", exp, nil)
	m.Set("token", "w", exp, nil) // want `same-timestamp`
}

// Where nobody in view gives these anything, their names tell.
type unknownClock interface{ Now() time.Time }

type ticking interface{ Tick() time.Time }

// Unknown is given a clock by nobody.
type Unknown struct {
	clock unknownClock
	now   func() time.Time
	tick  ticking
}

func (u *Unknown) put(m *bigtable.Mutation) {
	m.Set("token", "b", bigtable.Time(u.now()), nil) // want `write-time`
	m.Set("token", "c", bigtable.Time(u.tick.Tick()), nil)
}

func unknown(m *bigtable.Mutation, now, clock func() time.Time) {
	m.Set("token", "a", bigtable.Time(now()), nil)   // want `write-time`
	m.Set("token", "b", bigtable.Time(clock()), nil) // want `write-time`
}

// What is given tells, whatever it is called.
type meter struct{ source func() time.Time }

func newMeter() *meter { return &meter{source: time.Now} }

func (r *meter) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(r.source()), nil) // want `write-time: .*"token"`
}

// NewMeter is for other packages.
func NewMeter(source func() time.Time) *meter { return &meter{source} }

func meters(m *bigtable.Mutation) { newMeter().put(m) }

// What yields the time of expiry is no clock, whatever it is called.
type deadlines struct {
	tbl    *bigtable.Table
	expiry func() time.Time
	now    func() time.Time
}

func newDeadlines(c *bigtable.Client) *deadlines {
	in := func() time.Time { return time.Now().Add(time.Hour) }
	return &deadlines{tbl: c.Open("sessions"), expiry: in, now: in}
}

// NewDeadlines is given both.
func NewDeadlines(c *bigtable.Client, expiry func() time.Time) *deadlines {
	return &deadlines{tbl: c.Open("sessions"), expiry: expiry, now: func() time.Time { return time.Now().Add(time.Minute) }}
}

func (d *deadlines) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(d.expiry()), nil)
	m.Set("token", "b", bigtable.Time(d.now()), nil)
}

func okGiven(m *bigtable.Mutation, now func() time.Time) {
	m.Set("token", "a", bigtable.Time(now()), nil)
}

func okGives(m *bigtable.Mutation) {
	okGiven(m, func() time.Time { return time.Now().Add(time.Hour) })
}
