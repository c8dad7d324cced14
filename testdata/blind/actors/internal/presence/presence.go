// Package presence knows who is there: a heartbeat that lapses, and a longer
// memory of when somebody was seen.
package presence

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

const (
	colNode   = "node"
	colArea   = "area"
	colWhere  = "where"
	colStatus = "status"

	// lapse is after how long without a beat somebody is gone.
	lapse = 45 * time.Second
)

// Kind is what happened to a player.
type Kind uint8

// The kinds.
const (
	Beat Kind = iota
	Enter
	Leave
	Away
)

// Event is what the game servers report.
type Event struct {
	Kind   Kind
	Player string
	Node   string
	Area   string
	At     time.Time
}

// pending is a cell that waits for the flush.
type pending struct {
	family, column string
	ts             bigtable.Timestamp
	value          []byte
}

// Tracker is the presence actor. It batches: one mutation per player and tick.
type Tracker struct {
	tbl     *bigtable.Table
	box     *mailbox.Box[Event]
	mu      sync.Mutex
	dirty   map[string][]pending
	flushes *telemetry.Counter
	log     *slog.Logger
}

// New starts a tracker that flushes until ctx ends.
func New(ctx context.Context, c *bigtable.Client, every time.Duration, reg *telemetry.Registry, log *slog.Logger) *Tracker {
	t := &Tracker{
		tbl:     c.Open(schema.TablePresence),
		dirty:   map[string][]pending{},
		flushes: reg.Counter("presence.flushes"),
		log:     log,
	}
	t.box = mailbox.Start("presence", 8192, log, t.handle)
	go mailbox.Every(ctx, every, func(ctx context.Context) {
		if err := t.Flush(ctx); err != nil {
			t.log.ErrorContext(ctx, "presence flush", "err", err)
		}
	})
	return t
}

// Report tells the tracker what happened.
func (t *Tracker) Report(ctx context.Context, e Event) error { return t.box.Tell(ctx, e) }

// Close stops the actor and flushes.
func (t *Tracker) Close(ctx context.Context) error {
	if err := t.box.Stop(ctx); err != nil {
		return err
	}
	return t.Flush(ctx)
}

func (t *Tracker) handle(_ context.Context, e Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case Beat:
		t.dirty[e.Player] = append(t.dirty[e.Player],
			pending{schema.FamBeat, colNode, bigtable.Time(time.Now().Add(lapse)), []byte(e.Node)}, // ok ttlwrite/write-time
			pending{schema.FamSeen, colNode, bigtable.ServerTime, []byte(e.Node)},                  // ok ttlwrite/server-timestamp
		)
	case Enter:
		t.dirty[e.Player] = append(t.dirty[e.Player],
			pending{schema.FamBeat, colArea, bigtable.Now(), []byte(e.Area)}, // want ttlwrite/write-time|ttlwrite/server-timestamp[beats]
			pending{schema.FamSeen, colArea, bigtable.Now(), []byte(e.Area)}, // ok ttlwrite/write-time
		)
	case Away:
		t.dirty[e.Player] = append(t.dirty[e.Player],
			pending{schema.FamBeat, colStatus, bigtable.ServerTime, []byte("away")}, // want ttlwrite/write-time|ttlwrite/server-timestamp[beats]
		)
	case Leave:
		delete(t.dirty, e.Player)
		t.dirty[e.Player] = []pending{{family: schema.FamBeat}}
	}
	return nil
}

// Flush writes what has come together.
func (t *Tracker) Flush(ctx context.Context) error {
	t.mu.Lock()
	dirty := t.dirty
	t.dirty = make(map[string][]pending, len(dirty))
	t.mu.Unlock()
	if len(dirty) == 0 {
		return nil
	}
	keys := make([]string, 0, len(dirty))
	muts := make([]*bigtable.Mutation, 0, len(dirty))
	for player, cells := range dirty {
		mut := bigtable.NewMutation()
		for _, p := range cells {
			if p.column == "" {
				mut.DeleteCellsInFamily(p.family)
				continue
			}
			mut.Set(p.family, p.column, p.ts, p.value) // want ttlwrite/write-time|ttlwrite/server-timestamp[beats]
		}
		keys, muts = append(keys, player), append(muts, mut)
	}
	t.flushes.Inc()
	errs, err := t.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("presence of %s: %w", keys[i], err)
		}
	}
	return nil
}

