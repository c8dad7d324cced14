// Package store is the Bigtable adapter of the ticketing service.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/ticketing"
)

// The columns of a hold.
var (
	colHold   = dal.JSON[ticketing.Hold](dal.FamHold, "h")
	colOwner  = dal.Str(dal.FamHold, "owner")
	colPrice  = dal.Int(dal.FamHold, "price")
	colViews  = dal.Int(dal.FamHold, "views")
	colPlaced = dal.Str(dal.FamRider, "placed")
	colName   = dal.Str(dal.FamRider, "name")
	colPhone  = dal.Str(dal.FamRider, "phone")
	colClass  = dal.Int(dal.FamRider, "class")
)

// HoldStore implements ticketing.Holds and ticketing.Riders.
type HoldStore struct {
	tbl   dal.Table
	clock dal.Clock
	ttl   time.Duration
	log   dal.Logger
}

var (
	_ ticketing.Holds  = (*HoldStore)(nil)
	_ ticketing.Riders = (*HoldStore)(nil)
)

// NewHoldStore returns the adapter over the table "holds".
func NewHoldStore(c *dal.Client, log dal.Logger) *HoldStore {
	return &HoldStore{tbl: c.Holds(), clock: c.Clock(), ttl: dal.HoldTTL, log: log}
}

func holdKey(trip, seat string) string { return trip + "#" + seat }

