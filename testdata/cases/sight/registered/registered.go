// Package registered registers handlers, wraps them and hands them to what runs them:
// pools of workers, timers, groups.
package registered

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type event struct {
	kind   string
	family string
	at     bigtable.Timestamp
}

type handler func(context.Context, event) error

// A bus has its handlers registered, in a list and in a map.
type bus struct {
	mu     sync.Mutex
	all    []handler
	byKind map[string]handler
	lists  map[string][]handler
	events chan event
}

func newBus() *bus {
	return &bus{byKind: map[string]handler{}, lists: make(map[string][]handler), events: make(chan event, 8)}
}

func (b *bus) subscribe(h handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, h)
}

func (b *bus) register(kind string, h handler) { b.byKind[kind] = h }

func (b *bus) on(kind string, h handler) { b.lists[kind] = append(b.lists[kind], h) }

func (b *bus) publish(ctx context.Context, e event) {
	for _, h := range b.all {
		_ = h(ctx, e)
	}
}

func (b *bus) dispatch(ctx context.Context, e event) error {
	h, ok := b.byKind[e.kind]
	if !ok {
		return nil
	}
	return h(ctx, e)
}

func (b *bus) fire(ctx context.Context, e event) {
	for _, h := range b.lists[e.kind] {
		_ = h(ctx, e)
	}
}

type app struct {
	bus *bus
	tbl *bigtable.Table
}

func newApp(c *bigtable.Client) *app {
	a := &app{bus: newBus(), tbl: c.Open("sessions")}
	a.bus.subscribe(a.seen)
	a.bus.register("token", a.token)
	a.bus.register("profile", a.profile)
	a.bus.on("mixed", a.whole)
	return a
}

func (a *app) write(ctx context.Context, family string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "c", ts, nil)
	return a.tbl.Apply(ctx, "k", mut)
}

func (a *app) seen(ctx context.Context, e event) error    { return a.write(ctx, "token", e.at) }
func (a *app) token(ctx context.Context, e event) error   { return a.write(ctx, "token", e.at) }
func (a *app) profile(ctx context.Context, e event) error { return a.write(ctx, "profile", e.at) }
func (a *app) whole(ctx context.Context, e event) error   { return a.write(ctx, e.family, e.at) }

func (a *app) run(ctx context.Context) {
	a.bus.publish(ctx, event{at: bigtable.Now()})                              // want `write-time: .*"token"`
	_ = a.bus.dispatch(ctx, event{kind: "token", at: bigtable.Now()})          // not seen: write-time
	a.bus.fire(ctx, event{kind: "mixed", family: "token", at: bigtable.Now()}) // not seen: write-time
}

func (a *app) okRun(ctx context.Context) {
	soon := bigtable.Time(time.Now().Add(time.Minute))
	a.bus.publish(ctx, event{at: soon})
	_ = a.bus.dispatch(ctx, event{kind: "token", at: soon})
	_ = a.bus.dispatch(ctx, event{kind: "profile", at: bigtable.Now()})
	a.bus.fire(ctx, event{kind: "mixed", family: "profile", at: bigtable.Now()})
	a.bus.fire(ctx, event{kind: "none", family: "token", at: soon})
}
