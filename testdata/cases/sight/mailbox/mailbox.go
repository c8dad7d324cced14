// Package mailbox sends commands to mailboxes: what one of them is given reaches the
// handler that it was made with, and no other's.
package mailbox

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/mailbox/box"
)

type command struct {
	op     int
	family string
	ts     bigtable.Timestamp
}

type manager struct {
	tbl      *bigtable.Table
	box      *box.Box[command]
	handlers map[int]func(context.Context, command) error
}

func newManager(c *bigtable.Client) *manager {
	m := &manager{tbl: c.Open("sessions")}
	m.handlers = map[int]func(context.Context, command) error{0: m.put}
	m.box = box.Start(func(ctx context.Context, c command) error { return m.handlers[c.op](ctx, c) })
	return m
}

func (m *manager) put(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set(c.family, "c", c.ts, nil)
	return m.tbl.Apply(ctx, "k", mut)
}

func (m *manager) refresh(ctx context.Context) {
	m.box.Ask(ctx, command{family: "token", ts: bigtable.Now()}) // not seen: write-time
}

func (m *manager) okName(ctx context.Context) {
	m.box.Ask(ctx, command{family: "profile", ts: bigtable.Now()})
	m.box.Ask(ctx, command{family: "token", ts: bigtable.Time(time.Now().Add(time.Minute))})
}

// Two mailboxes, each with a handler of its own.
type office struct {
	tbl              *bigtable.Table
	tokens, profiles *box.Box[command]
}

func newOffice(c *bigtable.Client) *office {
	o := &office{tbl: c.Open("sessions")}
	o.tokens = box.Start(o.token)
	o.profiles = box.Start(o.profile)
	return o
}

func (o *office) token(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	return o.tbl.Apply(ctx, "k", mut)
}

func (o *office) profile(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "c", c.ts, nil)
	return o.tbl.Apply(ctx, "k", mut)
}

func (o *office) ask(ctx context.Context) {
	o.tokens.Ask(ctx, command{ts: bigtable.Now()}) // not seen: write-time
}

func (o *office) okAsk(ctx context.Context) {
	o.profiles.Ask(ctx, command{ts: bigtable.Now()})
	o.tokens.Ask(ctx, command{ts: bigtable.Time(time.Now().Add(time.Minute))})
}

// Mailboxes that keep their handlers in a field.
type keeper struct {
	tbl              *bigtable.Table
	tokens, profiles *box.Kept[command]
}

func newKeeper(ctx context.Context, c *bigtable.Client) *keeper {
	k := &keeper{tbl: c.Open("sessions")}
	k.tokens = box.NewKept(8, k.token)
	k.profiles = box.NewKept(8, func(ctx context.Context, c command) error {
		mut := bigtable.NewMutation()
		mut.Set("profile", "c", c.ts, nil)
		return k.tbl.Apply(ctx, "k", mut)
	})
	go k.tokens.Run(ctx)
	go k.profiles.Run(ctx)
	return k
}

func (k *keeper) token(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	return k.tbl.Apply(ctx, "k", mut)
}

func (k *keeper) send(ctx context.Context) {
	k.tokens.Send(command{ts: bigtable.Now()})             // want `write-time: .*"token"`
	_ = k.tokens.TrySend(ctx, command{ts: bigtable.Now()}) // want `write-time: .*"token"`
}

func (k *keeper) okSend(ctx context.Context) {
	k.profiles.Send(command{ts: bigtable.Now()})
	k.tokens.Send(command{ts: bigtable.Time(time.Now().Add(time.Minute))})
	_ = k.profiles.TrySend(ctx, command{ts: bigtable.Now()})
}

// local uses a mailbox where it is made.
func local(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	b := box.Start(func(ctx context.Context, c command) error {
		mut := bigtable.NewMutation()
		mut.Set("token", "c", c.ts, nil)
		return tbl.Apply(ctx, "k", mut)
	})
	b.Ask(ctx, command{ts: bigtable.Now()}) // not seen: write-time
	b.Ask(ctx, command{ts: bigtable.Time(time.Now().Add(time.Minute))})
}

// okGiven does not know the handler of the mailbox.
func okGiven(ctx context.Context, b *box.Box[command]) {
	b.Ask(ctx, command{family: "token", ts: bigtable.Now()})
}
