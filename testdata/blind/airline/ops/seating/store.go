// Package seating is the seat service: holds on seats, check-in windows and
// boarding passes.
package seating

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

// Errors of the service.
var (
	ErrHeld     = errors.New("seating: seat is held")
	ErrNoWindow = errors.New("seating: check-in is not open")
	ErrNoPass   = errors.New("seating: no boarding pass")
)

// columns
const (
	colBy     = "by"
	colReason = "reason"
	colCabin  = "cabin"
	colOpen   = "open"
	colClose  = "close"
	colPass   = "bcbp"
	colGate   = "gate"
	colName   = "name"
	colBags   = "bags"
)

const (
	groupHoldFor = 48 * time.Hour
	passGrace    = 3 * time.Hour
)

// Store is the seat service's data.
type Store struct {
	holds   *bt.Table
	checkin *bt.Table
	roster  *bt.Table
	clk     clock.Clock
	log     *slog.Logger
}

// NewStore opens the tables.
func NewStore(c *bt.Client, clk clock.Clock, log *slog.Logger) *Store {
	return &Store{
		holds:   c.Table(names.TableHolds),
		checkin: c.Table(names.TableCheckin),
		roster:  c.Table(names.TableRoster),
		clk:     clk,
		log:     log,
	}
}

// Seat is what the seat map shows.
type Seat struct {
	Key       string    `json:"key"`
	Cabin     string    `json:"cabin"`
	HeldBy    string    `json:"held_by,omitempty"`
	Expires   time.Time `json:"expires,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// --- holds

// Hold takes a seat for the usual time.
func (s *Store) Hold(ctx context.Context, flight, seat, pnr string) error {
	m := bt.NewMut().
		PutFor(names.FamHold, colBy, names.HoldFor, []byte(pnr)). // ok ttlwrite/write-time
		Put(names.FamSeat, colBy, []byte(pnr))                    // ok ttlwrite/write-time
	return s.holds.Write(ctx, names.Key(flight, seat), m)
}

// HoldWithReason also says why.
func (s *Store) HoldWithReason(ctx context.Context, flight, seat, pnr, reason string) error {
	m := bt.NewMut()
	m.Swap(names.FamHold, colBy, names.HoldFor, []byte(pnr)) // ok ttlwrite/delete-after-set ttlwrite/write-time
	m.Put(names.FamHold, colReason, []byte(reason))          // want ttlwrite/write-time
	return s.holds.Write(ctx, names.Key(flight, seat), m)
}

// HoldGroup holds many seats for a group until the deposit is due.
func (s *Store) HoldGroup(ctx context.Context, flight string, seats []string, group string) error {
	until := s.clk.Now().Add(groupHoldFor)
	var batch []bt.Entry
	for _, seat := range seats {
		m := bt.NewMut().PutAt(names.FamHold, colBy, until, []byte(group)) // ok ttlwrite/write-time
		batch = append(batch, bt.Entry{Key: names.Key(flight, seat), Mut: m})
	}
	return s.holds.WriteAll(ctx, batch)
}

// HoldGroupReasons writes the reasons of a group's seats after the fact.
func (s *Store) HoldGroupReasons(ctx context.Context, flight string, reasons map[string]string) error {
	var batch []bt.Entry
	at := s.clk.Now()
	for seat, reason := range reasons {
		m := bt.NewMut().PutAt(names.FamHold, colReason, at, []byte(reason)) // want ttlwrite/write-time
		batch = append(batch, bt.Entry{Key: names.Key(flight, seat), Mut: m})
	}
	return s.holds.WriteAll(ctx, batch)
}

// HoldForAgent holds for as long as the agent's contract says.
func (s *Store) HoldForAgent(ctx context.Context, flight, seat, agent string, d time.Duration) error {
	return s.holds.Write(ctx, names.Key(flight, seat), bt.NewMut().PutFor(names.FamHold, colBy, d, []byte(agent))) // ok ttlwrite/write-time
}

// Block keeps a seat out of sale; the operations people asked that it never be lost.
func (s *Store) Block(ctx context.Context, flight, seat, why string) error {
	m := bt.NewMut()
	m.PutServer(names.FamHold, colBy, []byte("BLOCK")) // want ttlwrite/server-timestamp
	m.PutServer(names.FamSeat, colReason, []byte(why)) // ok ttlwrite/server-timestamp
	return s.holds.Write(ctx, names.Key(flight, seat), m)
}

// Unblock gives it back.
func (s *Store) Unblock(ctx context.Context, flight, seat string) error {
	return s.holds.Write(ctx, names.Key(flight, seat), bt.NewMut().Del(names.FamHold, colBy).Put(names.FamSeat, colReason, nil)) // ok ttlwrite/delete-after-set ttlwrite/write-time
}

// Release ends a hold at once by writing an empty one that is already over.
func (s *Store) Release(ctx context.Context, flight, seat string) error {
	m := bt.NewMut().PutFor(names.FamHold, colBy, -time.Second, nil) // want ttlwrite/already-expired
	return s.holds.Write(ctx, names.Key(flight, seat), m)
}

// Reseat moves a hold from one seat to another.
func (s *Store) Reseat(ctx context.Context, flight, from, to, pnr string) error {
	old := bt.NewMut().Put(names.FamSeat, colBy, []byte("")).DelFamily(names.FamHold) // ok ttlwrite/delete-after-set
	fresh := bt.NewMut()
	fresh.PutFor(names.FamHold, colBy, names.HoldFor, []byte(pnr))
	fresh.Del(names.FamHold, colBy) // want ttlwrite/delete-after-set
	return s.holds.WriteAll(ctx, []bt.Entry{{Key: names.Key(flight, from), Mut: old}, {Key: names.Key(flight, to), Mut: fresh}})
}

// SeatMap reads the seats of a flight with their holds.
func (s *Store) SeatMap(ctx context.Context, flight string) ([]Seat, error) {
	var out []Seat
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter ttlread/hides-other-families
		out = append(out, seatOf(r))
		return true
	}, bt.LiveWith(names.FamHold, names.FamSeat), bt.Latest(1))
	return out, err
}

// SeatMapFast is the one for the mobile app.
func (s *Store) SeatMapFast(ctx context.Context, flight string) ([]Seat, error) {
	var out []Seat
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, seatOf(r))
		return true
	}, bt.Latest(1))
	return out, err
}

// SeatMapLive was meant to repair SeatMapFast.
func (s *Store) SeatMapLive(ctx context.Context, flight string) ([]Seat, error) {
	var out []Seat
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/hides-other-families[seatmaplive]
		out = append(out, seatOf(r))
		return true
	}, bt.Live(), bt.Latest(1)) // want ttlread/hides-other-families[seatmaplive]
	return out, err
}

func seatOf(r bigtable.Row) Seat {
	seat := Seat{Key: r.Key()}
	for q, it := range bt.Cells(r, names.FamSeat) {
		if q == colCabin {
			seat.Cabin = string(it.Value)
			seat.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for q, it := range bt.Cells(r, names.FamHold) {
		if q == colBy {
			seat.HeldBy = string(it.Value)
			seat.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return seat
}

// Cabins lists cabin classes; holds do not matter.
func (s *Store) Cabins(ctx context.Context, flight string) (map[string]int, error) {
	out := map[string]int{}
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if v, ok := bt.First(r, names.FamSeat, colCabin); ok {
			out[string(v)]++
		}
		return true
	}, bt.Family(names.FamSeat), bt.Latest(1))
	return out, err
}

// Holder says who holds a seat.
func (s *Store) Holder(ctx context.Context, flight, seat string) (string, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.Column(colBy), bt.Live()) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamHold, colBy)
	return string(v), nil
}

// Reason says why a seat is held.
func (s *Store) Reason(ctx context.Context, flight, seat string) (string, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.Column(colReason)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamHold, colReason)
	return string(v), nil
}

// Held says whether there is a hold.
func (s *Store) Held(ctx context.Context, flight, seat string) (bool, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.KeysOnly()) // want ttlread/missing-filter
	return len(row) > 0, err
}

// HeldNow is the repaired Held.
func (s *Store) HeldNow(ctx context.Context, flight, seat string) (bool, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.LiveAt(s.clk.Now()), bt.KeysOnly()) // ok ttlread/missing-filter ttlread/limit-before-filter
	return len(row) > 0, err
}

// HeldSoon puts the key filter first, which is cheaper, so they say.
func (s *Store) HeldSoon(ctx context.Context, flight, seat string) (bool, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.KeysOnly(), bt.Live()) // want ttlread/limit-before-filter
	return len(row) > 0, err
}

// RecentHolds lists the holds of the last ten minutes, for the fraud team.
func (s *Store) RecentHolds(ctx context.Context, flight string) ([]string, error) {
	var out []string
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[recentholds]
		v, _ := bt.First(r, names.FamHold, colBy)
		out = append(out, string(v))
		return true
	}, bt.Family(names.FamHold), bt.Since(names.HoldFor)) // want ttlread/wrong-bound[recentholds]
	return out, err
}

// SlackHolds allows for clocks that are a little apart.
func (s *Store) SlackHolds(ctx context.Context, flight string) ([]string, error) {
	var out []string
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		v, _ := bt.First(r, names.FamHold, colBy)
		out = append(out, string(v))
		return true
	}, bt.Family(names.FamHold), bt.Since(500*time.Millisecond))
	return out, err
}

// EndingHolds lists the holds that end within five minutes, to remind people.
func (s *Store) EndingHolds(ctx context.Context, flight string) ([]string, error) {
	var out []string
	now := s.clk.Now()
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[ending]
		v, _ := bt.First(r, names.FamHold, colBy)
		out = append(out, string(v))
		return true
	}, bt.Family(names.FamHold), bt.Between(now, now.Add(5*time.Minute))) // want ttlread/upper-bound[ending]
	return out, err
}

// ShortHolds leaves the group holds out.
func (s *Store) ShortHolds(ctx context.Context, flight string) ([]string, error) {
	var out []string
	now := s.clk.Now()
	err := s.holds.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		v, _ := bt.First(r, names.FamHold, colBy)
		out = append(out, string(v))
		return true
	}, bt.Family(names.FamHold), bt.Between(now, now.Add(names.HoldFor)))
	return out, err
}

// HoldAge tells for how long a seat has been held, for the waiting list.
func (s *Store) HoldAge(ctx context.Context, flight, seat string) (time.Duration, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.Live()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamHold] {
		return s.clk.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNoWindow
}

// HoldLeft tells how long it will last.
func (s *Store) HoldLeft(ctx context.Context, flight, seat string) (time.Duration, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.Family(names.FamHold), bt.Live()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamHold] {
		return it.Timestamp.Time().Sub(s.clk.Now()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Take holds a seat only if nobody does.
func (s *Store) Take(ctx context.Context, flight, seat, pnr string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bt.LiveFilter())
	held, err := s.holds.CheckAndWrite(ctx, names.Key(flight, seat), pred, nil, bt.NewMut().PutFor(names.FamHold, colBy, names.HoldFor, []byte(pnr))) // ok ttlread/conditional-mutation ttlwrite/write-time
	if err == nil && held {
		return ErrHeld
	}
	return err
}

// TakeQuick is Take as it was before.
func (s *Store) TakeQuick(ctx context.Context, flight, seat, pnr string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.ColumnFilter(colBy))                                                 // want ttlread/conditional-mutation[takequick]
	held, err := s.holds.CheckAndWrite(ctx, names.Key(flight, seat), pred, nil, bt.NewMut().PutFor(names.FamHold, colBy, names.HoldFor, []byte(pnr))) // want ttlread/conditional-mutation[takequick]
	if err == nil && held {
		return ErrHeld
	}
	return err
}

// DropIfMine deletes a hold of ours, alive or not.
func (s *Store) DropIfMine(ctx context.Context, flight, seat, pnr string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.ValueFilter(pnr))
	_, err := s.holds.CheckAndWrite(ctx, names.Key(flight, seat), pred, bt.NewMut().Del(names.FamHold, colBy), nil) // ok ttlread/conditional-mutation
	return err
}

// UpgradeIfEconomy looks at the cabin only.
func (s *Store) UpgradeIfEconomy(ctx context.Context, flight, seat string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSeat), bigtable.ColumnFilter(colCabin), bigtable.ValueFilter("Y"))
	_, err := s.holds.CheckAndWrite(ctx, names.Key(flight, seat), pred, bt.NewMut().Put(names.FamSeat, colCabin, []byte("W")), nil) // ok ttlread/conditional-mutation
	return err
}

// Attempts counts attempts on a seat while it is held.
func (s *Store) Attempts(ctx context.Context, flight, seat string) error {
	_, err := s.holds.Incr(ctx, names.Key(flight, seat), names.FamHold, "attempts", 1) // want ttlwrite/read-modify-write
	return err
}

// Views counts views of a seat, forever.
func (s *Store) Views(ctx context.Context, flight, seat string) error {
	_, err := s.holds.Incr(ctx, names.Key(flight, seat), names.FamSeat, "views", 1) // ok ttlwrite/read-modify-write
	return err
}

// Trail appends to the list of those who tried.
func (s *Store) Trail(ctx context.Context, flight, seat, pnr string) error {
	return s.holds.Append(ctx, names.Key(flight, seat), names.FamHold, "trail", []byte(pnr+";")) // want ttlwrite/read-modify-write
}

// Crew holds a seat for crew in the crew team's own table.
func (s *Store) Crew(ctx context.Context, flight, seat, crew string) error {
	key := names.Key(flight, seat)
	if _, err := s.roster.Incr(ctx, key, names.FamHold, "n", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	if row, err := s.roster.Get(ctx, key); err != nil || len(row[names.FamHold]) > 8 { // ok ttlread/missing-filter
		return err
	}
	return s.roster.Write(ctx, key, bt.NewMut().Put(names.FamHold, colBy, []byte(crew))) // ok ttlwrite/write-time
}

// snapshot is stored for the complaints desk.
type snapshot struct {
	Seat      string `json:"seat"`
	By        string `json:"by"`
	CreatedAt string `json:"created_at"`
	ExpiresAt string `json:"expires_at"`
}

// Snapshot writes the state of a seat as JSON.
func (s *Store) Snapshot(ctx context.Context, flight, seat string) ([]byte, error) {
	row, err := s.holds.Get(ctx, names.Key(flight, seat), bt.LiveWith(names.FamHold, names.FamSeat)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	snap := snapshot{Seat: seat}
	for q, it := range bt.Cells(row, names.FamHold) {
		if !strings.HasPrefix(q, colBy) {
			continue
		}
		snap.By = string(it.Value)
		snap.CreatedAt = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		snap.ExpiresAt = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	b, err := json.Marshal(snap)
	if err != nil {
		return nil, fmt.Errorf("seating: snapshot: %w", err)
	}
	return b, nil
}