// Where is the node that a player is on.
func (t *Tracker) Where(ctx context.Context, player string) (string, bool, error) {
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBeat), stamp.Live(), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return "", false, err
	}
	for _, it := range row[schema.FamBeat] {
		if strings.HasSuffix(it.Column, ":"+colNode) {
			return string(it.Value), true, nil
		}
	}
	return "", false, nil
}

// Online says whether a player is there.
func (t *Tracker) Online(ctx context.Context, player string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamBeat))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// OnlineStrict is Online with the lapse looked at by hand.
func (t *Tracker) OnlineStrict(ctx context.Context, player string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamBeat))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	now := bigtable.Now()
	for _, it := range row[schema.FamBeat] {
		if it.Timestamp > now {
			return true, nil
		}
	}
	return false, nil
}

// LastSeen is where a player was seen last, within the day.
func (t *Tracker) LastSeen(ctx context.Context, player string) (string, error) {
	f := stamp.Family(schema.FamSeen, stamp.Within(schema.SeenTTL)) // ok ttlread/wrong-bound
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(f))   // ok ttlread/missing-filter
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return "", err
	}
	return string(row[schema.FamSeen][0].Value), nil
}

// SeenThisHour is LastSeen for the activity feed.
func (t *Tracker) SeenThisHour(ctx context.Context, player string) (string, error) {
	f := stamp.Family(schema.FamSeen, stamp.Within(time.Hour))    // want ttlread/wrong-bound[hour]
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(f)) // want ttlread/wrong-bound[hour]
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return "", err
	}
	return string(row[schema.FamSeen][0].Value), nil
}

// Friends looks many players up at once and says which of them are where.
func (t *Tracker) Friends(ctx context.Context, players []string) (map[string]string, error) {
	out := make(map[string]string, len(players))
	var mu sync.Mutex
	live := bigtable.RowFilter(stamp.Family(schema.FamSeen, stamp.Live()))              // want ttlread/wrong-bound[friends]
	err := t.tbl.ReadRows(ctx, bigtable.RowList(players), func(row bigtable.Row) bool { // want ttlread/wrong-bound[friends]
		mu.Lock()
		defer mu.Unlock()
		for _, it := range row[schema.FamSeen] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, live)
	return out, err
}

// FriendsOnline is Friends by heartbeats.
func (t *Tracker) FriendsOnline(ctx context.Context, players []string) (map[string]string, error) {
	out := make(map[string]string, len(players))
	live := bigtable.RowFilter(stamp.Family(schema.FamBeat, stamp.Live()))              // ok ttlread/wrong-bound
	err := t.tbl.ReadRows(ctx, bigtable.RowList(players), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamBeat] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, live)
	return out, err
}

// Area iterates over who is in an area.
func (t *Tracker) Area(ctx context.Context, area string) iter.Seq[string] {
	return func(yield func(string) bool) {
		now := time.Now()
		// a beat is never further away than two lapses
		f := bigtable.ChainFilters( // want ttlread/upper-bound[area]
			bigtable.FamilyFilter(schema.FamBeat),
			bigtable.TimestampRangeFilter(now, now.Add(2*lapse)), // want ttlread/upper-bound[area]
			bigtable.ValueFilter(area),
		)
		if err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/upper-bound[area]
			return len(row[schema.FamBeat]) == 0 || yield(row[schema.FamBeat][0].Row)
		}, bigtable.RowFilter(f)); err != nil {
			t.log.ErrorContext(ctx, "area", "err", err)
		}
	}
}

// Day iterates over the places where a player was today.
func (t *Tracker) Day(ctx context.Context, player string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		now := time.Now()
		f := stamp.Family(schema.FamSeen, bigtable.TimestampRangeFilter(now.Add(-schema.SeenTTL), now)) // want ttlread/upper-bound[day]
		row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(f))                                   // want ttlread/upper-bound[day]
		if err != nil {
			yield("", err)
			return
		}
		for _, it := range row[schema.FamSeen] {
			if !yield(string(it.Value), nil) {
				return
			}
		}
	}
}

// Both reads both families, each by its rule.
func (t *Tracker) Both(ctx context.Context, player string) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter ttlread/unfiltered-branch
		stamp.Family(schema.FamBeat, stamp.Live()),
		stamp.Family(schema.FamSeen, stamp.Within(schema.SeenTTL)),
	)))
}

// Dump reads both families for the debug page.
func (t *Tracker) Dump(ctx context.Context, player string) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, player) // want ttlread/missing-filter
}

// See notes a sighting that is worth longer or shorter than a day.
func (t *Tracker) See(ctx context.Context, player, where string, worth time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamSeen, colWhere, stamp.Shifted(worth, schema.SeenTTL), []byte(where)) // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, player, mut)
}

