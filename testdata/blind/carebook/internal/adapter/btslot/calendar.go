// Package btslot keeps the calendar in Bigtable: holds expire, states are numbered, clinics are plain data.
package btslot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/slot"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/port"
	"github.com/carebook/appointments/internal/platform/retry"
)

const (
	colNote   = "note"
	colStarts = "starts"
	colViews  = "views"
)

var _ slot.Store = (*Calendar)(nil)

// Calendar implements slot.Store.
type Calendar struct {
	rows   bt.Rows
	now    func() time.Time
	policy retry.Policy
	seq    atomic.Int64
	turns  map[string]int64
}

// New returns a calendar.
func New(open *bt.Opener) *Calendar {
	return &Calendar{rows: open.Table(names.Slots), now: time.Now, policy: retry.Default(), turns: map[string]int64{}}
}

// SetNow is for tests.
func (c *Calendar) SetNow(f func() time.Time) { c.now = f }

// Load implements slot.Store.
func (c *Calendar) Load(ctx context.Context, key string) (slot.Slot, error) {
	f := bigtable.InterleaveFilters(
		bt.Latest(names.FamState, 1), // ok ttlread/version-limit
		bt.Live(names.FamHold),       // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClinic), bigtable.LatestNFilter(1)),
	)
	row, err := c.rows.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return slot.Slot{}, err
	}
	out := slot.Slot{Key: key}
	st, ok := bt.First(row, names.FamState, names.ColStatus)
	if !ok {
		return slot.Slot{}, port.ErrNotFound
	}
	out.Status = slot.Status(st.Value)
	out.Version = bt.Number(st) // ok ttlage/not-write-time
	if h, ok := bt.First(row, names.FamHold, names.ColOwner); ok {
		out.Holder = string(h.Value)
	} else if out.Status == slot.Held {
		out.Status = slot.Free
	}
	if at, ok := bt.First(row, names.FamClinic, colStarts); ok {
		if out.Starts, err = time.Parse(time.RFC3339, string(at.Value)); err != nil {
			return slot.Slot{}, err
		}
	}
	return out, nil
}

// Hold implements slot.Store.
func (c *Calendar) Hold(ctx context.Context, s slot.Slot) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamHold, names.ColOwner, bigtable.Time(c.now().Add(slot.HoldFor)), []byte(s.Holder)) // ok ttlwrite/write-time
	mut.Set(names.FamHold, names.ColSeen, bigtable.Time(c.now()), []byte("1"))                         // want ttlwrite/write-time
	mut.Set(names.FamState, names.ColStatus, bt.Seq(s.Version), []byte(s.Status))                      // ok ttlwrite/unscaled-sequence
	return c.rows.Apply(ctx, s.Key, mut)
}

// Save implements slot.Store.
func (c *Calendar) Save(ctx context.Context, s slot.Slot) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bigtable.Timestamp(s.Version*1000), []byte(s.Status))     // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamState, names.ColOwner, bigtable.Timestamp(s.Version), []byte(s.Holder))           // want ttlwrite/unscaled-sequence
	mut.Set(names.FamClinic, "booked", bigtable.Now(), []byte(c.now().UTC().Format(time.RFC3339Nano))) // ok ttlwrite/clock-in-sequence
	mut.DeleteCellsInFamily(names.FamHold)                                                             // ok ttlwrite/delete-after-set
	return c.rows.Apply(ctx, s.Key, mut)
}

// Cancel implements slot.Store.
func (c *Calendar) Cancel(ctx context.Context, s slot.Slot, reason string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bt.Seq(s.Version), []byte(slot.Cancelled)) // ok ttlwrite/clock-in-sequence
	mut.Set(names.FamState, colNote, bigtable.Now(), []byte(reason))                    // want ttlwrite/clock-in-sequence
	mut.Set(names.FamClinic, colNote, bigtable.Now(), []byte(reason))                   // ok ttlwrite/clock-in-sequence
	return c.rows.Apply(ctx, s.Key, mut)
}

// Block takes a slot out of the calendar.
func (c *Calendar) Block(ctx context.Context, key, who string) error {
	ts := bigtable.ServerTime
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, ts, []byte("blocked")) // want ttlwrite/clock-in-sequence
	mut.Set(names.FamClinic, names.ColOwner, ts, []byte(who))       // ok ttlwrite/clock-in-sequence
	return c.rows.Apply(ctx, key, mut)
}

// Overbook adds a second patient to a slot.
func (c *Calendar) Overbook(ctx context.Context, key, patient string) error {
	n := c.seq.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, "second", bigtable.Timestamp(n), []byte(patient)) // want ttlwrite/unscaled-sequence
	return c.rows.Apply(ctx, key, mut)
}