// Place puts a hold on a seat.
func (s *HoldStore) Place(ctx context.Context, h ticketing.Hold) error {
	until := dal.ExpiresAt(h.Until)
	m := bigtable.NewMutation()
	if err := colHold.Set(m, until, h); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := colOwner.Set(m, until, h.Rider); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := colPrice.Set(m, dal.NowTS(s.clock), h.Price); err != nil { // want ttlwrite/write-time
		return err
	}
	// the moment of placing is an ordinary cell
	if err := colPlaced.Set(m, dal.NowTS(s.clock), h.Created.Format(time.RFC3339)); err != nil { // ok ttlwrite/write-time
		return err
	}
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// PlaceDefault puts a hold on a seat for the usual time.
func (s *HoldStore) PlaceDefault(ctx context.Context, h ticketing.Hold) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(dal.FamHold, "h")
	m.Set(dal.FamHold, "h", bigtable.Time(s.clock.Now().Add(s.ttl)), b)                      // ok ttlwrite/write-time
	m.Set(dal.FamHold, "owner", bigtable.ServerTime, []byte(h.Rider))                        // want ttlwrite/server-timestamp
	m.Set(dal.FamHold, "channel", -1, []byte("web"))                                         // want ttlwrite/server-timestamp
	m.Set(dal.FamRider, "last", bigtable.ServerTime, []byte(h.Trip))                         // ok ttlwrite/server-timestamp
	m.Set(dal.FamRider, "placed", bigtable.Now(), []byte(h.Created.Format(time.RFC3339)))    // ok ttlwrite/write-time
	m.Set(dal.FamHold, "seat", bigtable.Now()+bigtable.Timestamp(900_000_000), []byte(h.ID)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// Get reads a hold.
func (s *HoldStore) Get(ctx context.Context, trip, seat string) (ticketing.Hold, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.LiveOnly(s.clock, bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return ticketing.Hold{}, err
	}
	h, ok, err := colHold.Get(row)
	if err != nil {
		return h, err
	}
	if !ok {
		return h, dal.ErrNotFound
	}
	return h, nil
}

// Owner tells who holds a seat.
func (s *HoldStore) Owner(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	who, _, err := colOwner.Get(row)
	return who, err
}

// Price reads the price of a held seat.
func (s *HoldStore) Price(ctx context.Context, trip, seat string) (int64, error) {
	return dal.Load(ctx, s.tbl, holdKey(trip, seat), colPrice, bigtable.RowFilter(colPrice.Filter())) // want ttlread/missing-filter
}

// PriceLive reads the price of a seat whose hold has not expired.
func (s *HoldStore) PriceLive(ctx context.Context, trip, seat string) (int64, error) {
	return dal.Load(ctx, s.tbl, holdKey(trip, seat), colPrice, dal.With(colPrice.Filter(), dal.Live(s.clock))) // ok ttlread/missing-filter
}

// Name reads an ordinary column.
func (s *HoldStore) Name(ctx context.Context, trip, seat string) (string, error) {
	return dal.Load(ctx, s.tbl, holdKey(trip, seat), colName) // ok ttlread/missing-filter
}

// Extend moves the end of a hold.
func (s *HoldStore) Extend(ctx context.Context, h ticketing.Hold, by time.Duration) error {
	h.Until = h.Until.Add(by)
	m := bigtable.NewMutation()
	if err := colHold.Set(m, dal.ExpiresAt(h.Until), h); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := colOwner.Set(m, dal.ServerStamp(), h.Rider); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// Release gives a seat back.
func (s *HoldStore) Release(ctx context.Context, trip, seat string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(dal.FamHold)
	m.Set(dal.FamRider, "released", bigtable.Now(), []byte("1")) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, holdKey(trip, seat), m)
}

// Transfer hands a hold to another rider; the old owner's cells go.
func (s *HoldStore) Transfer(ctx context.Context, h ticketing.Hold, to string) error {
	h.Rider = to
	m := bigtable.NewMutation()
	if err := colHold.Set(m, dal.ExpiresAt(h.Until), h); err != nil {
		return err
	}
	if err := colOwner.Set(m, dal.ExpiresAt(h.Until), to); err != nil {
		return err
	}
	colOwner.Clear(m) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// Swap is Transfer in the right order.
func (s *HoldStore) Swap(ctx context.Context, h ticketing.Hold, to string) error {
	m := bigtable.NewMutation()
	colOwner.Clear(m)                                                   // ok ttlwrite/delete-after-set
	if err := colOwner.Set(m, dal.ExpiresAt(h.Until), to); err != nil { // ok ttlwrite/delete-after-set
		return err
	}
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// Expire ends a hold at once: the cells get a time that has passed.
func (s *HoldStore) Expire(ctx context.Context, h ticketing.Hold) error {
	m := bigtable.NewMutation()
	past := dal.ExpiresIn(s.clock, -time.Minute)
	if err := colHold.Set(m, past, h); err != nil { // want ttlwrite/already-expired
		return err
	}
	return s.tbl.Apply(ctx, holdKey(h.Trip, h.Seat), m)
}

// Reset writes an empty owner.
func (s *HoldStore) Reset(ctx context.Context, trip, seat string) error {
	return dal.Store(ctx, s.tbl, holdKey(trip, seat), colOwner, 0, "") // want ttlwrite/already-expired
}

// Stamp writes the owner with the current time.
func (s *HoldStore) Stamp(ctx context.Context, trip, seat, who string) error {
	return dal.Store(ctx, s.tbl, holdKey(trip, seat), colOwner, dal.NowTS(s.clock), who) // want ttlwrite/write-time
}

// StampName is the same for an ordinary column.
func (s *HoldStore) StampName(ctx context.Context, trip, seat, who string) error {
	return dal.Store(ctx, s.tbl, holdKey(trip, seat), colName, dal.NowTS(s.clock), who) // ok ttlwrite/write-time
}

// Claim writes the owner for the usual time.
func (s *HoldStore) Claim(ctx context.Context, trip, seat, who string) error {
	return dal.Store(ctx, s.tbl, holdKey(trip, seat), colOwner, dal.ExpiresIn(s.clock, s.ttl), who) // ok ttlwrite/write-time
}

// ForTrip lists the holds of a trip.
func (s *HoldStore) ForTrip(ctx context.Context, trip string) ([]ticketing.Hold, error) {
	return dal.Collect(ctx, s.tbl, trip+"#", func(row bigtable.Row) (ticketing.Hold, bool) {
		h, ok, err := colHold.Get(row)
		return h, ok && err == nil
	}, dal.LiveOnly(s.clock)) // ok ttlread/missing-filter
}

// Owners lists who holds seats on a trip.
func (s *HoldStore) Owners(ctx context.Context, trip string) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[dal.FamHold] {
			if it.Column == "hold:owner" {
				_, seat, _ := strings.Cut(it.Row, "#")
				out[seat] = string(it.Value)
			}
		}
		return true
	}, dal.Page(500))
	return out, err
}

// Seats counts the rows of a trip.
func (s *HoldStore) Seats(ctx context.Context, trip string) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip+"#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Taken tells whether somebody holds a seat.
func (s *HoldStore) Taken(ctx context.Context, trip, seat string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamHold), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[taken]
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), bigtable.RowFilter(f))                                                      // want ttlread/missing-filter[taken]
	return len(row) > 0, err
}

