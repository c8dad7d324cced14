// Package holds keeps rooms off the market while a guest is paying.
package holds

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/internal/btx"
	"example.com/hotelbook/internal/metrics"
)

const (
	holdTTL  = 15 * time.Minute
	vipTTL   = 45 * time.Minute
	groupTTL = 2 * time.Hour
)

// ErrTaken is returned when somebody else holds the room.
var ErrTaken = errors.New("room is on hold")

// startupExpiry is what the walk-in desk uses.
var startupExpiry = bigtable.Time(time.Now().Add(holdTTL)) // want ttlwrite/stale-clock[boot]

// Service places and releases holds.
type Service struct {
	tbl *holdsbt.Table
	log *slog.Logger
	m   *metrics.Set
	now func() time.Time
}

// New returns a service on c.
func New(c *bigtable.Client, log *slog.Logger, m *metrics.Set) *Service {
	return &Service{tbl: holdsbt.Open(c), log: log, m: m, now: time.Now}
}

func key(hotel, room, night string) string {
	return hotel + "#" + room + "#" + night
}

// Place holds a room for the usual time.
func (s *Service) Place(ctx context.Context, k string, h *holdsbt.Hold) error {
	defer s.m.Time("hold_place")()
	mut := bigtable.NewMutation()
	h.MarshalBigtable(mut, btx.ExpireIn(holdTTL)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, k, mut)
}

// PlaceUntil holds a room until deadline.
func (s *Service) PlaceUntil(ctx context.Context, k string, h *holdsbt.Hold, deadline time.Time) error {
	mut := bigtable.NewMutation()
	h.MarshalBigtable(mut, bigtable.Time(deadline)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, k, mut)
}

// PlaceVIP holds a room longer.
func (s *Service) PlaceVIP(ctx context.Context, k string, h *holdsbt.Hold) error {
	mut := bigtable.NewMutation()
	h.MarshalBigtable(mut, btx.NowTS()) // want ttlwrite/write-time
	s.log.Info("vip hold", "key", k, "for", vipTTL)
	return s.tbl.Apply(ctx, k, mut)
}

// PlaceGroup holds many rooms at once.
func (s *Service) PlaceGroup(ctx context.Context, rooms map[string]*holdsbt.Hold) error {
	var b btrt.Batch
	for k, h := range rooms {
		b.Add(k, h, bigtable.Time(s.now().Add(groupTTL))) // ok ttlwrite/write-time
	}
	return b.Flush(ctx, s.tbl.Raw())
}

// PlaceTour holds rooms for a tour operator.
func (s *Service) PlaceTour(ctx context.Context, operator string, rooms []string) error {
	var b btrt.Batch
	for _, r := range rooms {
		h := &holdsbt.Hold{Room: r, Guest: operator, Nights: 1}
		b.Add(key("tour", r, operator), h, bigtable.Now()) // want ttlwrite/write-time
	}
	if b.Len() == 0 {
		return nil
	}
	return b.Flush(ctx, s.tbl.Raw())
}

// PlaceWalkIn holds a room at the desk.
func (s *Service) PlaceWalkIn(ctx context.Context, k string, h *holdsbt.Hold) error {
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: h}, startupExpiry) // want ttlwrite/stale-clock[boot]
}

// PlacePhone holds a room for a caller.
func (s *Service) PlacePhone(ctx context.Context, k string, h *holdsbt.Hold) error {
	until := s.now().Add(holdTTL)
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: h}, bigtable.Time(until)) // ok ttlwrite/stale-clock
}

// Annotate adds a note to a hold.
func (s *Service) Annotate(ctx context.Context, k, note string) error {
	mut := bigtable.NewMutation()
	mut.Set(holdsbt.FamilyHold, holdsbt.ColHoldNote, bigtable.ServerTime, []byte(note)) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, k, mut)
}

