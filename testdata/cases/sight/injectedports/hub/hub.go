// Package hub is given what marks users, and does not import the client.
package hub

import (
	"context"
	"time"
)

// Marker marks users.
type Marker interface {
	Mark(ctx context.Context, user string, until time.Time) error
}

// Hub marks too early.
type Hub struct{ m Marker }

// New makes one.
func New(m Marker) *Hub { return &Hub{m: m} }

// DND marks until now.
func (h *Hub) DND(ctx context.Context, user string) error {
	return h.m.Mark(ctx, user, time.Now())
}

// Typing marks for a minute.
func (h *Hub) Typing(ctx context.Context, user string) error {
	return h.m.Mark(ctx, user, time.Now().Add(time.Minute))
}

// Lobby marks as it should.
type Lobby struct {
	m    Marker
	stay time.Duration
}

// NewLobby makes one.
func NewLobby(m Marker) *Lobby { return &Lobby{m, time.Minute} }

// Enter marks for a minute.
func (l *Lobby) Enter(ctx context.Context, user string) error {
	return l.m.Mark(ctx, user, time.Now().Add(l.stay))
}

// Desk marks by a method of its own.
type Desk struct {
	m   Marker
	now func() time.Time
}

// NewDesk makes one.
func NewDesk(m Marker) *Desk { return &Desk{m: m, now: time.Now} }

func (d *Desk) mark(ctx context.Context, user string, life time.Duration) error {
	return d.m.Mark(ctx, user, d.now().Add(life))
}

// Leave marks for no time at all.
func (d *Desk) Leave(ctx context.Context, user string) error { return d.mark(ctx, user, -time.Second) }

// Come marks for an hour.
func (d *Desk) Come(ctx context.Context, user string) error { return d.mark(ctx, user, time.Hour) }

// Config has what a room needs.
type Config struct {
	Marker Marker
	Name   string
}

// Room has a configuration.
type Room struct{ cfg Config }

// NewRoom makes one.
func NewRoom(cfg Config) *Room { return &Room{cfg: cfg} }

// Close marks until now.
func (r *Room) Close(ctx context.Context) error {
	return r.cfg.Marker.Mark(ctx, r.cfg.Name, time.Now())
}

// Given marks by what each call gives it.
func Given(ctx context.Context, m Marker, user string) error { return m.Mark(ctx, user, time.Now()) }
