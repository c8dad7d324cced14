// Package presence knows who is online.
package presence

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Status is what a user shows.
type Status string

// Statuses.
const (
	Online Status = "online"
	Away   Status = "away"
	Busy   Status = "busy"
)

// lasts is how long a status lasts without a new heartbeat.
var lasts = map[Status]time.Duration{
	Online: schema.OnlineTTL,
	Away:   30 * time.Minute,
	Busy:   8 * time.Hour,
}

// Tracker tracks presence.
type Tracker struct {
	tbl bt.Table
	log *slog.Logger
	cfg config
}

type config struct {
	clock bt.Clock
	slack time.Duration
}

// Option configures a Tracker.
type Option func(*config)

// WithClock sets the clock.
func WithClock(c bt.Clock) Option { return func(cfg *config) { cfg.clock = c } }

// NewTracker makes a Tracker.
func NewTracker(tbl bt.Table, log *slog.Logger, opts ...Option) *Tracker {
	cfg := config{clock: bt.System}
	for _, o := range opts {
		o(&cfg)
	}
	return &Tracker{tbl: tbl, log: log, cfg: cfg}
}

// Beat notes that a user is there. The usual status has the usual lifetime, so
// the time of the write is right.
func (t *Tracker) Beat(ctx context.Context, user, session string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, session, bigtable.Now(), []byte(Online))       // ok ttlwrite/write-time
	m.Set(schema.FamOnline, "any", bigtable.ServerTime, []byte(session))   // ok ttlwrite/server-timestamp
	m.Set(schema.FamProfile, "seen", bigtable.ServerTime, []byte(session)) // ok ttlwrite/server-timestamp
	return t.tbl.Apply(ctx, user, m)
}

// Set notes a status that may last longer than usual.
func (t *Tracker) Set(ctx context.Context, user, session string, s Status) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamOnline, session)
	m.Set(schema.FamOnline, session, bt.Shifted(lasts[s], schema.OnlineTTL), []byte(s)) // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, user, m)
}

// Leave ends a session.
func (t *Tracker) Leave(ctx context.Context, user, session string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, session, bigtable.Time(t.cfg.clock().Add(-2*schema.OnlineTTL)), nil)       // want ttlwrite/already-expired
	m.Set(schema.FamOnline, "left", bigtable.Time(t.cfg.clock().Add(-4*time.Minute)), []byte(session)) // ok ttlwrite/already-expired
	m.Set(schema.FamProfile, "left", bigtable.Time(t.cfg.clock().Add(-time.Hour)), nil)                // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, user, m)
}

// Typing notes that a user types.
func (t *Tracker) Typing(ctx context.Context, user, room string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamTyping, room, bigtable.Now(), []byte("1"))  // ok ttlwrite/write-time
	m.Set(schema.FamTyping, room, bigtable.Now(), []byte(user)) // maybe ttlwrite/same-timestamp
	return t.tbl.Apply(ctx, user, m)
}

// TypingIn notes that a user types in several rooms.
func (t *Tracker) TypingIn(ctx context.Context, user string, rooms ...string) error {
	ts := t.cfg.clock.TS()
	m := bigtable.NewMutation()
	for _, room := range rooms {
		m.Set(schema.FamTyping, room, ts, []byte("1"))    // ok ttlwrite/same-timestamp
		m.Set(schema.FamTyping, "last", ts, []byte(room)) // want ttlwrite/same-timestamp
	}
	m.Set(schema.FamTyping, "count", ts, []byte{byte(len(rooms))}) // ok ttlwrite/same-timestamp
	return t.tbl.Apply(ctx, user, m)
}

// IsOnline tells whether a user is there.
func (t *Tracker) IsOnline(ctx context.Context, user string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.In(schema.FamOnline, bt.Younger(schema.OnlineTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	return len(row[schema.FamOnline]) > 0, nil
}

// Who lists who is online below a prefix.
func (t *Tracker) Who(ctx context.Context, prefix string) iter.Seq2[string, Status] {
	return func(yield func(string, Status) bool) {
		filter := bt.In(schema.FamOnline, bt.LiveAt(time.Now()))                             // want ttlread/wrong-bound[who]
		err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/wrong-bound[who]
			for it := range bt.Cells(r, schema.FamOnline) {
				return yield(r.Key(), Status(it.Value))
			}
			return true
		}, bigtable.RowFilter(filter))
		if err != nil {
			t.log.ErrorContext(ctx, "who", "err", err)
		}
	}
}

// Typists lists who types in a room.
func (t *Tracker) Typists(ctx context.Context, prefix, room string) ([]string, error) {
	var out []string
	now := t.cfg.clock()
	window := bigtable.TimestampRangeFilter(now.Add(-schema.TypingTTL), now)             // want ttlread/upper-bound[typists]
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/upper-bound[typists]
		out = append(out, string(r[schema.FamTyping][0].Value))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTyping), bigtable.ColumnFilter(room), window))) // want ttlread/upper-bound[typists]
	return out, err
}

