// Package state keeps the last state of everything on a ward: one cell each, at timestamp zero.
package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

const (
	famLast = schema.Last
	famRev  = schema.Rev
)

// State is what is known of a thing.
type State struct {
	Thing    string    `json:"thing"`
	Value    string    `json:"value"`
	Rev      int64     `json:"rev"`
	Modified time.Time `json:"modified,omitzero"`
	At       time.Time `json:"at"`
}

// Store keeps states.
type Store struct {
	cells btx.Cells
	clk   clock.Clock
	mu    sync.Mutex
	revs  map[string]int64
}

// New returns a Store.
func New(cells btx.Cells, clk clock.Clock) *Store {
	return &Store{cells: cells, clk: clk, revs: make(map[string]int64)}
}

// Put keeps the state of a thing.
func (s *Store) Put(ctx context.Context, thing, value string) error {
	st := State{Thing: thing, Value: value, At: s.clk.Now()}
	b, err := json.Marshal(st)
	if err != nil {
		return err
	}
	if err := s.cells.Put(ctx, thing, famLast, "v", 0, b); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	s.mu.Lock()
	s.revs[thing]++
	n := s.revs[thing]
	s.mu.Unlock()
	return s.cells.Put(ctx, thing, famRev, "n", btx.Number(n), nil) // ok ttlwrite/unscaled-sequence
}

// PutAt keeps the state that a thing had at a time.
func (s *Store) PutAt(ctx context.Context, thing, value string, at time.Time) error {
	if err := s.cells.Put(ctx, thing, famLast, "v", bigtable.Time(at), []byte(value)); err != nil { // want ttlwrite/clock-in-zero[putat]
		return err
	}
	return s.cells.Put(ctx, thing, famRev, "n", bigtable.Time(at), nil) // want ttlwrite/clock-in-sequence
}

// Touch says that a thing is still there.
func (s *Store) Touch(ctx context.Context, thing string) error {
	if err := s.cells.Put(ctx, thing, famLast, "seen", bigtable.Now(), nil); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	s.mu.Lock()
	s.revs[thing]++
	n := s.revs[thing]
	s.mu.Unlock()
	return s.cells.Put(ctx, thing, famRev, "n", bigtable.Timestamp(n), nil) // want ttlwrite/unscaled-sequence
}

// Offline says that a thing is gone.
func (s *Store) Offline(ctx context.Context, thing string) error {
	var zero bigtable.Timestamp
	if err := s.cells.Put(ctx, thing, famLast, "v", zero, []byte("offline")); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := s.cells.Put(ctx, thing, famLast, "off", bigtable.ServerTime, nil); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	return s.cells.Put(ctx, thing, famRev, "off", bigtable.ServerTime, nil) // want ttlwrite/clock-in-sequence
}

// Count counts a thing's restarts.
func (s *Store) Count(ctx context.Context, thing string) (int64, error) {
	return s.cells.Bump(ctx, thing, famLast, "restarts", 1) // want ttlwrite/read-modify-write
}

// Bump raises a thing's revision.
func (s *Store) Bump(ctx context.Context, thing string) (int64, error) {
	return s.cells.Bump(ctx, thing, famRev, "n", 1) // want ttlwrite/read-modify-write
}

// Get returns the state of a thing.
func (s *Store) Get(ctx context.Context, thing string) (State, error) {
	row, err := s.cells.Get(ctx, thing, bigtable.FamilyFilter(famLast)) // ok ttlread/missing-filter
	if err != nil {
		return State{}, err
	}
	it, ok := btx.Cell(row, famLast, "v")
	if !ok {
		return State{}, btx.ErrNotFound
	}
	var st State
	if err := json.Unmarshal(it.Value, &st); err != nil {
		return State{}, fmt.Errorf("state of %s: %w", thing, err)
	}
	return st, nil
}

// Full returns the state of a thing, with its revision.
func (s *Store) Full(ctx context.Context, thing string) (State, error) {
	row, err := s.cells.Get(ctx, thing, nil) // want ttlread/missing-filter
	if err != nil {
		return State{}, err
	}
	st := State{Thing: thing, Value: btx.Value(row, famLast, "v")}
	if it, ok := btx.Cell(row, famRev, "n"); ok {
		st.Rev = btx.NumberOf(it) // ok ttlage/not-write-time
	}
	if it, ok := btx.Cell(row, famLast, "v"); ok {
		st.Modified = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return st, nil
}

// Rev returns the revision of a thing.
func (s *Store) Rev(ctx context.Context, thing string) (int64, error) {
	row, err := s.cells.Get(ctx, thing, bigtable.ChainFilters(bigtable.FamilyFilter(famRev), bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it, _ := btx.Cell(row, famRev, "n")
	return btx.NumberOf(it), nil
}

// Revs returns the revisions of a thing.
func (s *Store) Revs(ctx context.Context, thing string) ([]int64, error) {
	row, err := s.cells.Get(ctx, thing, bigtable.ChainFilters(bigtable.FamilyFilter(famRev), bigtable.LatestNFilter(10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[famRev] {
		out = append(out, btx.NumberOf(it))
	}
	return out, nil
}

// Idle says how long ago the state of a thing was written.
func (s *Store) Idle(ctx context.Context, thing string) (time.Duration, error) {
	row, err := s.cells.Get(ctx, thing, bigtable.FamilyFilter(famLast)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[famLast] {
		if strings.HasSuffix(it.Column, ":v") {
			return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, btx.ErrNotFound
}

// IdleAt says how long ago the state of a thing was written, by what is in it.
func (s *Store) IdleAt(ctx context.Context, thing string) (time.Duration, error) {
	st, err := s.Get(ctx, thing)
	if err != nil {
		return 0, err
	}
	return time.Since(st.At), nil // ok ttlage/not-write-time
}

// Reset forgets a thing.
func (s *Store) Reset(ctx context.Context, thing string) error {
	return errors.Join(
		s.cells.Drop(ctx, thing, famLast, "v"),
		s.cells.Drop(ctx, thing, famLast, "seen"),
		s.cells.Drop(ctx, thing, famRev, "n"),
	)
}

// Snapshot is the states of a ward in one mutation.
func Snapshot(states []State) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, st := range states {
		mut.Set(famLast, st.Thing, 0, []byte(st.Value)) // ok ttlwrite/same-timestamp ttlwrite/clock-in-zero
	}
	mut.Set(famLast, "taken", 0, []byte("1"))                        // ok ttlwrite/same-timestamp
	mut.Set(famLast, "by", 0, []byte("board"))                       // ok ttlwrite/same-timestamp
	mut.Set(famLast, "taken", 0, []byte(time.Now().Format("15:04"))) // want ttlwrite/same-timestamp
	return mut
}

// Tally adds to a state's counter cell.
func Tally(n int64) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("tally", "n", bigtable.ServerTime, n)                                // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("tally", "day", bigtable.Time(time.Now().Truncate(24*time.Hour)), n) // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("tally", "all", 0, n)                                                // ok ttlwrite/aggregate-server-time
	return mut
}

// Seen marks several things as seen, at the time of the call.
func Seen(clk clock.Clock, things ...string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(clk.Now())
	for _, thing := range things {
		mut.Set(famLast, thing, ts, nil) // want ttlwrite/clock-in-zero[seen]
	}
	return mut
}

// Mark marks the first second.
func Mark(thing string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(famLast, thing, 1000, nil)                       // want ttlwrite/clock-in-zero
	mut.Set(famLast, thing+"-0", bigtable.Timestamp(0), nil) // ok ttlwrite/clock-in-zero
	return mut
}
