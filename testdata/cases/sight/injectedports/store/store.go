// Package store marks users.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store marks in Bigtable.
type Store struct{ tbl *bigtable.Table }

// New opens one.
func New(c *bigtable.Client) *Store { return &Store{c.Open("sessions")} }

// Mark implements hub.Marker.
func (s *Store) Mark(ctx context.Context, user string, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "mark", bigtable.Time(until), nil)
	return s.tbl.Apply(ctx, user, m)
}

// Log notes when users were marked.
type Log struct{ tbl *bigtable.Table }

// NewLog opens one.
func NewLog(c *bigtable.Client) *Log { return &Log{c.Open("sessions")} }

// Mark implements hub.Marker.
func (l *Log) Mark(ctx context.Context, user string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("profile", "mark", bigtable.Time(at), nil)
	return l.tbl.Apply(ctx, user, m)
}

// Memory is no Bigtable.
type Memory struct{ marks map[string]time.Time }

// NewMemory makes one.
func NewMemory() *Memory { return &Memory{map[string]time.Time{}} }

// Mark implements hub.Marker.
func (m *Memory) Mark(_ context.Context, user string, until time.Time) error {
	m.marks[user] = until
	return nil
}
