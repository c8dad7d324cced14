// Package store is the Bigtable adapter of the fleet service.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/fleet"
)

var (
	colPos   = dal.JSON[fleet.Position](dal.FamPos, "p")
	colSpeed = dal.Float(dal.FamPos, "speed")
	colTemp  = dal.Float(dal.FamPos, "temp")
	colLine  = dal.Str(dal.FamVehicle, "line")
	colDepot = dal.Str(dal.FamVehicle, "depot")
)

// shortLife is for positions from test drives.
const shortLife = 6 * time.Hour

// Positions implements fleet.Tracker.
type Positions struct {
	dal.Table // the table "positions"
	clock     dal.Clock
}

var _ fleet.Tracker = (*Positions)(nil)

// NewPositions returns the adapter over the table "positions".
func NewPositions(c *dal.Client) *Positions {
	return &Positions{Table: c.Positions(), clock: c.Clock()}
}

// live passes the positions that have not expired.
func (p *Positions) live() bigtable.Filter { return dal.Younger(p.clock, dal.PositionTTL) }

// Record writes a position.
func (p *Positions) Record(ctx context.Context, pos fleet.Position) error {
	m := bigtable.NewMutation()
	if err := colPos.Set(m, dal.NowTS(p.clock), pos); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := colSpeed.Set(m, bigtable.ServerTime, pos.Speed); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return p.Apply(ctx, pos.Vehicle, m)
}

// RecordTest writes a position that shall be gone sooner.
func (p *Positions) RecordTest(ctx context.Context, pos fleet.Position) error {
	return dal.Store(ctx, p, pos.Vehicle, colPos, dal.Shifted(p.clock, shortLife, dal.PositionTTL), pos) // ok ttlwrite/already-expired
}

// RecordLong writes a position that shall stay for a month.
func (p *Positions) RecordLong(ctx context.Context, pos fleet.Position) error {
	return dal.Store(ctx, p, pos.Vehicle, colPos, dal.Shifted(p.clock, 720*time.Hour, dal.PositionTTL), pos) // ok ttlwrite/already-expired
}

// Hide writes a position that nobody shall see.
func (p *Positions) Hide(ctx context.Context, pos fleet.Position) error {
	return dal.Store(ctx, p, pos.Vehicle, colPos, bigtable.Time(p.clock.Now().Add(-80*time.Hour)), pos) // want ttlwrite/already-expired
}

// Backfill writes what came late; four hours are the most.
func (p *Positions) Backfill(ctx context.Context, pos fleet.Position) error {
	return dal.Store(ctx, p, pos.Vehicle, colPos, bigtable.Time(p.clock.Now().Add(-4*time.Hour)), pos) // ok ttlwrite/already-expired
}

// Zero writes at the beginning of time, so that there is one version.
func (p *Positions) Zero(ctx context.Context, pos fleet.Position) error {
	return dal.Store(ctx, p, pos.Vehicle, colPos, dal.Unversioned(), pos) // want ttlwrite/already-expired
}

