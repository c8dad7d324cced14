// Package wiring has faults that are whole in a method, and others that the
// object brings.
package wiring

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// What the object brings is reported where the object is used, where the calls
// tell the right ones from the wrong ones.
type column struct {
	family string
	life   time.Duration
}

func (c column) write(m *bigtable.Mutation) {
	if c.life == 0 {
		m.Set(c.family, "c", bigtable.Now(), nil)
		return
	}
	m.Set(c.family, "c", bigtable.Time(time.Now().Add(c.life)), nil)
}

var (
	size = column{"token", time.Hour}
	note = column{family: "token"}
	name = column{family: "profile"}
)

func book() *bigtable.Mutation {
	m := bigtable.NewMutation()
	size.write(m)
	note.write(m) // want `write-time: .*"token"`
	name.write(m)
	return m
}

// All calls are wrong: the fault is the method's, however many calls lead to it.
type queue struct {
	tbl   *bigtable.Table
	in    chan string
	grace time.Duration
}

func newQueue(c *bigtable.Client) *queue {
	return &queue{tbl: c.Open("clicks"), in: make(chan string), grace: 1000 * time.Hour}
}

// Run runs.
func (q *queue) Run(ctx context.Context) { go q.work(ctx) }

func (q *queue) work(ctx context.Context) {
	for key := range q.in {
		q.handle(ctx, key, len(key))
	}
}

func (q *queue) handle(ctx context.Context, key string, n int) {
	m := bigtable.NewMutation()
	if n > 0 {
		m.Set("event", "late", bigtable.Time(time.Now().Add(-q.grace)), nil) // want `already-expired: .*"event"`
	}
	_ = q.tbl.Apply(ctx, key, m)
}

// A filter that an option sets stands at the constructor's call, and there only.
type getter struct {
	tbl    *bigtable.Table
	family string
	filter func() bigtable.Filter
}

type option func(*getter)

func bounded(f func() bigtable.Filter) option { return func(g *getter) { g.filter = f } }

func newGetter(tbl *bigtable.Table, family string, opts ...option) *getter {
	g := &getter{tbl: tbl, family: family}
	for _, o := range opts {
		o(g)
	}
	return g
}

func (g *getter) get(ctx context.Context) string {
	f := bigtable.FamilyFilter(g.family)
	if g.filter != nil {
		f = bigtable.ChainFilters(f, g.filter())
	}
	row, _ := g.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f))
	return string(row[g.family][0].Value)
}

type desk struct{ a, b *getter }

func newDesk(c *bigtable.Client) *desk {
	return &desk{
		a: newGetter(c.Open("main-ledger"), "entry", bounded(func() bigtable.Filter { return bigtable.LatestNFilter(9) })), // want `version-limit: .*"entry"`
		b: newGetter(c.Open("history"), "val", bounded(func() bigtable.Filter { return bigtable.LatestNFilter(1) })),
	}
}

func (d *desk) all(ctx context.Context) {
	for _, g := range []*getter{d.a, d.b} {
		g.get(ctx)
	}
	d.a.get(ctx)
}

// The constructor's own value is the constructor's package's fault.
type archive struct {
	tbl *bigtable.Table
	ts  bigtable.Timestamp
}

func newArchive(c *bigtable.Client) *archive {
	return &archive{c.Open("sessions"), bigtable.ServerTime}
}

func (a *archive) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", a.ts, nil) // want `server-timestamp: .*"token"`
	return a.tbl.Apply(ctx, "k", m)
}

func archives(ctx context.Context, c *bigtable.Client) error {
	if err := newArchive(c).put(ctx); err != nil {
		return err
	}
	return newArchive(c).put(ctx)
}

// What a constructor stores unless an option says otherwise.
type drafts struct {
	tbl  *bigtable.Table
	back time.Duration
	ts   bigtable.Timestamp
	keep bigtable.Filter
}

// DraftOption sets up drafts.
type DraftOption func(*drafts)

// Back says how far back.
func Back(d time.Duration) DraftOption { return func(x *drafts) { x.back = d } }

// Stamp sets the timestamp.
func Stamp(ts bigtable.Timestamp) DraftOption { return func(x *drafts) { x.ts = ts } }

// Keep sets the filter.
func Keep(f bigtable.Filter) DraftOption { return func(x *drafts) { x.keep = f } }

// NewDrafts makes drafts.
func NewDrafts(c *bigtable.Client, opts ...DraftOption) *drafts {
	d := &drafts{tbl: c.Open("sessions"), back: -time.Hour, ts: bigtable.ServerTime, keep: bigtable.LatestNFilter(1)}
	for _, o := range opts {
		o(d)
	}
	return d
}

// Put writes.
func (d *drafts) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", d.ts, nil)                                  // want `server-timestamp: .*"token"`
	m.Set("token", "w", bigtable.Time(time.Now().Add(d.back)), nil) // want `already-expired: .*"token"`
	return d.tbl.Apply(ctx, "k", m)
}

// Get reads.
func (d *drafts) Get(ctx context.Context) string {
	row, _ := d.tbl.ReadRow(ctx, "k", bigtable.RowFilter(d.keep)) // want `missing-filter: .*"token"`
	return string(row["token"][0].Value)
}

func useDrafts(ctx context.Context, c *bigtable.Client) error {
	return NewDrafts(c).Put(ctx)
}