// Lapsed lists the owners of holds that ran out, for the reminder mails.
func (s *HoldStore) Lapsed(ctx context.Context, trip string) ([]string, error) {
	now := s.clock.Now()
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[dal.FamHold] {
			if it.Timestamp.Time().Before(now) {
				out = append(out, string(it.Value))
			}
		}
		return true
	}, bigtable.RowFilter(colOwner.Filter()))
	return out, err
}

// Current does by hand what a filter would do.
func (s *HoldStore) Current(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := colOwner.Item(row)
	if !ok || expired(it, s.clock) {
		return "", dal.ErrNotFound
	}
	return string(it.Value), nil
}

func expired(it bigtable.ReadItem, c dal.Clock) bool {
	return it.Timestamp < bigtable.Time(c.Now())
}

// Upcoming reads the holds that end within d, with a window.
func (s *HoldStore) Upcoming(ctx context.Context, trip string, d time.Duration) ([]string, error) {
	now := s.clock.Now()
	var out []string
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(dal.FamHold),
		bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)), // want ttlread/upper-bound[upcoming]
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip), func(row bigtable.Row) bool { // want ttlread/upper-bound[upcoming]
		for _, it := range row[dal.FamHold] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Window is a window that ends after the last hold has.
func (s *HoldStore) Window(ctx context.Context, trip string) ([]string, error) {
	now := s.clock.Now()
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip), func(row bigtable.Row) bool {
		for _, it := range row[dal.FamHold] {
			out = append(out, string(it.Value))
		}
		return true
	}, dal.With(bigtable.FamilyFilter(dal.FamHold), bigtable.TimestampRangeFilter(now, now.Add(dal.HoldTTL)))) // ok ttlread/upper-bound
	return out, err
}

// Stale reads what the documentation's sample reads.
func (s *HoldStore) Stale(ctx context.Context, trip string) ([]string, error) {
	var out []string
	opt := dal.With(bigtable.FamilyFilter(dal.FamHold), bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now())) // want ttlread/expired-only[stale]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(trip), func(row bigtable.Row) bool {                           // want ttlread/expired-only[stale]
		for _, it := range row[dal.FamHold] {
			out = append(out, string(it.Value))
		}
		return true
	}, opt) // want ttlread/expired-only[stale]
	return out, err
}

// Recent mixes up the strategies: it reads what was written lately.
func (s *HoldStore) Recent(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.With(bigtable.FamilyFilter(dal.FamHold), dal.Younger(s.clock, dal.HoldTTL))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	who, _, err := colOwner.Get(row)
	return who, err
}

// Fresh allows for a second.
func (s *HoldStore) Fresh(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.With(bigtable.FamilyFilter(dal.FamHold), dal.Younger(s.clock, time.Second))) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	who, _, err := colOwner.Get(row)
	return who, err
}

// Both reads a hold and its rider, with a filter that is meant for one.
func (s *HoldStore) Both(ctx context.Context, trip, seat string) (h ticketing.Hold, name string, err error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), bigtable.RowFilter(dal.Live(s.clock))) // want ttlread/hides-other-families
	if err != nil {
		return h, "", err
	}
	if h, _, err = colHold.Get(row); err != nil {
		return h, "", err
	}
	name, _, err = colName.Get(row)
	return h, name, err
}

// Pair is Both with a branch for each family.
func (s *HoldStore) Pair(ctx context.Context, trip, seat string) (h ticketing.Hold, name string, err error) {
	f := dal.Either(dal.Family(dal.FamHold, dal.Live(s.clock)), dal.Family(dal.FamRider, bigtable.LatestNFilter(1))) // ok ttlread/unfiltered-branch
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), bigtable.RowFilter(f))                                       // ok ttlread/hides-other-families
	if err != nil {
		return h, "", err
	}
	if h, _, err = colHold.Get(row); err != nil {
		return h, "", err
	}
	name, _, err = colName.Get(row)
	return h, name, err
}

// Loose lets everything of the second branch through.
func (s *HoldStore) Loose(ctx context.Context, trip, seat string) (h ticketing.Hold, name string, err error) {
	f := dal.Either(dal.Family(dal.FamHold, dal.Live(s.clock)), bigtable.LatestNFilter(1)) // want ttlread/unfiltered-branch[loose]
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), bigtable.RowFilter(f))             // want ttlread/unfiltered-branch[loose]
	if err != nil {
		return h, "", err
	}
	if h, _, err = colHold.Get(row); err != nil {
		return h, "", err
	}
	name, _, err = colName.Get(row)
	return h, name, err
}

