package hub

import (
	"context"
	"log"
	"time"
)

// Emb embeds it.
type Emb struct{ Marker }

// NewEmb makes one.
func NewEmb(m Marker) *Emb { return &Emb{m} }

// DND marks until now.
func (h *Emb) DND(ctx context.Context, user string) error { return h.Mark(ctx, user, time.Now()) }

// Logged passes on what it is given.
type Logged struct{ Next Marker }

// Mark implements Marker.
func (l Logged) Mark(ctx context.Context, user string, until time.Time) error {
	log.Print("x")
	return l.Next.Mark(ctx, user, until)
}

// Opt is given it by an option.
type Opt struct{ m Marker }

// With gives it.
func With(m Marker) func(*Opt) { return func(o *Opt) { o.m = m } }

// NewOpt makes one.
func NewOpt(opts ...func(*Opt)) *Opt {
	o := &Opt{}
	for _, f := range opts {
		f(o)
	}
	return o
}

// DND marks until now.
func (h *Opt) DND(ctx context.Context, user string) error { return h.m.Mark(ctx, user, time.Now()) }

// Set is given it by a setter.
type Set struct{ m Marker }

// Use gives it.
func (h *Set) Use(m Marker) { h.m = m }

// DND marks until now.
func (h *Set) DND(ctx context.Context, user string) error { return h.m.Mark(ctx, user, time.Now()) }

// Many has several.
type Many struct{ ms map[string]Marker }

// NewMany makes one.
func NewMany(a, b Marker) *Many { return &Many{map[string]Marker{"a": a, "b": b}} }

// DND marks until now.
func (h *Many) DND(ctx context.Context, user string) error {
	for _, m := range h.ms {
		_ = m.Mark(ctx, user, time.Now())
	}
	return nil
}

// Fn is given a function.
type Fn struct {
	mark func(ctx context.Context, user string, until time.Time) error
}

// NewFn makes one.
func NewFn(mark func(ctx context.Context, user string, until time.Time) error) *Fn { return &Fn{mark} }

// DND marks until now.
func (h *Fn) DND(ctx context.Context, user string) error { return h.mark(ctx, user, time.Now()) }

// Timed is told when.
type Timed struct{ m Marker }

// NewTimed makes one.
func NewTimed(m Marker) *Timed { return &Timed{m} }

// At marks until then.
func (h *Timed) At(ctx context.Context, user string, at time.Time) error {
	return h.m.Mark(ctx, user, at)
}
