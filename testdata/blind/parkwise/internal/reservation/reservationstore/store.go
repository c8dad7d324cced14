// Package reservationstore keeps holds and bookings.
package reservationstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/reservation"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colHold   = "h"
	colOwner  = "owner"
	colBody   = "body"
	colStatus = "status"
	colNote   = "note"
)

var _ reservation.Store = (*Store)(nil)

// Store keeps holds (family hold, by expiry) and bookings (family detail).
type Store struct {
	tbl *bigtable.Table
	log *slog.Logger
}

// New opens the store.
func New(client *bigtable.Client, log *slog.Logger) *Store {
	return &Store{tbl: client.Open(bt.TableReservations), log: log}
}

func bayKey(id tenant.ID, bay string) string { return tenant.Key(id, "bay", bay) }

func resKey(id tenant.ID, rid string) string { return tenant.Key(id, "res", rid) }

// Hold implements reservation.Store.
func (s *Store) Hold(ctx context.Context, id tenant.ID, h reservation.Hold) (bool, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return false, err
	}
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(bt.FamHold, colHold) // ok ttlwrite/delete-after-set
	set.Set(bt.FamHold, colHold, bigtable.Time(h.Until), raw)
	taken := bt.In(bt.FamHold, bt.Live(clock.Now(ctx)))
	var matched bool
	cond := bigtable.NewCondMutation(taken, nil, set) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, bayKey(id, h.Bay), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, fmt.Errorf("reservationstore: %w", err)
	}
	return !matched, nil
}

// HoldBlocking is Hold for the kiosks: it does not overwrite anything.
func (s *Store) HoldBlocking(ctx context.Context, id tenant.ID, h reservation.Hold) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(bt.FamHold, colHold, bt.ExpiresIn(clock.Now(ctx), 15*time.Minute), []byte(h.ID))
	taken := bigtable.ChainFilters( // want ttlread/conditional-mutation[kiosk]
		bigtable.FamilyFilter(bt.FamHold),
		bigtable.ColumnFilter(colHold),
		bigtable.CellsPerRowLimitFilter(1),
	)
	var matched bool
	cond := bigtable.NewCondMutation(taken, nil, set) // want ttlread/conditional-mutation[kiosk]
	err := s.tbl.Apply(ctx, bayKey(id, h.Bay), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Renew implements reservation.Store.
func (s *Store) Renew(ctx context.Context, id tenant.ID, h reservation.Hold, until time.Time) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHold, colHold, bigtable.Time(until), raw)                 // ok ttlwrite/write-time
	mut.Set(bt.FamHold, colOwner, bigtable.Time(until), []byte(h.Driver))   // ok ttlwrite/same-timestamp
	mut.Set(bt.FamDetail, "renewed", bigtable.ServerTime, []byte(h.Driver)) // ok ttlwrite/server-timestamp
	mut.Set(bt.FamHold, "renewals", bigtable.ServerTime, []byte(h.Driver))  // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, bayKey(id, h.Bay), mut)
}

// Release implements reservation.Store.
func (s *Store) Release(ctx context.Context, id tenant.ID, bay string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamHold)
	return s.tbl.Apply(ctx, bayKey(id, bay), mut)
}

// ReleaseSoon lets a hold lapse by overwriting it.
func (s *Store) ReleaseSoon(ctx context.Context, id tenant.ID, bay string) error {
	now := clock.Now(ctx)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHold, colHold, bigtable.Time(now.Add(-5*time.Second)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, bayKey(id, bay), mut)
}

// Block keeps a bay out of use until a day is over.
func (s *Store) Block(ctx context.Context, id tenant.ID, bay string, day time.Time) error {
	end := day.Truncate(24 * time.Hour).Add(24 * time.Hour)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHold, colHold, bigtable.Timestamp(end.Unix()), []byte("blocked"))   // want ttlunit/wrong-unit
	mut.Set(bt.FamHold, colOwner, bigtable.Timestamp(end.UnixMicro()), []byte("ops")) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, bayKey(id, bay), mut)
}

// Current implements reservation.Store.
func (s *Store) Current(ctx context.Context, id tenant.ID, bay string) (reservation.Hold, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bt.Live(clock.Now(ctx)))}
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), opts...) // ok ttlread/hides-other-families
	if err != nil {
		return reservation.Hold{}, err
	}
	return decodeHold(row)
}

func decodeHold(row bigtable.Row) (reservation.Hold, error) {
	it, ok := bt.First(row, bt.FamHold, colHold)
	if !ok {
		return reservation.Hold{}, bt.ErrNotFound
	}
	var h reservation.Hold
	if err := json.Unmarshal(it.Value, &h); err != nil {
		return h, err
	}
	h.Until = bt.CellTime(it) // ok ttlage/not-write-time
	return h, nil
}