// First limits before it filters.
func (s *HoldStore) First(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.With( // want ttlread/limit-before-filter[first]
		bigtable.FamilyFilter(dal.FamHold),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[first]
		dal.Live(s.clock),
	))
	if err != nil {
		return "", err
	}
	who, _, err := colOwner.Get(row)
	return who, err
}

// Last limits after it has filtered.
func (s *HoldStore) Last(ctx context.Context, trip, seat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.With(
		bigtable.FamilyFilter(dal.FamHold),
		dal.Live(s.clock),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
	))
	if err != nil {
		return "", err
	}
	who, _, err := colOwner.Get(row)
	return who, err
}

// View counts the views of a hold.
func (s *HoldStore) View(ctx context.Context, trip, seat string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamHold, colViews.Name, 1)      // want ttlwrite/read-modify-write
	rmw.Increment(dal.FamRider, "views", 1)           // ok ttlwrite/read-modify-write
	rmw.AppendValue(dal.FamRider, "log", []byte(".")) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, holdKey(trip, seat), rmw)
	if err != nil {
		return 0, err
	}
	n, _, err := colViews.Get(row)
	return n, err
}

// Age tells how old a hold is.
func (s *HoldStore) Age(ctx context.Context, trip, seat string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.LiveOnly(s.clock, bigtable.FamilyFilter(dal.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := colOwner.Item(row)
	if !ok {
		return 0, dal.ErrNotFound
	}
	return s.clock.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// Left tells how long a hold will live.
func (s *HoldStore) Left(ctx context.Context, trip, seat string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.LiveOnly(s.clock, bigtable.FamilyFilter(dal.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := colOwner.Item(row)
	if !ok {
		return 0, dal.ErrNotFound
	}
	return it.Timestamp.Time().Sub(s.clock.Now()), nil // ok ttlage/not-write-time
}

// HoldInfo is what the support desk sees.
type HoldInfo struct {
	Owner     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Info is for the support desk.
func (s *HoldStore) Info(ctx context.Context, trip, seat string) (HoldInfo, error) {
	var info HoldInfo
	row, err := s.tbl.ReadRow(ctx, holdKey(trip, seat), dal.LiveOnly(s.clock)) // ok ttlread/hides-other-families
	if err != nil {
		return info, err
	}
	for _, it := range row[dal.FamHold] {
		if it.Column != "hold:owner" {
			continue
		}
		info.Owner = string(it.Value)
		info.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		info.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return info, nil
}

// Rider reads a rider.
func (s *HoldStore) Rider(ctx context.Context, id string) (ticketing.Rider, error) {
	row, err := s.tbl.ReadRow(ctx, "rider#"+id, bigtable.RowFilter(bigtable.FamilyFilter(dal.FamRider))) // ok ttlread/missing-filter
	if err != nil {
		return ticketing.Rider{}, err
	}
	r := ticketing.Rider{ID: id}
	var errs [3]error
	r.Name, _, errs[0] = colName.Get(row)
	r.Phone, _, errs[1] = colPhone.Get(row)
	var class int64
	class, _, errs[2] = colClass.Get(row)
	r.Class = int(class)
	return r, errors.Join(errs[:]...)
}

// SaveRider writes a rider.
func (s *HoldStore) SaveRider(ctx context.Context, r ticketing.Rider) error {
	now := bigtable.Now()
	m := dal.Mutate(
		dal.Cell(dal.FamRider, "name", now, r.Name),                        // ok ttlwrite/write-time
		dal.Cell(dal.FamRider, "phone", now, r.Phone),                      // ok ttlwrite/write-time
		dal.Cell(dal.FamRider, "class", now, strconv.Itoa(r.Class)),        // ok ttlwrite/write-time
		dal.Cell(dal.FamHold, "rider", now, r.ID),                          // want ttlwrite/write-time
		dal.Cell(dal.FamHold, "quota", dal.ExpiresIn(s.clock, s.ttl), "4"), // ok ttlwrite/write-time
		dal.Cell(dal.FamHold, "flags", dal.ServerStamp(), ""),              // want ttlwrite/server-timestamp
	)
	if err := s.tbl.Apply(ctx, "rider#"+r.ID, m); err != nil {
		return fmt.Errorf("save rider %s: %w", r.ID, err)
	}
	return nil
}

// Seen tells when a rider was seen last, from an ordinary cell.
func (s *HoldStore) Seen(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, "rider#"+id, bigtable.RowFilter(bigtable.FamilyFilter(dal.FamRider))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := colName.Item(row)
	if !ok {
		return 0, dal.ErrNotFound
	}
	return s.clock.Now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}
