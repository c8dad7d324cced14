// Package handlers calls functions that it keeps: what it gives them reaches what
// they do. A handler is a parameter of a loop, a field, a callback, an element of
// what was registered.
package handlers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type command struct {
	family string
	ts     bigtable.Timestamp
}

type handler func(context.Context, command) error

type manager struct {
	tbl         *bigtable.Table
	a, b, c, ok chan command
	field       handler
	unset       handler
}

func newManager(c *bigtable.Client) *manager {
	m := &manager{tbl: c.Open("sessions"), a: make(chan command), b: make(chan command), c: make(chan command), ok: make(chan command)}
	m.field = m.inField
	go loop(m.a, m.param)
	go m.loop()
	go func() {
		for cmd := range m.c {
			_ = m.field(context.Background(), cmd) // want `write-time: .*"token"`
		}
	}()
	go okLoop(m.ok, m.whole)
	return m
}

func loop(ch chan command, handle handler) {
	for c := range ch {
		_ = handle(context.Background(), c) // want `write-time: .*"token"`
	}
}

func okLoop(ch chan command, handle handler) {
	for c := range ch {
		_ = handle(context.Background(), c)
	}
}

func (m *manager) loop() {
	for c := range m.b {
		_ = m.field(context.Background(), c) // want `write-time: .*"token"`
		if m.unset != nil {
			_ = m.unset(context.Background(), c)
		}
	}
}

func (m *manager) param(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	return m.tbl.Apply(ctx, "k", mut)
}

func (m *manager) inField(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	return m.tbl.Apply(ctx, "k", mut)
}

// whole takes the family from the command, too.
func (m *manager) whole(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set(c.family, "c", c.ts, nil)
	return m.tbl.Apply(ctx, "k", mut)
}

func (m *manager) sendA() { m.a <- command{ts: bigtable.Now()} }
func (m *manager) sendB() { m.b <- command{ts: bigtable.Now()} }
func (m *manager) sendC() { m.c <- command{ts: bigtable.Now()} }

func (m *manager) okSend() {
	m.ok <- command{"profile", bigtable.Now()}
	m.ok <- command{"token", bigtable.Time(time.Now().Add(time.Minute))}
	m.a <- command{ts: bigtable.Time(time.Now().Add(time.Minute))}
}

// each calls what it is given, of which there are several.
func each(cmds []command, f func(command)) {
	for _, c := range cmds {
		f(c)
	}
}

func once(c command, f handler) error { return f(context.Background(), c) }

func (m *manager) callbacks(ctx context.Context) {
	write := func(c command) {
		mut := bigtable.NewMutation()
		mut.Set(c.family, "c", c.ts, nil)
		_ = m.tbl.Apply(ctx, "k", mut)
	}
	each([]command{{"token", bigtable.Now()}}, write) // want `write-time: .*"token"`
	each([]command{{"profile", bigtable.Now()}, {"token", bigtable.Time(time.Now().Add(time.Minute))}}, write)
	each([]command{{"token", bigtable.Now()}}, func(c command) {
		mut := bigtable.NewMutation()
		mut.Set("profile", "c", c.ts, nil)
		_ = m.tbl.Apply(ctx, "k", mut)
	})
	each([]command{{"token", bigtable.Now()}}, func(command) {})
	_ = once(command{"token", bigtable.Now()}, m.whole) // want `write-time: .*"token"`
	_ = once(command{"profile", bigtable.Now()}, m.whole)
	_ = once(command{"", bigtable.Now()}, m.param) // want `write-time: .*"token"`
	_ = once(command{"token", bigtable.Now()}, okNothing)
}

func okNothing(context.Context, command) error { return nil }

// Two loops that one function runs, each with its own channel and handler.
type pair struct {
	tbl              *bigtable.Table
	tokens, profiles chan command
}

func newPair(c *bigtable.Client) *pair {
	p := &pair{c.Open("sessions"), make(chan command), make(chan command)}
	go serve(p.tokens, p.token) // want `write-time: .*"token"`
	go serve(p.profiles, p.profile)
	return p
}

func serve(ch <-chan command, handle func(command)) {
	for c := range ch {
		handle(c)
	}
}

func (p *pair) token(c command) {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	_ = p.tbl.Apply(context.Background(), "k", mut)
}

func (p *pair) profile(c command) {
	mut := bigtable.NewMutation()
	mut.Set("profile", "c", c.ts, nil)
	_ = p.tbl.Apply(context.Background(), "k", mut)
}

func (p *pair) sendToken()   { p.tokens <- command{ts: bigtable.Now()} }
func (p *pair) okSendOther() { p.profiles <- command{ts: bigtable.Now()} }

// The same the other way round: what is wrong is never sent to the handler for
// which it would be.
type right struct {
	tbl              *bigtable.Table
	tokens, profiles chan command
}

func newRight(c *bigtable.Client) *right {
	p := &right{c.Open("sessions"), make(chan command), make(chan command)}
	go serve(p.tokens, p.token)
	go serve(p.profiles, p.profile)
	return p
}

func (p *right) token(c command) {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	_ = p.tbl.Apply(context.Background(), "k", mut)
}

func (p *right) profile(c command) {
	mut := bigtable.NewMutation()
	mut.Set("profile", "c", c.ts, nil)
	_ = p.tbl.Apply(context.Background(), "k", mut)
}

func (p *right) okSend() {
	p.tokens <- command{ts: bigtable.Time(time.Now().Add(time.Minute))}
	p.profiles <- command{ts: bigtable.Now()}
}

// OkOpen is called by others, with handlers of which nothing is known.
func OkOpen(ch chan command, handle func(command)) {
	for c := range ch {
		handle(c)
	}
}

// A table of handlers has one for each operation.
type operations struct {
	tbl *bigtable.Table
	by  map[string]func(context.Context, command) error
}

func newOperations(c *bigtable.Client) *operations {
	o := &operations{tbl: c.Open("sessions")}
	o.by = map[string]func(context.Context, command) error{"token": o.token, "profile": o.profile}
	return o
}

func (o *operations) token(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	return o.tbl.Apply(ctx, "k", mut)
}

func (o *operations) profile(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "c", c.ts, nil)
	return o.tbl.Apply(ctx, "k", mut)
}

func (o *operations) do(ctx context.Context, op string, c command) error { return o.by[op](ctx, c) }

func (o *operations) both(ctx context.Context) {
	_ = o.do(ctx, "token", command{ts: bigtable.Now()}) // want `write-time: .*"token"`
	_ = o.do(ctx, "profile", command{ts: bigtable.Now()})
}