// Last reads the last position.
func (p *Positions) Last(ctx context.Context, vehicle string) (fleet.Position, error) {
	return dal.Load(ctx, p, vehicle, colPos, dal.With(colPos.Filter(), p.live(), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
}

// LastSpeed reads the last speed.
func (p *Positions) LastSpeed(ctx context.Context, vehicle string) (float64, error) {
	return dal.Load(ctx, p, vehicle, colSpeed, dal.With(colSpeed.Filter(), bigtable.LatestNFilter(1))) // want ttlread/missing-filter
}

// LastTemp thinks that a position expires like a hold.
func (p *Positions) LastTemp(ctx context.Context, vehicle string) (float64, error) {
	return dal.Load(ctx, p, vehicle, colTemp, dal.With(colTemp.Filter(), dal.Live(p.clock))) // want ttlread/wrong-bound
}

// Line reads the line of a vehicle.
func (p *Positions) Line(ctx context.Context, vehicle string) (string, error) {
	return dal.Load(ctx, p, vehicle, colLine, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
}

// Track reads the positions since a time.
func (p *Positions) Track(ctx context.Context, vehicle string, since time.Time) ([]fleet.Position, error) {
	if oldest := p.clock.Now().Add(-dal.PositionTTL); since.Before(oldest) {
		since = oldest
	}
	row, err := p.ReadRow(ctx, vehicle, dal.With(colPos.Filter(), bigtable.TimestampRangeFilter(since, time.Time{}))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []fleet.Position
	for _, it := range row[dal.FamPos] {
		var pos fleet.Position
		if err := json.Unmarshal(it.Value, &pos); err != nil {
			return nil, fmt.Errorf("track %s: %w", vehicle, err)
		}
		out = append(out, pos)
	}
	return out, nil
}

// TrackDay reads a day, which is less than the family keeps.
func (p *Positions) TrackDay(ctx context.Context, vehicle string) (n int, err error) {
	row, err := p.ReadRow(ctx, vehicle, dal.With(colPos.Filter(), dal.Younger(p.clock, 24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[dal.FamPos]), nil
}

// TrackUntilNow closes the range at both ends.
func (p *Positions) TrackUntilNow(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	now := p.clock.Now()
	f := bigtable.TimestampRangeFilter(now.Add(-dal.PositionTTL), now)                  // want ttlread/upper-bound[until]
	row, err := p.ReadRow(ctx, vehicle, dal.With(bigtable.FamilyFilter(dal.FamPos), f)) // want ttlread/upper-bound[until]
	if err != nil {
		return nil, err
	}
	return row[dal.FamPos], nil
}

// Attic reads what should be gone.
func (p *Positions) Attic(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	f := bigtable.TimestampRangeFilter(time.Time{}, p.clock.Now().Add(-dal.PositionTTL)) // want ttlread/expired-only[attic]
	row, err := p.ReadRow(ctx, vehicle, dal.With(bigtable.FamilyFilter(dal.FamPos), f))  // want ttlread/expired-only[attic]
	if err != nil {
		return nil, err
	}
	return row[dal.FamPos], nil
}

// All reads everything about a vehicle.
func (p *Positions) All(ctx context.Context, vehicle string) (bigtable.Row, error) {
	return p.ReadRow(ctx, vehicle) // want ttlread/missing-filter
}

// AllLive reads everything that is alive, but the vehicle's own data is old.
func (p *Positions) AllLive(ctx context.Context, vehicle string) (bigtable.Row, error) {
	return p.ReadRow(ctx, vehicle, bigtable.RowFilter(p.live())) // want ttlread/hides-other-families
}

// AllRight has a branch for each family.
func (p *Positions) AllRight(ctx context.Context, vehicle string) (bigtable.Row, error) {
	return p.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter
		dal.Family(dal.FamPos, p.live()),
		dal.Family(dal.FamVehicle),
	)))
}

// SaveVehicle writes the ordinary family.
func (p *Positions) SaveVehicle(ctx context.Context, v fleet.Vehicle) error {
	m := bigtable.NewMutation()
	dal.PutMap(m, dal.FamVehicle, bigtable.Now(), map[string]string{"line": v.Line, "depot": v.Depot, "model": v.Model}) // ok ttlwrite/write-time
	return p.Apply(ctx, v.ID, m)
}

// Idle lists vehicles that have not moved.
func (p *Positions) Idle(ctx context.Context, line string, d time.Duration) ([]string, error) {
	var out []string
	err := p.ReadRows(ctx, bigtable.PrefixRange(line), func(r bigtable.Row) bool {
		it, ok := colPos.Item(r)
		if !ok {
			return true
		}
		if age := time.Since(it.Timestamp.Time()); age > d { // want ttlage/not-write-time
			slog.Info("idle", "vehicle", r.Key(), "for", age)
			out = append(out, r.Key())
		}
		return true
	}, dal.With(colPos.Filter(), p.live())) // ok ttlread/missing-filter
	return out, err
}

// IdleRight uses the time in the position.
func (p *Positions) IdleRight(ctx context.Context, line string, d time.Duration) ([]string, error) {
	var out []string
	now := p.clock.Now()
	err := p.ReadRows(ctx, bigtable.PrefixRange(line), func(r bigtable.Row) bool {
		pos, ok, err := colPos.Get(r)
		if ok && err == nil && now.Sub(pos.At) > d { // ok ttlage/not-write-time
			out = append(out, r.Key())
		}
		return true
	}, dal.With(colPos.Filter(), p.live())) // ok ttlread/missing-filter
	return out, err
}

// Purge deletes vehicles that left the fleet.
func (p *Positions) Purge(ctx context.Context, prefix string) error {
	return p.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		return p.Apply(ctx, r.Key(), m) == nil
	})
}

// Correct rewrites a position; the deletion comes too late.
func (p *Positions) Correct(ctx context.Context, pos fleet.Position) error {
	m := bigtable.NewMutation()
	if err := colPos.Set(m, dal.NowTS(p.clock), pos); err != nil {
		return err
	}
	m.DeleteCellsInFamily(dal.FamPos) // want ttlwrite/delete-after-set
	return p.Apply(ctx, pos.Vehicle, m)
}

// Twice writes two speeds at one timestamp.
func (p *Positions) Twice(ctx context.Context, vehicle string, raw, smooth float64) error {
	ts := dal.NowTS(p.clock)
	m := bigtable.NewMutation()
	if err := colSpeed.Set(m, ts, raw); err != nil {
		return err
	}
	if err := colSpeed.Set(m, ts, smooth); err != nil { // want ttlwrite/same-timestamp
		return err
	}
	if err := colTemp.Set(m, ts, smooth); err != nil { // ok ttlwrite/same-timestamp
		return err
	}
	return p.Apply(ctx, vehicle, m)
}
