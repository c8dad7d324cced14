// Package match keeps running matches: their numbered states, the log of
// their events, and what does not change.
//
// States and events are written with sequence numbers as timestamps, so that
// a server that lags behind never overwrites a newer state.
package match

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// StateVersions is how many states of a match are kept.
const StateVersions = 3

// State is the state of a match after a number of ticks.
type State struct {
	Tick   int64           `json:"tick"`
	Scores map[string]int  `json:"scores"`
	World  json.RawMessage `json:"world,omitempty"`
}

// Event is something that happened in a match.
type Event struct {
	Seq    int64
	Kind   string
	Player string
	Data   []byte
}

// Store reads and writes matches.
type Store struct {
	tbl bigtable.TableAPI
	log *eventLog
}

// New returns the store of the matches table.
func New(client *bigtable.Client) *Store {
	tbl := client.OpenTable(schema.Matches)
	return &Store{tbl: tbl, log: &eventLog{tbl: tbl, next: map[string]int64{}}}
}

// rowKey returns the row key of a match.
func rowKey(id string) string { return "m#" + id }

// Begin creates a match.
func (s *Store) Begin(ctx context.Context, id, mode string, players []string) error {
	b, err := json.Marshal(players)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "mode", bigtable.Now(), []byte(mode))  // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "players", bigtable.ServerTime, b)     // ok ttlwrite/clock-in-sequence ttlwrite/server-timestamp
	m.Set(schema.FamState, "cur", kit.Sequence(0), []byte("{}")) // ok ttlwrite/already-expired ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// Save stores a state under its tick.
func (s *Store) Save(ctx context.Context, id string, st State) error {
	b, err := json.Marshal(st)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "cur", bigtable.Timestamp(st.Tick*1000), b) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// Finish stores the last state and who won.
func (s *Store) Finish(ctx context.Context, id string, st State, winner string) error {
	b, err := json.Marshal(st)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "cur", bigtable.Now(), b)                      // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "winner", bigtable.Now(), []byte(winner))       // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamState, "winner", bigtable.ServerTime, []byte(winner)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// Abort marks a match as broken off.
func (s *Store) Abort(ctx context.Context, id, why string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "abort", bigtable.Time(at), []byte(why)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "abort", bigtable.Time(at), []byte(why))  // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// Pause stores that a match waits for a player.
func (s *Store) Pause(ctx context.Context, id, player string) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{Family: schema.FamState, Column: "paused", At: bigtable.Time(kit.Now(ctx).Add(10 * time.Minute)), Value: []byte(player)}) // want ttlwrite/clock-in-sequence
}

// Resume stores that it goes on, under the tick at which it does.
func (s *Store) Resume(ctx context.Context, id string, tick int64) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{Family: schema.FamState, Column: "paused", At: kit.Sequence(tick), Value: nil}) // ok ttlwrite/clock-in-sequence ttlwrite/unscaled-sequence
}

// Replay writes recorded states again, in their order.
func (s *Store) Replay(ctx context.Context, id string, states []State) error {
	for i, st := range states {
		b, err := json.Marshal(st)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamState, "replay", bigtable.Timestamp(i+1), b) // want ttlwrite/unscaled-sequence
		if err := s.tbl.Apply(ctx, rowKey(id), m); err != nil {
			return fmt.Errorf("replay %s, state %d: %w", id, i, err)
		}
	}
	return nil
}

// ReplayScaled is Replay with numbers that Bigtable keeps apart.
func (s *Store) ReplayScaled(ctx context.Context, id string, states []State) error {
	ts := bigtable.Timestamp(0)
	for i, st := range states {
		b, err := json.Marshal(st)
		if err != nil {
			return err
		}
		ts += 1000
		m := bigtable.NewMutation()
		m.Set(schema.FamState, "replay", ts, b)                            // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamState, "index", bigtable.Timestamp(i*1000), b[:0]) // ok ttlwrite/unscaled-sequence
		if err := s.tbl.Apply(ctx, rowKey(id), m); err != nil {
			return fmt.Errorf("replay %s, state %d: %w", id, i, err)
		}
	}
	return nil
}