// SeeImported notes sightings from the log files of the day before yesterday.
func (t *Tracker) SeeImported(ctx context.Context, player, where string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamSeen, colWhere, bigtable.Time(time.Now().Add(-48*time.Hour)), []byte(where)) // want ttlwrite/already-expired
	mut.Set(schema.FamSeen, colArea, bigtable.Time(time.Now().Add(-6*time.Hour)), []byte(where))   // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, player, mut)
}

// Bump counts sightings. They go with the day.
func (t *Tracker) Bump(ctx context.Context, player string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, "count", 1) // ok ttlwrite/read-modify-write
	row, err := t.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(row[schema.FamSeen][0].Value)), nil
}

// BumpBeats counts beats.
func (t *Tracker) BumpBeats(ctx context.Context, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamBeat, "count", 1) // want ttlwrite/read-modify-write
	_, err := t.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	return err
}

// Status is what the friends list shows.
type Status struct {
	Player  string
	Node    string
	Updated time.Time
	Ago     string
	Until   time.Time
}

// Status reads a player's status line.
func (t *Tracker) Status(ctx context.Context, player string) (*Status, error) {
	now := stamp.NowIn(ctx)
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(stamp.Family(schema.FamBeat, stamp.LiveAt(now)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	s := &Status{Player: player}
	for _, it := range row[schema.FamBeat] {
		s.Node = string(it.Value)
		s.Updated = it.Timestamp.Time()                   // want ttlage/not-write-time
		s.Ago = stamp.Age(it).Round(time.Second).String() // want ttlage/not-write-time[agebeat]
		s.Until = it.Timestamp.Time()                     // ok ttlage/not-write-time
		if stamp.Left(it) < 5*time.Second {               // ok ttlage/not-write-time
			s.Ago += " (fading)"
		}
	}
	return s, nil
}

// Idle is how long ago a player was seen.
func (t *Tracker) Idle(ctx context.Context, player string) (time.Duration, error) {
	row, err := t.tbl.ReadRow(ctx, player, bigtable.RowFilter(stamp.Family(schema.FamSeen, stamp.Within(24*time.Hour)))) // ok ttlread/wrong-bound
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return 0, err
	}
	return time.Since(row[schema.FamSeen][0].Timestamp.Time()), nil // want ttlage/not-write-time
}

// Elect makes node the one that speaks for an area, if there is none.
func (t *Tracker) Elect(ctx context.Context, area, node string) (won bool, err error) {
	take := bigtable.NewMutation()
	take.Set(schema.FamBeat, "leader", stamp.In(lapse), []byte(node)) // ok ttlwrite/write-time
	won = true
	err = t.tbl.Apply(ctx, "area#"+area, bigtable.NewCondMutation(bigtable.ColumnFilter("leader"), nil, take), // want ttlread/conditional-mutation
		bigtable.GetCondMutationResult(&won))
	return !won, err
}

// Keep prolongs a leadership.
func (t *Tracker) Keep(ctx context.Context, area, node string) (kept bool, err error) {
	keep := bigtable.NewMutation()
	keep.DeleteCellsInColumn(schema.FamBeat, "leader")
	keep.Set(schema.FamBeat, "leader", stamp.In(lapse), []byte(node)) // ok ttlwrite/delete-after-set
	mine := bigtable.ChainFilters(bigtable.ColumnFilter("leader"), stamp.Live(), bigtable.ValueFilter(node))
	err = t.tbl.Apply(ctx, "area#"+area, bigtable.NewCondMutation(mine, keep, nil), bigtable.GetCondMutationResult(&kept)) // ok ttlread/conditional-mutation
	return kept, err
}

// Rooms marks one player in many rooms; only the last room would be kept if
// they shared a column.
func (t *Tracker) Rooms(ctx context.Context, player string, rooms []string) error {
	mut := bigtable.NewMutation()
	until := stamp.In(lapse)
	for _, r := range rooms {
		mut.Set(schema.FamBeat, "room#"+r, until, []byte{1}) // ok ttlwrite/same-timestamp
	}
	return t.tbl.Apply(ctx, player, mut)
}

// Parties marks one player in the parties that they are invited to.
func (t *Tracker) Parties(ctx context.Context, player string, parties []string) error {
	mut := bigtable.NewMutation()
	until := stamp.In(lapse)
	for _, p := range parties {
		mut.Set(schema.FamBeat, "party", until, []byte(p)) // want ttlwrite/same-timestamp
	}
	return t.tbl.Apply(ctx, player, mut)
}