// OverbookNumbered is Overbook as it should be.
func (c *Calendar) OverbookNumbered(ctx context.Context, key, patient string) error {
	n := c.seq.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, "second", bigtable.Timestamp(n*1000), []byte(patient)) // ok ttlwrite/unscaled-sequence
	return c.rows.Apply(ctx, key, mut)
}

// Turn numbers the patients of a walk-in clinic.
func (c *Calendar) Turn(ctx context.Context, clinic, patient string) (int64, error) {
	c.turns[clinic]++
	n := c.turns[clinic]
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, "turn", bigtable.Timestamp(n), []byte(patient)) // want ttlwrite/unscaled-sequence
	return n, c.rows.Apply(ctx, "walkin#"+clinic, mut)
}

// Step moves in steps that Bigtable can tell apart.
func (c *Calendar) Step(ctx context.Context, key string, notes []string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, n := range notes {
		ts += 1000
		mut.Set(names.FamState, colNote, ts, []byte(n)) // ok ttlwrite/unscaled-sequence
	}
	return c.rows.Apply(ctx, key, mut)
}

// Import takes the history of a slot from an old practice system.
func (c *Calendar) Import(ctx context.Context, events []slot.Event) error {
	var batch bt.Batch
	for i, ev := range events {
		mut := bigtable.NewMutation()
		mut.Set(names.FamState, names.ColStatus, bigtable.Timestamp(i+1), []byte(ev.Status)) // want ttlwrite/unscaled-sequence[import]
		mut.Set(names.FamState, colNote, bt.Seq(int64(i)+1), []byte(ev.Note))                // ok ttlwrite/unscaled-sequence
		batch.Add(ev.Key, mut)
	}
	return batch.Flush(ctx, c.rows) // want ttlwrite/unscaled-sequence[import]
}

// ImportReverse takes a history that begins with its newest line.
func (c *Calendar) ImportReverse(ctx context.Context, key string, events []slot.Event) error {
	mut := bigtable.NewMutation()
	for i, ev := range events {
		left := len(events) - i
		mut.Set(names.FamState, names.ColStatus, bt.Raw(int64(left)), []byte(ev.Status)) // want ttlwrite/unscaled-sequence
		mut.Set(names.FamState, colNote, bt.Raw(int64(left)*1000), []byte(ev.Note))      // ok ttlwrite/unscaled-sequence
	}
	return c.rows.Apply(ctx, key, mut)
}

// Seed creates an empty slot.
func (c *Calendar) Seed(ctx context.Context, key string, starts time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, 1000, []byte(slot.Free))                                // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamState, colNote, 1, []byte("seeded"))                                            // want ttlwrite/unscaled-sequence
	mut.Set(names.FamClinic, colStarts, bigtable.Time(c.now()), []byte(starts.Format(time.RFC3339))) // ok ttlwrite/clock-in-sequence
	return c.rows.Apply(ctx, key, mut)
}

// Reopen frees a slot whose hold was lost.
func (c *Calendar) Reopen(ctx context.Context, key string, starts time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bigtable.Time(starts), []byte(slot.Free)) // want ttlwrite/clock-in-sequence
	return c.rows.Apply(ctx, key, mut)
}

// Move copies the state of one slot to another; numbers come from the row.
func (c *Calendar) Move(ctx context.Context, from, to string) error {
	row, err := c.rows.ReadRow(ctx, from, bt.With(bt.Latest(names.FamState, slot.Keep))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row[names.FamState] {
		mut.Set(names.FamState, names.ColStatus, it.Timestamp, it.Value) // ok ttlwrite/clock-in-sequence
	}
	return c.rows.Apply(ctx, to, mut)
}

// View counts how often a slot was looked at.
func (c *Calendar) View(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamState, colViews, 1)  // want ttlwrite/read-modify-write
	rmw.Increment(names.FamClinic, colViews, 1) // ok ttlwrite/read-modify-write
	_, err := c.rows.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Renew counts how often a hold was renewed.
func (c *Calendar) Renew(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamHold, "renewals", 1) // want ttlwrite/read-modify-write
	_, err := c.rows.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Status returns the state of a slot.
func (c *Calendar) Status(ctx context.Context, key string) (slot.Status, error) {
	row, err := retry.Do(ctx, c.policy, func(ctx context.Context) (bigtable.Row, error) {
		return c.rows.ReadRow(ctx, key) // want ttlread/missing-filter
	})
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, names.FamState, names.ColStatus)
	if !ok {
		return "", port.ErrNotFound
	}
	return slot.Status(it.Value), nil
}