// AnnotateUntil adds a note that ends with the hold.
func (s *Service) AnnotateUntil(ctx context.Context, k, note string, h bigtable.ReadItem) error {
	mut := bigtable.NewMutation()
	mut.Set(holdsbt.FamilyHold, holdsbt.ColHoldNote, h.Timestamp, []byte(note)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, k, mut)
}

// Reprice changes the price of a hold.
func (s *Service) Reprice(ctx context.Context, k string, cents int64) error {
	ts := bigtable.Time(s.now())
	mut := bigtable.NewMutation()
	holdsbt.SetHoldPriceCents(mut, ts, cents) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, k, mut)
}

// Discount changes the price and restarts the hold.
func (s *Service) Discount(ctx context.Context, k string, cents int64) error {
	ts := bigtable.Time(s.now().Add(holdTTL))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(holdsbt.FamilyHold, holdsbt.ColHoldPriceCents) // ok ttlwrite/delete-after-set
	holdsbt.SetHoldPriceCents(mut, ts, cents)                              // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, k, mut)
}

// Rename moves the hold to another guest.
func (s *Service) Rename(ctx context.Context, k, guest string) error {
	ts := btx.ExpireIn(holdTTL)
	mut := bigtable.NewMutation()
	holdsbt.SetHoldGuest(mut, ts, guest)                              // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(holdsbt.FamilyHold, holdsbt.ColHoldGuest) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, k, mut)
}

// Stretch adds nights to a hold.
func (s *Service) Stretch(ctx context.Context, k string, nights int64) error {
	ts := btx.ExpireIn(holdTTL)
	mut := bigtable.NewMutation()
	holdsbt.SetHoldNights(mut, ts, nights)                           // ok ttlwrite/same-timestamp
	mut.DeleteCellsInColumn(holdsbt.FamilyHold, holdsbt.ColHoldNote) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, k, mut)
}

// Comment writes the note of the desk and then that of the guest.
func (s *Service) Comment(ctx context.Context, k, desk, guest string) error {
	ts := btx.ExpireIn(holdTTL)
	mut := bigtable.NewMutation()
	holdsbt.SetHoldNote(mut, ts, "desk: "+desk)
	holdsbt.SetHoldNote(mut, ts, "guest: "+guest) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, k, mut)
}

// Release ends a hold early.
func (s *Service) Release(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	holdsbt.SetHoldNote(mut, bigtable.Time(s.now().Add(-time.Minute)), "released") // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, k, mut)
}

// Cancel removes a hold.
func (s *Service) Cancel(ctx context.Context, k string) error {
	return s.tbl.Delete(ctx, k) // ok ttlwrite/delete-after-set
}

// Reset writes an empty hold.
func (s *Service) Reset(ctx context.Context, k string) error {
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: &holdsbt.Hold{}}, 0) // want ttlwrite/already-expired
}

// Import writes holds of the old system; times are in its own format.
func (s *Service) Import(ctx context.Context, k string, h *holdsbt.Hold, expires int64) error {
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: h}, bigtable.Timestamp(expires)) // ok ttlwrite/already-expired
}

// ImportAt writes a hold that ends at a time.
func (s *Service) ImportAt(ctx context.Context, k string, h *holdsbt.Hold, end time.Time) error {
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: h}, bigtable.Timestamp(end.Unix())) // want ttlunit/wrong-unit
}

// ImportMicros writes a hold that ends at a time.
func (s *Service) ImportMicros(ctx context.Context, k string, h *holdsbt.Hold, end time.Time) error {
	return s.tbl.PutAt(ctx, &holdsbt.Row{Key: k, Hold: h}, bigtable.Timestamp(end.UnixMicro())) // ok ttlunit/wrong-unit
}

// Confirm books what was held.
func (s *Service) Confirm(ctx context.Context, k string, h *holdsbt.Hold) error {
	s.m.Inc("hold_confirm")
	return s.tbl.PutNow(ctx, &holdsbt.Row{Key: k, Hold: h}) // ok ttlwrite/write-time
}
