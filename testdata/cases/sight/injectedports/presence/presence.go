// Package presence has the store and the hub, which another package puts together; it
// gives a hub a store in memory itself.
package presence

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store marks in Bigtable.
type Store struct{ tbl *bigtable.Table }

// NewStore opens one.
func NewStore(c *bigtable.Client) *Store { return &Store{c.Open("sessions")} }

// Mark marks a user.
func (s *Store) Mark(ctx context.Context, user string, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "mark", bigtable.Time(until), nil)
	return s.tbl.Apply(ctx, user, m)
}

type marker interface {
	Mark(ctx context.Context, user string, until time.Time) error
}

// Hub marks.
type Hub struct{ m marker }

// NewHub makes one.
func NewHub(m marker) *Hub { return &Hub{m: m} }

// DND marks until now.
func (h *Hub) DND(ctx context.Context, user string) error {
	return h.m.Mark(ctx, user, time.Now())
}

// Typing marks for a minute.
func (h *Hub) Typing(ctx context.Context, user string) error {
	return h.m.Mark(ctx, user, time.Now().Add(time.Minute))
}

type memory struct {
	mu    sync.Mutex
	marks map[string]time.Time
}

func (m *memory) Mark(_ context.Context, user string, until time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.marks[user] = until
	return nil
}

// Demo is a hub without Bigtable.
func Demo() *Hub { return NewHub(&memory{marks: map[string]time.Time{}}) }

// What is behind it may be either of two stores that differ.
type noter interface {
	Note(ctx context.Context, user string, at time.Time) error
}

type expiring struct{ tbl *bigtable.Table }

func (s expiring) Note(ctx context.Context, user string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "note", bigtable.Time(at), nil)
	return s.tbl.Apply(ctx, user, m)
}

type dated struct{ tbl *bigtable.Table }

func (s dated) Note(ctx context.Context, user string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("profile", "note", bigtable.Time(at), nil)
	return s.tbl.Apply(ctx, user, m)
}

type notes struct{ n noter }

// NewNotes makes some.
func NewNotes(n noter) *notes { return &notes{n} }

// Add notes when.
func (n *notes) Add(ctx context.Context, user string) error { return n.n.Note(ctx, user, time.Now()) }
