// Package presence says who is online, and where.
//
// The family "on" has a default lifetime: cells vanish five minutes after
// their timestamp, which is that of the write unless a client asked for
// another lifetime.
package presence

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// TTL is the default lifetime of presence.
const TTL = 5 * time.Minute

// AwayTTL is how long a player who walked away counts as present.
const AwayTTL = time.Minute

// Place is where a player is.
type Place struct {
	World string  `json:"world"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// Tracker reads and writes presence.
type Tracker struct {
	tbl     *bigtable.Table
	clock   kit.Clock
	places  *kit.Repo[string, Place]
	parties *kit.Repo[string, string]
	moods   *kit.Repo[string, string]
}

// Open returns the tracker of the presence table.
func Open(client *bigtable.Client, clock kit.Clock) *Tracker {
	tbl := client.Open(schema.Presence)
	return &Tracker{
		tbl:   tbl,
		clock: clock,
		places: kit.NewRepo(tbl, kit.RepoConfig[string, Place]{
			Family: schema.FamOnline, Column: "place", Key: rowKey, Codec: kit.JSON[Place]{},
			Stamp: kit.Written(),   // ok ttlwrite/write-time
			View:  kit.Within(TTL), // ok ttlread/wrong-bound ttlread/missing-filter
		}),
		parties: kit.NewRepo(tbl, kit.RepoConfig[string, string]{ // want ttlread/wrong-bound[parties]
			Family: schema.FamOnline, Column: "party", Key: rowKey, Codec: kit.Text{},
			Stamp: kit.Shifted(time.Hour, TTL), // ok ttlwrite/already-expired ttlwrite/write-time
			View:  kit.Unexpired(),             // want ttlread/wrong-bound[parties]
		}),
		moods: kit.NewRepo(tbl, kit.RepoConfig[string, string]{ // want ttlwrite/already-expired[moods] ttlread/missing-filter[moods]
			Family: schema.FamOnline, Column: "mood", Key: rowKey, Codec: kit.Text{},
			Stamp: kit.Pinned(),     // want ttlwrite/already-expired[moods]
			View:  kit.Everything(), // want ttlread/missing-filter[moods]
		}),
	}
}

// rowKey returns the row key of a player.
func rowKey(player string) string { return player }

// Move stores where a player is.
func (t *Tracker) Move(ctx context.Context, player string, p Place) error {
	return t.places.Put(ctx, player, p)
}

// Where returns where a player is.
func (t *Tracker) Where(ctx context.Context, player string) kit.Result[Place] {
	return kit.Of(t.places.Get(ctx, player))
}

// Join stores which party a player is in.
func (t *Tracker) Join(ctx context.Context, player, party string) error {
	if cur, err := t.parties.Get(ctx, player); err == nil && cur == party {
		return nil
	}
	return t.parties.Put(ctx, player, party)
}

// SetMood stores what a player says of himself.
func (t *Tracker) SetMood(ctx context.Context, player, mood string) error {
	if cur, err := t.moods.Get(ctx, player); err == nil && cur == mood {
		return nil
	}
	return t.moods.Put(ctx, player, mood)
}

// Beat records that a player is there.
func (t *Tracker) Beat(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, "beat", bigtable.ServerTime, kit.PutMoment(t.clock.Now())) // ok ttlwrite/server-timestamp
	return t.tbl.Apply(ctx, rowKey(player), m)
}

// Away records that a player walked away: he vanishes after AwayTTL.
func (t *Tracker) Away(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamOnline, "beat")
	m.Set(schema.FamOnline, "beat", bigtable.Time(t.clock.Now().Add(AwayTTL-TTL)), []byte("away")) // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, rowKey(player), m)
}

// Leave records that a player left.
func (t *Tracker) Leave(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, "beat", bigtable.Time(t.clock.Now().Add(-TTL)), []byte("left")) // want ttlwrite/already-expired
	return t.tbl.Apply(ctx, rowKey(player), m)
}

// Quit records that a player left, by deletion.
func (t *Tracker) Quit(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamOnline)
	m.Set(schema.FamOnline, "bye", bigtable.Time(t.clock.Now()), nil) // ok ttlwrite/write-time ttlwrite/delete-after-set
	return t.tbl.Apply(ctx, rowKey(player), m)
}

// Kick removes a player, and says why in the row.
func (t *Tracker) Kick(ctx context.Context, player, why string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, "why", bigtable.Now(), []byte(why))
	m.DeleteRow() // want ttlwrite/delete-after-set
	return t.tbl.Apply(ctx, rowKey(player), m)
}

// started is when the server started.
var started = time.Now() // want ttlwrite/stale-clock[bots] ttlread/stale-bound[sinceStart]

// AddBots records the bots of a world. They are there as long as the server.
func (t *Tracker) AddBots(ctx context.Context, world string, n int) error {
	for i := range n {
		m := bigtable.NewMutation()
		m.Set(schema.FamOnline, "beat", bigtable.Time(started), []byte(world)) // want ttlwrite/stale-clock[bots]
		if err := t.tbl.Apply(ctx, fmt.Sprintf("bot-%s-%d", world, i), m); err != nil {
			return err
		}
	}
	return nil
}

// CountBeats counts the beats of a player.
func (t *Tracker) CountBeats(ctx context.Context, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamOnline, "beats", 1) // ok ttlwrite/read-modify-write
	_, err := t.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	return err
}

// Present says whether a player is there.
func (t *Tracker) Present(ctx context.Context, player string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.FreshWithin(t.clock.Now(), TTL))) // ok ttlread/wrong-bound ttlread/missing-filter
	return len(row[schema.FamOnline]) > 0, err
}

// PresentNow says whether a player is there right now.
func (t *Tracker) PresentNow(ctx context.Context, player string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.UnexpiredAt(t.clock.Now()))) // want ttlread/wrong-bound
	return len(row[schema.FamOnline]) > 0, err
}

// SeenToday says whether a player was there within a day.
func (t *Tracker) SeenToday(ctx context.Context, player string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.FreshWithin(t.clock.Now(), 24*time.Hour))) // want ttlread/wrong-bound
	return len(row[schema.FamOnline]) > 0, err
}

// SinceStart returns who was there since the server started.
func (t *Tracker) SinceStart(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.TimestampRangeFilter(started.Add(-TTL), time.Time{})                   // want ttlread/stale-bound[sinceStart]
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[sinceStart]
		if b, ok := kit.First(row, schema.FamOnline, "beat"); ok {
			out = append(out, row.Key()+"="+string(b))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/stale-bound[sinceStart]
	return out, err
}

// window returns the time filter of the last d.
func (t *Tracker) window(d time.Duration) bigtable.Filter {
	now := t.clock.Now()
	return bigtable.TimestampRangeFilter(now.Add(-d), now) // want ttlread/upper-bound[inWorld]
}

// InWorld returns the players in a world.
func (t *Tracker) InWorld(ctx context.Context, world string) ([]string, error) {
	var out []string
	opts := []bigtable.ReadOption{bigtable.RowFilter(t.window(TTL))}                     // want ttlread/upper-bound[inWorld]
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/upper-bound[inWorld]
		if b, ok := kit.First(row, schema.FamOnline, "place"); ok && len(b) > 0 && world != "" {
			out = append(out, row.Key())
		}
		return true
	}, opts...) // want ttlread/upper-bound[inWorld]
	return out, err
}

// Nearby returns the players in a world, with an open end.
func (t *Tracker) Nearby(ctx context.Context, world string) (map[string]Place, error) {
	out := map[string]Place{}
	opts := []bigtable.ReadOption{bigtable.RowFilter(kit.FreshWithin(t.clock.Now(), TTL)), bigtable.LimitRows(100)} // ok ttlread/upper-bound ttlread/overridden-filter
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                            // ok ttlread/missing-filter
		b, ok := kit.First(row, schema.FamOnline, "place")
		if !ok {
			return true
		}
		if p := kit.Of(kit.JSON[Place]{}.Decode(b)).Or(Place{}); p.World == world {
			out[row.Key()] = p
		}
		return true
	}, opts...)
	return out, err
}

// Roster returns the newest beat of all players.
func (t *Tracker) Roster(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[roster]
		if b, ok := kit.First(row, schema.FamOnline, "beat"); ok {
			out[row.Key()] = kit.GetMoment(b) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[roster]
	return out, err
}

// RosterChecked is Roster that leaves out who is gone.
func (t *Tracker) RosterChecked(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	oldest := t.clock.Now().Add(-TTL)
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[schema.FamOnline] {
			if item.Timestamp.Time().Before(oldest) {
				continue
			}
			out[row.Key()] = kit.GetMoment(item.Value) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return out, err
}

// Gone returns who vanished lately, for the notifications.
func (t *Tracker) Gone(ctx context.Context) ([]string, error) {
	var out []string
	end := t.clock.Now().Add(-TTL)
	err := t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/expired-only[gone]
		if len(row[schema.FamOnline]) > 0 {
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, end))) // want ttlread/expired-only[gone]
	return out, err
}

// Idle returns since when a player did nothing.
func (t *Tracker) Idle(ctx context.Context, player string) (time.Duration, error) {
	now := t.clock.Now()
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.FreshWithin(now, TTL))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamOnline] {
		if item.Column == schema.FamOnline+":beat" {
			return now.Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, kit.ErrNotFound
}

// IdleExact is Idle by the time that the beat itself holds.
func (t *Tracker) IdleExact(ctx context.Context, player string) (time.Duration, error) {
	now := t.clock.Now()
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.FreshWithin(now, TTL))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	b, ok := kit.First(row, schema.FamOnline, "beat")
	if !ok {
		return 0, kit.ErrNotFound
	}
	return now.Sub(kit.GetMoment(b)), nil // ok ttlage/not-write-time
}

// Trace logs the cells of a player.
func (t *Tracker) Trace(ctx context.Context, player string) error {
	row, err := t.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.FreshWithin(t.clock.Now(), TTL))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[schema.FamOnline] {
		kit.LoggerFrom(ctx).Info("presence",
			slog.String("column", item.Column),
			slog.Time("written", item.Timestamp.Time()), // want ttlage/not-write-time
		)
	}
	return nil
}