// Checkpoint stores a state as the first of its match again, after a rewind.
func (s *Store) Checkpoint(ctx context.Context, id string, b []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamState, "cur")      // ok ttlwrite/delete-after-set
	m.Set(schema.FamState, "cur", 1, b)                // want ttlwrite/unscaled-sequence
	m.Set(schema.FamState, "rewound", 1000, []byte{1}) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// eventLog appends events. It numbers them by match.
type eventLog struct {
	tbl bigtable.TableAPI

	mu   sync.Mutex
	next map[string]int64
}

// number returns the next number of a match.
func (l *eventLog) number(id string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next[id]++
	return l.next[id]
}

// Record appends events to a match's log.
func (s *Store) Record(ctx context.Context, id string, events ...Event) error {
	m := bigtable.NewMutation()
	for _, e := range events {
		n := s.log.number(id)
		m.Set(schema.FamEvent, fmt.Sprintf("%s:%d", e.Kind, n), kit.Sequence(n), e.Data) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	}
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// RecordOne appends one event. It is what the game loop calls.
func (s *Store) RecordOne(ctx context.Context, id string, e Event) error {
	s.log.mu.Lock()
	s.log.next[id]++
	n := s.log.next[id]
	s.log.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, e.Kind, bigtable.Timestamp(n), e.Data) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// Ticker numbers the ticks of one match.
type Ticker struct {
	store *Store
	id    string
	tick  atomic.Int64
}

// NewTicker returns the ticker of a match.
func (s *Store) NewTicker(id string) *Ticker { return &Ticker{store: s, id: id} }

// Tick stores the state of the next tick.
func (t *Ticker) Tick(ctx context.Context, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "cur", bigtable.Timestamp(t.tick.Add(1)), b) // want ttlwrite/unscaled-sequence
	return t.store.tbl.Apply(ctx, rowKey(t.id), m)
}

// TickScaled stores the state of the next tick, in milliseconds.
func (t *Ticker) TickScaled(ctx context.Context, b []byte) error {
	n := t.tick.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "cur", bigtable.Timestamp(n*1000), b) // ok ttlwrite/unscaled-sequence
	return t.store.tbl.Apply(ctx, rowKey(t.id), m)
}

// CountKills counts the kills of a player in the match's state.
func (s *Store) CountKills(ctx context.Context, id, player string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamState, "kills:"+player, n)         // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamMeta, "killers", []byte(player)) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(id), rmw)
	return err
}

// AppendNote adds a line to the notes of the referee.
func (s *Store) AppendNote(ctx context.Context, id, note string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamEvent, "notes", []byte(note+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(id), rmw)
	return err
}

// CountSpectators counts the spectators, who are no part of the state.
func (s *Store) CountSpectators(ctx context.Context, id string, delta int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamMeta, "spectators", delta) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(id), rmw)
	return err
}

// Reserve takes a match for a server, if no state has been written yet.
func (s *Store) Reserve(ctx context.Context, id, server string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "server", bigtable.Now(), []byte(server))
	var begun bool
	err := s.tbl.Apply(ctx, rowKey(id), bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamState), nil, m), bigtable.GetCondMutationResult(&begun)) // ok ttlread/conditional-mutation
	if err == nil && begun {
		return kit.ErrConflict
	}
	return err
}

// TakeOver moves a match to another server if the state that it last wrote is
// the one that is stored.
func (s *Store) TakeOver(ctx context.Context, id, server, digest string, tick int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "server", kit.Sequence(tick), []byte(server)) // ok ttlwrite/unscaled-sequence
	same := bigtable.ChainFilters(                                       // want ttlread/conditional-mutation[takeover]
		bigtable.FamilyFilter(schema.FamState),
		bigtable.ColumnFilter("digest"),
		bigtable.ValueFilter(digest),
	)
	return s.tbl.Apply(ctx, rowKey(id), bigtable.NewCondMutation(same, m, nil)) // want ttlread/conditional-mutation[takeover]
}

// TakeOverLatest is TakeOver that looks at the newest digest only.
func (s *Store) TakeOverLatest(ctx context.Context, id, server, digest string, tick int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "server", kit.Sequence(tick), []byte(server))
	same := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamState),
		bigtable.ColumnFilter("digest"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(digest),
	)
	return s.tbl.Apply(ctx, rowKey(id), bigtable.NewCondMutation(same, m, nil)) // ok ttlread/conditional-mutation ttlread/version-limit
}
