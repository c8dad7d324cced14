// Package lobby keeps the lobbies in which players wait for a match.
//
// A lobby's state lives for ten minutes after the last thing that happened in
// it. Who hosts it is kept for longer, in a family of its own.
package lobby

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// IdleTTL is how long a lobby stays without activity.
const IdleTTL = 10 * time.Minute

// Phase is where a lobby stands.
type Phase string

// The phases of a lobby.
const (
	PhaseOpen     Phase = "open"
	PhaseFull     Phase = "full"
	PhaseStarting Phase = "starting"
	PhaseClosed   Phase = "closed"
)

// Lobby is one lobby.
type Lobby struct {
	ID      string
	Phase   Phase
	Host    string
	Players []string
}

// Store reads and writes lobbies.
type Store struct {
	tbl   *bigtable.Table
	clock kit.Clock
	ready *kit.Repo[string, Readiness]
	votes *kit.Repo[string, []string]
	hosts *kit.Repo[string, string]
	maps  *kit.Repo[string, string]
}

// Readiness says which players of a lobby are ready.
type Readiness map[string]bool

// Options are the options of New.
type Options struct {
	// Clock is the clock that expiries are made with. Default: the system's.
	Clock kit.Clock
	// VoteTTL is how long a vote on the map stays open. Default: a minute.
	VoteTTL time.Duration
}

// New returns the store of the lobbies table.
func New(client *bigtable.Client, opts Options) *Store {
	if opts.Clock == nil {
		opts.Clock = kit.SystemClock{}
	}
	if opts.VoteTTL == 0 {
		opts.VoteTTL = time.Minute
	}
	tbl := client.Open(schema.Lobbies)
	s := &Store{tbl: tbl, clock: opts.Clock}
	s.ready = kit.NewRepo(tbl, kit.RepoConfig[string, Readiness]{
		Family: schema.FamState,
		Column: "ready",
		Key:    rowKey,
		Codec:  kit.JSON[Readiness]{},
		Stamp:  kit.Expires(IdleTTL), // ok ttlwrite/write-time ttlwrite/server-timestamp
		View:   kit.Unexpired(),      // ok ttlread/missing-filter ttlread/wrong-bound
	})
	s.votes = kit.NewRepo(tbl, kit.RepoConfig[string, []string]{ // want ttlwrite/write-time[votes] ttlread/wrong-bound[votes]
		Family: schema.FamState,
		Column: "votes",
		Key:    rowKey,
		Codec:  kit.JSON[[]string]{},
		Stamp:  kit.Written(),           // want ttlwrite/write-time[votes]
		View:   kit.Within(time.Minute), // want ttlread/wrong-bound[votes]
	})
	s.hosts = kit.NewRepo(tbl, kit.RepoConfig[string, string]{
		Family: schema.FamHost,
		Column: "player",
		Key:    rowKey,
		Codec:  kit.Text{},
		Stamp:  kit.Written(), // ok ttlwrite/write-time
		View:   kit.Newest(1), // ok ttlread/missing-filter
	})
	s.maps = kit.NewRepo(tbl, kit.RepoConfig[string, string]{ // want ttlwrite/server-timestamp[maps] ttlread/missing-filter[maps]
		Family: schema.FamState,
		Column: "map",
		Key:    rowKey,
		Codec:  kit.Text{},
		Stamp:  kit.ServerSide(), // want ttlwrite/server-timestamp[maps]
		View:   kit.Newest(1),    // want ttlread/missing-filter[maps]
	})
	return s
}

// rowKey returns the row key of a lobby.
func rowKey(id string) string { return "l#" + id }

// Open creates a lobby.
func (s *Store) Open(ctx context.Context, id, host string) error {
	if err := s.hosts.Put(ctx, id, host); err != nil {
		return err
	}
	if err := s.ready.Put(ctx, id, Readiness{host: false}); err != nil {
		return err
	}
	return s.setPhase(ctx, id, PhaseOpen, s.clock.Now().Add(IdleTTL))
}

// Vote adds a player's vote for a map.
func (s *Store) Vote(ctx context.Context, id, player, name string) error {
	votes, err := s.votes.Get(ctx, id)
	if err != nil && err != kit.ErrNotFound {
		return err
	}
	votes = append(votes, player+"="+name)
	if err := s.votes.Put(ctx, id, votes); err != nil {
		return err
	}
	if cur, err := s.maps.Get(ctx, id); err == nil && cur == name {
		return nil
	}
	return s.maps.Put(ctx, id, name)
}

// Ready marks a player as ready and says whether all are.
func (s *Store) Ready(ctx context.Context, id, player string) (bool, error) {
	ready, err := s.ready.Get(ctx, id)
	if err != nil {
		return false, err
	}
	ready[player] = true
	if err := s.ready.Put(ctx, id, ready); err != nil {
		return false, err
	}
	for _, ok := range ready {
		if !ok {
			return false, nil
		}
	}
	return true, s.setPhase(ctx, id, PhaseFull, s.clock.Now().Add(IdleTTL)) // ok ttlwrite/write-time
}

// Start moves a lobby to its match.
func (s *Store) Start(ctx context.Context, id string) error {
	return s.setPhase(ctx, id, PhaseStarting, s.clock.Now()) // want ttlwrite/write-time
}

// Close ends a lobby.
func (s *Store) Close(ctx context.Context, id string) error {
	return s.setPhase(ctx, id, PhaseClosed, time.Time{}) // want ttlunit/out-of-range|ttlwrite/already-expired
}

// Drop removes a lobby.
func (s *Store) Drop(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return s.tbl.Apply(ctx, rowKey(id), m)
}