// Idle lists who has gone.
func (t *Tracker) Idle(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	gone := bt.In(schema.FamOnline, bigtable.TimestampRangeFilter(time.Time{}, t.cfg.clock().Add(-schema.OnlineTTL))) // want ttlread/expired-only[idle]
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {                              // want ttlread/expired-only[idle]
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(gone))
	return out, err
}

// LastSeen reads when a user was seen. The profile family is ordinary.
func (t *Tracker) LastSeen(ctx context.Context, user string) (time.Time, error) {
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.In(schema.FamProfile, bigtable.ColumnFilter("seen"), bt.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for it := range bt.Cells(row, schema.FamProfile) {
		return it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return time.Time{}, bt.ErrNotFound
}

// SinceBeat tells how long ago the last heartbeat was.
func (t *Tracker) SinceBeat(ctx context.Context, user string) (time.Duration, error) {
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.In(schema.FamOnline, bt.Newest(), bt.Younger(schema.OnlineTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for it := range bt.Cells(row, schema.FamOnline) {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Snapshot is one user's presence as a whole.
type Snapshot struct {
	User    string
	Status  Status
	Name    string
	Rooms   []string
	Created time.Time
}

// Load reads a user's presence.
func (t *Tracker) Load(ctx context.Context, user string) (*Snapshot, error) {
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.Newest())) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	s := &Snapshot{User: user}
	for family, items := range row {
		for _, it := range items {
			switch family {
			case schema.FamOnline:
				s.Status = Status(it.Value)
			case schema.FamTyping:
				s.Rooms = append(s.Rooms, it.Column)
			case schema.FamProfile:
				s.Name = string(it.Value)
				s.Created = it.Timestamp.Time() // ok ttlage/not-write-time
			}
		}
	}
	return s, nil
}

// LoadLive is Load with a filter for each family.
func (t *Tracker) LoadLive(ctx context.Context, user string) (*Snapshot, error) {
	now := t.cfg.clock()
	filter := bigtable.InterleaveFilters(
		bt.In(schema.FamOnline, bt.LiveAt(now.Add(-schema.OnlineTTL)), bt.Newest()), // ok ttlread/unfiltered-branch
		bt.In(schema.FamTyping, bt.LiveAt(now.Add(-schema.TypingTTL)), bt.Newest()), // ok ttlread/unfiltered-branch
		bt.In(schema.FamProfile, bt.Newest()),                                       // ok ttlread/unfiltered-branch
	)
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	s := &Snapshot{User: user}
	if it, ok := bt.First(row, schema.FamProfile, "name"); ok {
		s.Name, s.Created = string(it.Value), it.Timestamp.Time() // ok ttlage/not-write-time
	}
	if it, ok := bt.First(row, schema.FamOnline, "any"); ok {
		s.Status = Status(it.Value)
	}
	for it := range bt.Cells(row, schema.FamTyping) {
		s.Rooms = append(s.Rooms, it.Column)
	}
	return s, nil
}

// Both reads status and typing with the online family's window.
func (t *Tracker) Both(ctx context.Context, user string) (status, room string, err error) {
	filter := bigtable.InterleaveFilters(
		bt.In(schema.FamOnline, bt.Younger(schema.OnlineTTL)), // ok ttlread/wrong-bound
		bt.In(schema.FamTyping, bt.Younger(schema.OnlineTTL)), // want ttlread/wrong-bound[both]
	)
	row, err := t.tbl.ReadRow(ctx, user, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[both]
	if err != nil {
		return "", "", err
	}
	for it := range bt.Cells(row, schema.FamOnline) {
		status = string(it.Value)
	}
	for it := range bt.Cells(row, schema.FamTyping) {
		room = string(it.Value)
	}
	return status, room, nil
}

// Card reads the profile, and the status if the user has one.
func (t *Tracker) Card(ctx context.Context, user string) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[card]
		bt.In(schema.FamOnline, bt.Younger(schema.OnlineTTL)),
		bigtable.LatestNFilter(1), // want ttlread/unfiltered-branch[card]
		bigtable.FamilyFilter(schema.FamProfile),
	)))
}

// Purge deletes sessions that are gone.
func (t *Tracker) Purge(ctx context.Context) error {
	var errs []error
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for it := range bt.Cells(r, schema.FamOnline) {
			if time.Since(it.Timestamp.Time()) > schema.OnlineTTL { // ok ttlread/missing-filter // maybe ttlage/not-write-time
				m.DeleteCellsInColumn(schema.FamOnline, it.Column[len(schema.FamOnline)+1:])
			}
		}
		errs = append(errs, t.tbl.Apply(ctx, r.Key(), m))
		return true
	}, bigtable.RowFilter(bt.In(schema.FamOnline)))
	return errors.Join(append(errs, err)...)
}
