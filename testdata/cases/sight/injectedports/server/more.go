package server

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/injectedports/hub"
	"example.com/cases/sight/injectedports/store"
)

func more(c *bigtable.Client) []any {
	s, l := store.New(c), store.NewLog(c)
	u, v := &hub.Set{}, &hub.Set{}
	u.Use(s) // want `write-time: .*"token" of table "sessions"`
	v.Use(l)
	return []any{
		u, v,
		hub.NewEmb(s), // want `write-time: .*"token" of table "sessions"`
		hub.NewEmb(l),
		hub.NewEmb(hub.Logged{Next: s}), // want `write-time: .*"token" of table "sessions"`
		hub.NewEmb(hub.Logged{Next: l}),
		hub.NewOpt(hub.With(s)), // want `write-time: .*"token" of table "sessions"`
		hub.NewOpt(hub.With(l)),
		hub.NewMany(l, s), // want `write-time: .*"token" of table "sessions"`
		hub.NewMany(l, l),
		hub.NewFn(s.Mark), // want `write-time: .*"token" of table "sessions"`
		hub.NewFn(l.Mark),
	}
}

// What the object brings is told where it is made, once.
type app struct{ h *hub.Hub }

func newApp(c *bigtable.Client) *app {
	return &app{hub.New(store.New(c))} // want `write-time: .*"token" of table "sessions"`
}

func (a *app) one(ctx context.Context) error { return a.h.DND(ctx, "one") }
func (a *app) two(ctx context.Context) error { return a.h.DND(ctx, "two") }

// What a call brings, at the call.
func timed(ctx context.Context, c *bigtable.Client) {
	t := hub.NewTimed(store.New(c))
	_ = t.At(ctx, "x", time.Now()) // want `write-time: .*"token" of table "sessions"`
	_ = t.At(ctx, "x", time.Now().Add(time.Hour))
	_ = hub.NewTimed(store.NewLog(c)).At(ctx, "x", time.Now())
}