// Holder returns who holds a slot.
func (c *Calendar) Holder(ctx context.Context, key string) (string, error) {
	row, err := retry.Do(ctx, c.policy, func(ctx context.Context) (bigtable.Row, error) {
		return c.rows.ReadRow(ctx, key, bt.With(bt.Live(names.FamHold))) // ok ttlread/missing-filter
	})
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, names.FamHold, names.ColOwner)
	if !ok {
		return "", port.ErrNotFound
	}
	return string(it.Value), nil
}

// Held says whether a slot is held.
func (c *Calendar) Held(ctx context.Context, key string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[held]
	row, err := c.rows.ReadRow(ctx, key, bigtable.RowFilter(f))                                 // want ttlread/missing-filter[held]
	if err != nil {
		return false, err
	}
	return len(row[names.FamHold]) > 0, nil
}

// Starts returns when a slot begins.
func (c *Calendar) Starts(ctx context.Context, key string) (time.Time, error) {
	row, err := c.rows.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	it, ok := bt.First(row, names.FamClinic, colStarts)
	if !ok {
		return time.Time{}, port.ErrNotFound
	}
	return time.Parse(time.RFC3339, string(it.Value))
}

// Reserve holds a slot if nobody else does.
func (c *Calendar) Reserve(ctx context.Context, key, patient string) error {
	hold := bigtable.NewMutation()
	hold.Set(names.FamHold, names.ColOwner, bigtable.Time(c.now().Add(slot.HoldFor)), []byte(patient)) // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamHold), nil, hold)                  // want ttlread/conditional-mutation
	var taken bool
	if err := c.rows.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return slot.ErrTaken
	}
	return nil
}

// ReserveLive is Reserve that does not see dead holds.
func (c *Calendar) ReserveLive(ctx context.Context, key, patient string) error {
	hold := bigtable.NewMutation()
	hold.Set(names.FamHold, names.ColOwner, bigtable.Time(c.now().Add(slot.HoldFor)), []byte(patient))
	cond := bigtable.NewCondMutation(bt.Live(names.FamHold), nil, hold) // ok ttlread/conditional-mutation
	var taken bool
	if err := c.rows.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return slot.ErrTaken
	}
	return nil
}

// BookFree books a slot whose status is free.
func (c *Calendar) BookFree(ctx context.Context, s slot.Slot) error {
	book := bigtable.NewMutation()
	book.Set(names.FamState, names.ColStatus, bt.Seq(s.Version), []byte(slot.Booked)) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(                                                    // want ttlread/conditional-mutation[bookfree]
		bigtable.FamilyFilter(names.FamState),
		bigtable.ColumnFilter(names.ColStatus),
		bigtable.ValueFilter(string(slot.Free)),
		bigtable.LatestNFilter(1), // want ttlread/conditional-mutation[bookfree]
	)
	var matched bool
	cond := bigtable.NewCondMutation(pred, book, nil) // want ttlread/conditional-mutation[bookfree]
	if err := c.rows.Apply(ctx, s.Key, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if !matched {
		return slot.ErrTaken
	}
	return nil
}

// BookNewest is BookFree by the newest status alone.
func (c *Calendar) BookNewest(ctx context.Context, s slot.Slot) error {
	book := bigtable.NewMutation()
	book.Set(names.FamState, names.ColStatus, bt.Seq(s.Version), []byte(slot.Booked))
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamState),
		bigtable.ColumnFilter(names.ColStatus),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(string(slot.Free)),
	)
	var matched bool
	cond := bigtable.NewCondMutation(pred, book, nil) // ok ttlread/conditional-mutation
	if err := c.rows.Apply(ctx, s.Key, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if !matched {
		return slot.ErrTaken
	}
	return nil
}

// Create makes a slot that does not exist.
func (c *Calendar) Create(ctx context.Context, s slot.Slot) error {
	set := bigtable.NewMutation()
	set.Set(names.FamState, names.ColStatus, bt.Seq(1), []byte(s.Status))             // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamState), nil, set) // ok ttlread/conditional-mutation
	if err := c.rows.Apply(ctx, s.Key, cond); err != nil {
		return fmt.Errorf("create %s: %w", s.Key, err)
	}
	return nil
}

// errGap is returned when a history has holes.
var errGap = errors.New("history has a gap")

// History returns the states that are kept, newest first.
func (c *Calendar) History(ctx context.Context, key string) ([]slot.Status, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Latest(names.FamState, 10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return statuses(row)
}

// Kept is History with what the policy keeps.
func (c *Calendar) Kept(ctx context.Context, key string) ([]slot.Status, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Latest(names.FamState, slot.Keep))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return statuses(row)
}