// setPhase stores the phase of a lobby until the given moment.
func (s *Store) setPhase(ctx context.Context, id string, p Phase, until time.Time) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{
		Family: schema.FamState,
		Column: "phase",
		At:     bigtable.Time(until),
		Value:  []byte(p),
	})
}

// Ping keeps a lobby open.
func (s *Store) Ping(ctx context.Context, id string) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{Family: schema.FamState, Column: "ping", At: bigtable.Now(), Value: []byte("1")}) // want ttlwrite/write-time
}

// PingHost notes that the host is still there.
func (s *Store) PingHost(ctx context.Context, id string) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{Family: schema.FamHost, Column: "ping", At: bigtable.Now(), Value: []byte("1")}) // ok ttlwrite/write-time
}

// Invite stores an invitation. It lives as long as the lobby, from the
// moment the player is invited.
func (s *Store) Invite(ctx context.Context, id, player string) error {
	return kit.PutCell(ctx, s.tbl, rowKey(id), kit.Cell{Family: schema.FamState, Column: "inv:" + player, At: bigtable.Time(s.clock.Now().Add(IdleTTL)), Value: []byte("?")}) // ok ttlwrite/write-time ttlwrite/stale-clock
}

// defaultEnd is when the lobbies of the tutorial end.
var defaultEnd = time.Now().Add(IdleTTL) // want ttlwrite/stale-clock[tutorial]

// OpenTutorial creates the lobby of a new player.
func (s *Store) OpenTutorial(ctx context.Context, player string) error {
	return kit.PutCell(ctx, s.tbl, rowKey("tut-"+player), kit.Cell{Family: schema.FamState, Column: "phase", At: bigtable.Time(defaultEnd), Value: []byte(PhaseOpen)}) // want ttlwrite/stale-clock[tutorial]
}

// Phase returns the phase of a lobby.
func (s *Store) Phase(ctx context.Context, id string) kit.Result[Phase] {
	r := kit.ReadCell(ctx, s.tbl, kit.ReadSpec{Key: rowKey(id), Family: schema.FamState, Column: "phase"}, kit.UnexpiredAt(s.clock.Now())) // ok ttlread/missing-filter ttlread/wrong-bound
	return kit.Map(r, func(b []byte) Phase { return Phase(b) })
}

// Invited says whether a player is invited.
func (s *Store) Invited(ctx context.Context, id, player string) bool {
	r := kit.ReadCell(ctx, s.tbl, kit.ReadSpec{Key: rowKey(id), Family: schema.FamState, Column: "inv:" + player}, bigtable.LatestNFilter(1)) // want ttlread/missing-filter
	return r.Err() == nil
}

// Host returns the host of a lobby.
func (s *Store) Host(ctx context.Context, id string) kit.Result[string] {
	r := kit.ReadCell(ctx, s.tbl, kit.ReadSpec{Key: rowKey(id), Family: schema.FamHost, Column: "player"}, bigtable.LatestNFilter(1)) // ok ttlread/missing-filter
	return kit.Map(r, func(b []byte) string { return string(b) })
}

// liveSince is the filter of lobbies that are alive. It is made once: every
// list uses it.
var liveSince = sync.OnceValue(func() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[liveSince]
})

// Browse returns the open lobbies.
func (s *Store) Browse(ctx context.Context, limit int64) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamState), bigtable.ColumnFilter("phase"), liveSince()) // want ttlread/stale-bound[liveSince]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("l#"), func(row bigtable.Row) bool {                            // want ttlread/stale-bound[liveSince]
		if b, ok := kit.First(row, schema.FamState, "phase"); ok && Phase(b) == PhaseOpen {
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(f), bigtable.LimitRows(limit)) // want ttlread/stale-bound[liveSince]
	return out, err
}

// BrowseMine returns the open lobbies that a player hosts.
func (s *Store) BrowseMine(ctx context.Context, player string) ([]Lobby, error) {
	live := func() bigtable.Filter { return kit.UnexpiredAt(s.clock.Now()) }
	var out []Lobby
	f := bigtable.InterleaveFilters(kit.OfFamily(schema.FamState, live()), kit.OfFamily(schema.FamHost, bigtable.LatestNFilter(1))) // ok ttlread/unfiltered-branch ttlread/stale-bound
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("l#"), func(row bigtable.Row) bool {                                            // ok ttlread/missing-filter ttlread/hides-other-families
		l := decode(row)
		if l.Host == player && l.Phase != "" {
			out = append(out, l)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// BrowseAll returns all lobbies with their hosts.
func (s *Store) BrowseAll(ctx context.Context) ([]Lobby, error) {
	var out []Lobby
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("l#"), func(row bigtable.Row) bool { // want ttlread/hides-other-families[browseAll]
		out = append(out, decode(row))
		return true
	}, bigtable.RowFilter(kit.UnexpiredAt(s.clock.Now()))) // want ttlread/hides-other-families[browseAll]
	return out, err
}

// decode makes a lobby of a row.
func decode(row bigtable.Row) Lobby {
	l := Lobby{ID: row.Key()}
	if b, ok := kit.First(row, schema.FamState, "phase"); ok {
		l.Phase = Phase(b)
	}
	if b, ok := kit.First(row, schema.FamHost, "player"); ok {
		l.Host = string(b)
	}
	return l
}

// String returns a lobby for the log.
func (l Lobby) String() string {
	return fmt.Sprintf("lobby %s (%s, host %s, %d players)", l.ID, l.Phase, l.Host, len(l.Players))
}
