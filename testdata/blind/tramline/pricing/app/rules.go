package app

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
)

// Lifetime decides how long something lives.
type Lifetime interface {
	For(kind string) time.Duration
}

// Fixed is a Lifetime that does not look at the kind.
type Fixed time.Duration

// For implements Lifetime.
func (f Fixed) For(string) time.Duration { return time.Duration(f) }

// ByKind is a Lifetime with a table.
type ByKind map[string]time.Duration

// For implements Lifetime.
func (b ByKind) For(kind string) time.Duration {
	if d, ok := b[kind]; ok {
		return d
	}
	return dal.QuoteTTL
}

// Stamper makes timestamps; each strategy has one.
type Stamper interface {
	Stamp(now time.Time) bigtable.Timestamp
}

// WriteTime stamps with the time of the write.
type WriteTime struct{}

// Stamp implements Stamper.
func (WriteTime) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

// Until stamps with the moment of expiry.
type Until struct{ Life time.Duration }

// Stamp implements Stamper.
func (u Until) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(u.Life)) }

// Single stamps with zero.
type Single struct{}

// Stamp implements Stamper.
func (Single) Stamp(time.Time) bigtable.Timestamp { return 0 }

// Slot is a family with its strategy.
type Slot[S Stamper] struct {
	Family string
	Column string
	S      S
}

// Set writes into a mutation.
func (s Slot[S]) Set(m *bigtable.Mutation, now time.Time, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m.Set(s.Family, s.Column, s.S.Stamp(now), b)
	return nil
}

// The slots of the rules.
var (
	slotHold  = Slot[Until]{Family: dal.FamHold, Column: "surge", S: Until{dal.HoldTTL}}
	slotBad   = Slot[WriteTime]{Family: dal.FamHold, Column: "surge2"}
	slotRider = Slot[WriteTime]{Family: dal.FamRider, Column: "surge"}
	slotRate  = Slot[Single]{Family: dal.FamRate, Column: "surge"}
	slotRate2 = Slot[WriteTime]{Family: dal.FamRate, Column: "surge2"}
	slotEntry = Slot[WriteTime]{Family: dal.FamEntry, Column: "surge"}
)

// Surge raises prices for a while.
type Surge struct {
	holds   dal.Writer
	tariffs dal.Writer
	journal dal.Writer
	clock   dal.Clock
	stamp   Stamper
	single  Stamper
	life    Lifetime
	cutoff  time.Duration
}

// NewSurge wires a Surge.
func NewSurge(c *dal.Client) *Surge {
	return &Surge{
		holds:   c.Holds(),
		tariffs: c.Tariffs(),
		journal: c.Journal("north"),
		clock:   c.Clock(),
		stamp:   WriteTime{},
		single:  Single{},
		life:    Fixed(time.Hour),
		cutoff:  time.Hour,
	}
}

// Raise writes the factor everywhere.
func (s *Surge) Raise(ctx context.Context, zone string, factor float64) error {
	now := s.clock.Now()
	h, t, j := bigtable.NewMutation(), bigtable.NewMutation(), bigtable.NewMutation()
	if err := slotHold.Set(h, now, factor); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := slotBad.Set(h, now, factor); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := slotRider.Set(h, now, factor); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := slotRate.Set(t, now, factor); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := slotRate2.Set(t, now, factor); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	if err := slotEntry.Set(j, now, factor); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	h.Set(dal.FamHold, "raised", s.stamp.Stamp(now), []byte(zone))            // want ttlwrite/write-time
	h.Set(dal.FamRider, "raised", s.stamp.Stamp(now), []byte(zone))           // ok ttlwrite/write-time
	h.Set(dal.FamHold, "until", bigtable.Time(now.Add(s.life.For("h"))), nil) // ok ttlwrite/write-time
	h.Set(dal.FamHold, "cutoff", bigtable.Time(now.Add(-s.cutoff)), nil)      // want ttlwrite/already-expired
	h.Set(dal.FamHold, "never", bigtable.Time(now.AddDate(100, 0, 0)), nil)   // ok ttlwrite/already-expired
	t.Set(dal.FamRate, "raised", s.single.Stamp(now), []byte(zone))           // ok ttlwrite/clock-in-zero
	t.Set(dal.FamRate, "raisedAt", s.stamp.Stamp(now), []byte(zone))          // want ttlwrite/clock-in-zero
	t.Set(dal.FamChange, "raisedAt", s.stamp.Stamp(now), []byte(zone))        // ok ttlwrite/clock-in-zero
	if err := s.holds.Apply(ctx, zone, h); err != nil {
		return err
	}
	if err := s.tariffs.Apply(ctx, zone, t); err != nil {
		return err
	}
	return s.journal.Apply(ctx, zone, j)
}

// step is a row of the table of rules.
type step struct {
	family string
	column string
	ts     func(now time.Time) bigtable.Timestamp
}

var steps = []step{
	{dal.FamHold, "rule", func(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }},                 // want ttlwrite/write-time[steps]
	{dal.FamHold, "rule2", func(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(time.Hour)) }}, // ok ttlwrite/write-time
	{dal.FamRider, "rule", func(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }},                // ok ttlwrite/write-time
	{dal.FamRider, "rule2", func(time.Time) bigtable.Timestamp { return bigtable.ServerTime }},                  // ok ttlwrite/server-timestamp
}

// Apply writes a rule by the table.
func (s *Surge) Apply(ctx context.Context, zone string, v []byte) error {
	m := bigtable.NewMutation()
	for _, st := range steps {
		m.Set(st.family, st.column, st.ts(s.clock.Now()), v) // want ttlwrite/write-time[steps]
	}
	return s.holds.Apply(ctx, zone, m)
}

// choose picks family and timestamp together.
func (s *Surge) choose(keep bool) (string, bigtable.Timestamp) {
	if keep {
		return dal.FamRider, bigtable.Now()
	}
	return dal.FamHold, bigtable.Time(s.clock.Now().Add(dal.HoldTTL))
}

// Mark writes a mark, kept or not.
func (s *Surge) Mark(ctx context.Context, zone string, keep bool) error {
	family, ts := s.choose(keep)
	m := bigtable.NewMutation()
	m.Set(family, "mark", ts, nil) // ok ttlwrite/write-time
	return s.holds.Apply(ctx, zone, m)
}

// Remark writes a mark for as long as the zone's row in the table says.
func (s *Surge) Remark(ctx context.Context, zone string, lives map[string]time.Duration) error {
	ts := bigtable.Now()
	if d, ok := lives[zone]; ok {
		ts = bigtable.Time(s.clock.Now().Add(d))
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamHold, "remark", ts, nil) // want ttlwrite/write-time
	return s.holds.Apply(ctx, zone, m)
}

// Guard replaces a stamp that is of no use.
func (s *Surge) Guard(ctx context.Context, zone string, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime {
		ts = bigtable.Time(s.clock.Now().Add(dal.HoldTTL))
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamHold, "guard", ts, nil) // ok ttlwrite/server-timestamp
	return s.holds.Apply(ctx, zone, m)
}

// Guarded passes what Guard replaces.
func (s *Surge) Guarded(ctx context.Context, zone string) error {
	return s.Guard(ctx, zone, bigtable.ServerTime) // ok ttlwrite/server-timestamp
}

// Unguarded passes what Guard lets through.
func (s *Surge) Unguarded(ctx context.Context, zone string) error {
	return s.Guard(ctx, zone, bigtable.Now()) // want ttlwrite/write-time
}
