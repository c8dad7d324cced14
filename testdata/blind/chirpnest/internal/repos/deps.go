// Package repos has one repository per table, with the method names that the
// TypeORM ones had.
package repos

import (
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/tables"
)

// Deps is what every repository is made from.
type Deps struct {
	Client *bigtable.Client
	Tables Tables
	Clock  func() time.Time
	Log    *slog.Logger
	Seq    *Sequencer
	Env    string
}

// Tables are the tables that services use without a repository.
type Tables struct {
	Presence  *bigtable.Table
	Counters  *bigtable.Table
	Analytics *bigtable.Table
}

// OpenTables opens them.
func OpenTables(c *bigtable.Client) Tables {
	return Tables{
		Presence:  c.Open(tables.Presence),
		Counters:  c.Open(tables.Counters),
		Analytics: c.Open(tables.Analytics),
	}
}

// Sequencer hands out numbers per key; the leader alone has one.
type Sequencer struct {
	mu   sync.Mutex
	last map[string]int64
}

func NewSequencer() *Sequencer { return &Sequencer{last: map[string]int64{}} }

// Next is the next number of a key.
func (s *Sequencer) Next(key string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[key]++
	return s.last[key]
}

// Observe remembers a number that was read.
func (s *Sequencer) Observe(key string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.last[key] {
		s.last[key] = n
	}
}