// Notes returns all notes.
func (c *Calendar) Notes(ctx context.Context, key string) ([]string, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Column(names.FamState, colNote))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamState] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Today returns the states of the last day, or so somebody thought.
func (c *Calendar) Today(ctx context.Context, key string) ([]slot.Status, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamState), bigtable.TimestampRangeFilter(c.now().Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound[today]
	row, err := c.rows.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                               // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return statuses(row)
}

// Between returns the states with numbers in [from, to).
func (c *Calendar) Between(ctx context.Context, key string, from, to int64) ([]slot.Status, error) {
	f := bt.And(bt.Latest(names.FamState, slot.Keep), bigtable.TimestampRangeFilterMicros(bt.Seq(from), bt.Seq(to))) // ok ttlread/wrong-bound
	row, err := c.rows.ReadRow(ctx, key, bigtable.RowFilter(f))                                                      // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return statuses(row)
}

// Stale lists slots that were held once.
func (c *Calendar) Stale(ctx context.Context, clinic string) ([]string, error) {
	var keys []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.TimestampRangeFilter(time.Time{}, c.now())) // want ttlread/expired-only[stale]
	err := c.rows.ReadRows(ctx, bigtable.PrefixRange(clinic+"#"), func(r bigtable.Row) bool {                             // want ttlread/expired-only[stale]
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return keys, err
}

// Purge deletes what Stale finds.
func (c *Calendar) Purge(ctx context.Context, clinic string) error {
	var batch bt.Batch
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.TimestampRangeFilter(time.Time{}, c.now())) // ok ttlread/expired-only
	err := c.rows.ReadRows(ctx, bigtable.PrefixRange(clinic+"#"), func(r bigtable.Row) bool {                             // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(names.FamHold)
		batch.Add(r.Key(), m)
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	return batch.Flush(ctx, c.rows)
}

func statuses(row bigtable.Row) ([]slot.Status, error) {
	var out []slot.Status
	var last int64
	for _, it := range row[names.FamState] {
		n := bt.Number(it)
		if last != 0 && n != last-1 {
			return nil, errGap
		}
		last = n
		out = append(out, slot.Status(it.Value))
	}
	return out, nil
}

// View of a slot for the clinic's screen.
type View struct {
	Status    string
	UpdatedAt time.Time
	HeldUntil time.Time
	Version   string
	Fresh     bool
}

// Screen fills the clinic's screen.
func (c *Calendar) Screen(ctx context.Context, key string) (View, error) {
	f := bt.Either(bt.Latest(names.FamState, 1), bt.Live(names.FamHold))
	row, err := c.rows.ReadRow(ctx, key, bt.With(f)) // ok ttlread/missing-filter
	if err != nil {
		return View{}, err
	}
	var v View
	if st, ok := bt.First(row, names.FamState, names.ColStatus); ok {
		v = View{
			Status:    string(st.Value),
			UpdatedAt: st.Timestamp.Time(),                             // want ttlage/not-write-time
			Version:   strconv.FormatInt(int64(st.Timestamp)/1000, 10), // ok ttlage/not-write-time
			Fresh:     time.Since(st.Timestamp.Time()) < time.Hour,     // want ttlage/not-write-time
		}
	}
	if h, ok := bt.First(row, names.FamHold, names.ColOwner); ok {
		v.HeldUntil = h.Timestamp.Time() // ok ttlage/not-write-time
	}
	return v, nil
}

// HoldAge says how long a slot has been held.
func (c *Calendar) HoldAge(ctx context.Context, key string) (time.Duration, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Live(names.FamHold)))
	if err != nil {
		return 0, err
	}
	h, ok := bt.First(row, names.FamHold, names.ColOwner)
	if !ok {
		return 0, port.ErrNotFound
	}
	return c.now().Sub(bt.When(h)), nil // want ttlage/not-write-time
}

// HoldLeft says how long a slot stays held.
func (c *Calendar) HoldLeft(ctx context.Context, key string) (time.Duration, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Live(names.FamHold)))
	if err != nil {
		return 0, err
	}
	h, ok := bt.First(row, names.FamHold, names.ColOwner)
	if !ok {
		return 0, port.ErrNotFound
	}
	return bt.When(h).Sub(c.now()), nil // ok ttlage/not-write-time
}

// ClinicAge says how old the data of a clinic are; they carry the time of their writing.
func (c *Calendar) ClinicAge(ctx context.Context, key string) (time.Duration, error) {
	row, err := c.rows.ReadRow(ctx, key, bt.With(bt.Latest(names.FamClinic, 1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, names.FamClinic, colStarts)
	if !ok {
		return 0, port.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}