// CurrentAt is Current for a moment of the caller's.
func (s *Store) CurrentAt(ctx context.Context, id tenant.ID, bay string, at time.Time) (reservation.Hold, error) {
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(bt.In(bt.FamHold, bt.Live(at)))) // ok ttlread/missing-filter
	if err != nil {
		return reservation.Hold{}, err
	}
	return decodeHold(row)
}

// Holder tells who holds a bay.
func (s *Store) Holder(ctx context.Context, id tenant.ID, bay string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	h, err := decodeHold(row)
	return h.Driver, err
}

// Holds lists the holds of a garage.
func (s *Store) Holds(ctx context.Context, id tenant.ID, garage string) ([]reservation.Hold, error) {
	now := clock.Now(ctx)
	var out []reservation.Hold
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamHold),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[holds]
		bt.Live(now),
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(bayKey(id, garage)), func(row bigtable.Row) bool { // want ttlread/limit-before-filter[holds]
		if h, err := decodeHold(row); err == nil {
			out = append(out, h)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[holds]
	return out, err
}

// HoldsPaged lists them page by page.
func (s *Store) HoldsPaged(ctx context.Context, id tenant.ID, garage, cursor string, size int) (bt.Page[reservation.Hold], error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamHold),
		bt.Live(clock.Now(ctx)),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
	)
	return bt.List(ctx, s.tbl, bayKey(id, garage), cursor, size, func(row bigtable.Row) (reservation.Hold, bool) { // ok ttlread/missing-filter
		h, err := decodeHold(row)
		return h, err == nil
	}, bigtable.RowFilter(live))
}

// HoldsOfDriver lists the holds of a driver, page by page.
func (s *Store) HoldsOfDriver(ctx context.Context, id tenant.ID, driver, cursor string, size int) (bt.Page[reservation.Hold], error) {
	return bt.List(ctx, s.tbl, bayKey(id, ""), cursor, size, func(row bigtable.Row) (reservation.Hold, bool) { // want ttlread/missing-filter
		h, err := decodeHold(row)
		return h, err == nil && h.Driver == driver
	})
}

// Book implements reservation.Store.
func (s *Store) Book(ctx context.Context, id tenant.ID, r reservation.Reservation) error {
	return bt.Build().
		PutJSON(bt.FamDetail, colBody, bigtable.Now(), r).                // ok ttlwrite/write-time
		PutAt(bt.FamDetail, colStatus, bigtable.Now(), []byte(r.Status)). // ok ttlwrite/write-time
		Apply(ctx, s.tbl, resKey(id, r.ID))
}

// BookHeld books and keeps the hold's body for the receipt.
func (s *Store) BookHeld(ctx context.Context, id tenant.ID, r reservation.Reservation) error {
	return bt.Build().
		PutJSON(bt.FamDetail, colBody, bigtable.Now(), r). // ok ttlwrite/write-time
		PutJSON(bt.FamHold, colBody, bigtable.Now(), r).   // want ttlwrite/write-time
		Apply(ctx, s.tbl, resKey(id, r.ID))
}

// SetStatus implements reservation.Store.
func (s *Store) SetStatus(ctx context.Context, id tenant.ID, rid string, st reservation.Status) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamDetail, colStatus, bigtable.ServerTime, []byte(st)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, resKey(id, rid), mut)
}

// List implements reservation.Store.
func (s *Store) List(ctx context.Context, id tenant.ID, cursor string, size int) (bt.Page[reservation.Reservation], error) {
	return bt.List(ctx, s.tbl, resKey(id, ""), cursor, size, decodeBooking, bigtable.RowFilter(bt.LatestIn(bt.FamDetail))) // ok ttlread/missing-filter
}

func decodeBooking(row bigtable.Row) (reservation.Reservation, bool) {
	r, err := bt.DecodeJSON[reservation.Reservation](row, bt.FamDetail, colBody)
	if err != nil {
		return r, false
	}
	if it, ok := bt.First(row, bt.FamDetail, colStatus); ok {
		r.Status = reservation.Status(it.Value)
	}
	return r, true
}

// ListAny lists without a filter: only the details are looked at.
func (s *Store) ListAny(ctx context.Context, id tenant.ID, cursor string, size int) (bt.Page[reservation.Reservation], error) {
	return bt.List(ctx, s.tbl, resKey(id, ""), cursor, size, decodeBooking) // ok ttlread/missing-filter
}

// Bay is the state of a bay.
type Bay struct {
	Hold    *reservation.Hold
	Note    string
	NotedAt time.Time
}

// BayState reads a bay: its hold, if there is a live one, and the attendants' note.
func (s *Store) BayState(ctx context.Context, id tenant.ID, bay string) (Bay, error) {
	now := clock.Now(ctx)
	f := bigtable.InterleaveFilters(bt.In(bt.FamHold, bt.Live(now)), bt.LatestIn(bt.FamDetail))
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	if err != nil {
		return Bay{}, err
	}
	return decodeBay(row)
}

func decodeBay(row bigtable.Row) (Bay, error) {
	var b Bay
	h, err := decodeHold(row)
	switch {
	case err == nil:
		b.Hold = &h
	case !errors.Is(err, bt.ErrNotFound):
		return b, err
	}
	if it, ok := bt.First(row, bt.FamDetail, colNote); ok {
		b.Note, b.NotedAt = string(it.Value), it.Timestamp.Time()
	}
	return b, nil
}

// BayStateFast is BayState with a cheaper filter.
func (s *Store) BayStateFast(ctx context.Context, id tenant.ID, bay string) (Bay, error) {
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(bt.Live(clock.Now(ctx)))) // want ttlread/hides-other-families
	if err != nil {
		return Bay{}, err
	}
	return decodeBay(row)
}

// BayStates reads the bays of a garage.
func (s *Store) BayStates(ctx context.Context, id tenant.ID, garage string) (map[string]Bay, error) {
	out := map[string]Bay{}
	var ferr error
	f := bigtable.ConditionFilter(
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bt.Live(clock.Now(ctx))),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[bays]
		bt.LatestIn(bt.FamDetail),
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(bayKey(id, garage)), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[bays]
		b, err := decodeBay(row)
		if err != nil {
			ferr = errors.Join(ferr, err)
			return true
		}
		out[row.Key()] = b
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[bays]
	return out, errors.Join(err, ferr)
}

// FreeBays counts the bays of a garage without a row; a row that is dead makes no difference here.
func (s *Store) FreeBays(ctx context.Context, id tenant.ID, garage string, total int) (int, error) {
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(bayKey(id, garage)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		total--
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return max(total, 0), err
}

// Lapsed lists the holds that have run out, for the reminder mails.
func (s *Store) Lapsed(ctx context.Context, id tenant.ID, garage string) ([]reservation.Hold, error) {
	var out []reservation.Hold
	past := bigtable.TimestampRangeFilter(time.Time{}, clock.Now(ctx))                                 // want ttlread/expired-only[lapsed]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(bayKey(id, garage)), func(row bigtable.Row) bool { // want ttlread/expired-only[lapsed]
		if h, err := decodeHold(row); err == nil {
			out = append(out, h)
		}
		return true
	}, bigtable.RowFilter(past)) // want ttlread/expired-only[lapsed]
	return out, err
}

// DropLapsed deletes them.
func (s *Store) DropLapsed(ctx context.Context, id tenant.ID, garage string) error {
	now := clock.Now(ctx)
	var bulk bt.Bulk
	past := bt.In(bt.FamHold, bigtable.TimestampRangeFilter(time.Time{}, now))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(bayKey(id, garage)), func(row bigtable.Row) bool { // ok ttlread/expired-only
		del := bigtable.NewMutation()
		del.DeleteTimestampRange(bt.FamHold, colHold, 0, bigtable.Time(now))
		bulk.Add(row.Key(), del)
		return true
	}, bigtable.RowFilter(past))
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "lapsed holds", "n", bulk.Len())
	return bulk.Flush(ctx, s.tbl)
}

// HeldSince tells for how long a bay has been held.
func (s *Store) HeldSince(ctx context.Context, id tenant.ID, bay string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(bt.In(bt.FamHold, bt.Live(clock.Now(ctx))))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamHold, colHold)
	if !ok {
		return 0, bt.ErrNotFound
	}
	s.log.DebugContext(ctx, "hold", "until", it.Timestamp.Time())
	return time.Since(bt.CellTime(it)), nil // want ttlage/not-write-time
}

// NoteAge tells how old the attendants' note is.
func (s *Store) NoteAge(ctx context.Context, id tenant.ID, bay string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, bayKey(id, bay), bigtable.RowFilter(bt.LatestIn(bt.FamDetail))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamDetail, colNote)
	if !ok {
		return 0, bt.ErrNotFound
	}
	return time.Since(bt.CellTime(it)), nil // ok ttlage/not-write-time
}

// Import writes holds of the old system with the times it gave them.
func (s *Store) Import(ctx context.Context, id tenant.ID, holds []reservation.Hold) error {
	var bulk bt.Bulk
	for _, h := range holds {
		raw, err := json.Marshal(h)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamHold, colHold, bigtable.Time(h.Until), raw)                                                            // ok ttlwrite/already-expired
		mut.Set(bt.FamHold, "origin", bigtable.Time(time.Date(2021, time.May, 1, 0, 0, 0, 0, time.UTC)), []byte("legacy"))   // want ttlwrite/already-expired
		mut.Set(bt.FamDetail, "origin", bigtable.Time(time.Date(2021, time.May, 1, 0, 0, 0, 0, time.UTC)), []byte("legacy")) // ok ttlwrite/already-expired
		bulk.Add(bayKey(id, h.Bay), mut)
	}
	return bulk.Flush(ctx, s.tbl)
}
