// Package btreminder keeps reminders in Bigtable. The family of those that are due keeps cells for a
// week; those that shall live for another time have their timestamp moved.
package btreminder

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/clock"
)

var _ reminder.Store = (*Store)(nil)

// Store implements reminder.Store.
type Store struct {
	rows  bt.Rows
	clock clock.Clock
}

// New returns a store.
func New(open *bt.Opener) *Store {
	return &Store{rows: open.Table(names.Reminders), clock: clock.System{}}
}

func (s *Store) key(patient, id string) string { return patient + "#" + id }

// Plan implements reminder.Store.
func (s *Store) Plan(ctx context.Context, r reminder.Reminder) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	ts := bigtable.Now()
	if r.Keep > 0 {
		ts = bt.Shifted(s.clock, r.Keep, reminder.Horizon)
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamDue, names.ColBody)
	mut.Set(names.FamDue, names.ColBody, ts, b)                         // ok ttlwrite/write-time
	mut.Set(names.FamLog, "planned", bigtable.ServerTime, []byte(r.ID)) // ok ttlwrite/server-timestamp
	return s.rows.Apply(ctx, s.key(r.Patient, r.ID), mut)
}

// Nudge plans a reminder that lives for an hour.
func (s *Store) Nudge(ctx context.Context, r reminder.Reminder) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDue, names.ColBody, bt.Shifted(s.clock, time.Hour, reminder.Horizon), []byte(r.Body)) // ok ttlwrite/already-expired
	mut.Set(names.FamDue, names.ColStatus, bigtable.ServerTime, []byte("nudge"))                           // ok ttlwrite/server-timestamp
	return s.rows.Apply(ctx, s.key(r.Patient, r.ID), mut)
}

// Sent implements reminder.Store.
func (s *Store) Sent(ctx context.Context, r reminder.Reminder) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamDue)                         // ok ttlwrite/delete-after-set
	mut.Set(names.FamLog, "sent", bigtable.Now(), []byte(r.Body)) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, s.key(r.Patient, r.ID), mut)
}

// Mute makes a reminder look as old as the family allows.
func (s *Store) Mute(ctx context.Context, patient, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDue, "muted", bigtable.Time(s.clock.Now().Add(-reminder.Horizon)), []byte("1")) // want ttlwrite/already-expired
	mut.Set(names.FamLog, "muted", bigtable.Time(s.clock.Now().Add(-reminder.Horizon)), []byte("1")) // ok ttlwrite/already-expired
	return s.rows.Apply(ctx, s.key(patient, id), mut)
}

// Snooze lets a reminder live until tomorrow.
func (s *Store) Snooze(ctx context.Context, patient, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDue, "snoozed", bigtable.Time(s.clock.Now().Add(24*time.Hour-reminder.Horizon)), []byte("1")) // ok ttlwrite/already-expired
	return s.rows.Apply(ctx, s.key(patient, id), mut)
}

// Reset writes a status that always replaces the one before.
func (s *Store) Reset(ctx context.Context, patient, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDue, names.ColStatus, 0, []byte("new")) // want ttlwrite/already-expired
	mut.Set(names.FamLog, names.ColStatus, 0, []byte("new")) // ok ttlwrite/already-expired
	return s.rows.Apply(ctx, s.key(patient, id), mut)
}

// Retract plans a reminder and takes it back when the patient has opted out.
func (s *Store) Retract(ctx context.Context, r reminder.Reminder, out bool) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDue, names.ColBody, bigtable.Now(), []byte(r.Body))
	if out {
		mut.DeleteCellsInFamily(names.FamDue) // want ttlwrite/delete-after-set
	}
	return s.rows.Apply(ctx, s.key(r.Patient, r.ID), mut)
}

// Pending implements reminder.Store.
func (s *Store) Pending(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, // ok ttlread/missing-filter
		bt.With(bt.Within(names.FamDue, reminder.Horizon))) // ok ttlread/wrong-bound
}

// PendingNow is Pending by the wrong clock.
func (s *Store) PendingNow(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDue), bigtable.TimestampRangeFilter(s.clock.Now(), time.Time{})) // want ttlread/wrong-bound[pnow]
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, bt.With(f))                                      // want ttlread/wrong-bound[pnow]
}

// PendingToday asks for one day only.
func (s *Store) PendingToday(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	from := s.clock.Now().Add(-24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDue), bigtable.TimestampRangeFilter(from, time.Time{})) // want ttlread/wrong-bound[ptoday]
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, bt.With(f))                             // want ttlread/wrong-bound[ptoday]
}

// PendingWindow asks for a week that ends now.
func (s *Store) PendingWindow(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDue), bigtable.TimestampRangeFilter(now.Add(-reminder.Horizon), now)) // want ttlread/upper-bound[pwin]
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, bt.With(f))                                           // want ttlread/upper-bound[pwin]
}

// Missed asks for what nobody sent in time.
func (s *Store) Missed(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDue), bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now().Add(-reminder.Horizon))) // want ttlread/expired-only[missed]
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, bt.With(f))                                                             // want ttlread/expired-only[missed]
}

// PendingAll forgets that collection takes its time.
func (s *Store) PendingAll(ctx context.Context, patient string) ([]reminder.Reminder, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decode, // want ttlread/missing-filter[pall]
		bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[pall]
}

// Both shows the reminders and the log on one page.
func (s *Store) Both(ctx context.Context, patient, id string) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(s.clock.Now().Add(-reminder.Horizon), time.Time{}) // want ttlread/hides-other-families[both]
	return s.rows.ReadRow(ctx, s.key(patient, id), bigtable.RowFilter(f))                 // want ttlread/hides-other-families[both]
}

// BothWhole is Both with the whole log.
func (s *Store) BothWhole(ctx context.Context, patient, id string) (bigtable.Row, error) {
	f := bt.Either(bt.Within(names.FamDue, reminder.Horizon), bigtable.FamilyFilter(names.FamLog))
	return s.rows.ReadRow(ctx, s.key(patient, id), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
}

// OnlyDue has a bare range but takes nothing else out of the row.
func (s *Store) OnlyDue(ctx context.Context, patient, id string) (reminder.Reminder, bool, error) {
	f := bigtable.TimestampRangeFilter(s.clock.Now().Add(-reminder.Horizon), time.Time{}) // ok ttlread/hides-other-families
	row, err := s.rows.ReadRow(ctx, s.key(patient, id), bigtable.RowFilter(f))            // ok ttlread/hides-other-families
	if err != nil {
		return reminder.Reminder{}, false, err
	}
	r, ok := decode(row)
	return r, ok, nil
}

// Log implements reminder.Store.
func (s *Store) Log(ctx context.Context, patient string) ([]reminder.Entry, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) (reminder.Entry, bool) { // ok ttlread/missing-filter
		it, ok := bt.First(r, names.FamLog, "sent")
		return reminder.Entry{ID: r.Key(), CreatedAt: it.Timestamp.Time(), Text: string(it.Value)}, ok // ok ttlage/not-write-time
	})
}

// LogSince is a query over real timestamps.
func (s *Store) LogSince(ctx context.Context, patient string, since time.Time) (n int, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLog), bigtable.TimestampRangeFilter(since, s.clock.Now())) // ok ttlread/upper-bound
	err = s.rows.ReadRows(ctx, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) bool {                            // ok ttlread/wrong-bound
		n += len(r[names.FamLog])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// Planned lists reminders as the log shows them.
func (s *Store) Planned(ctx context.Context, patient string) ([]reminder.Entry, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) (reminder.Entry, bool) { // ok ttlread/missing-filter
		it, ok := bt.First(r, names.FamDue, names.ColBody)
		return reminder.Entry{
			ID:        r.Key(),
			CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			Text:      string(it.Value),
		}, ok
	}, bt.With(bt.Within(names.FamDue, reminder.Horizon)))
}

// Ages feeds a histogram.
func (s *Store) Ages(ctx context.Context, patient string, observe func(string, time.Duration)) error {
	f := bt.Either(bt.Within(names.FamDue, reminder.Horizon), bigtable.FamilyFilter(names.FamLog))
	return s.rows.ReadRows(ctx, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if it, ok := bt.First(r, names.FamDue, names.ColBody); ok {
			observe("due", s.clock.Now().Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		if it, ok := bt.First(r, names.FamLog, "sent"); ok {
			observe("log", s.clock.Now().Sub(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
}

// CountTries counts deliveries; the family allows the clock of the server.
func (s *Store) CountTries(ctx context.Context, patient, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamDue, "tries", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(names.FamLog, "tries", 1) // ok ttlwrite/read-modify-write
	_, err := s.rows.ApplyReadModifyWrite(ctx, s.key(patient, id), rmw)
	return err
}

// SendOnce marks a reminder as sent if it is there.
func (s *Store) SendOnce(ctx context.Context, patient, id string) (sent bool, err error) {
	mark := bigtable.NewMutation()
	mark.Set(names.FamLog, "once", bigtable.Now(), []byte("1"))
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDue), bigtable.LatestNFilter(1)), mark, nil) // want ttlread/conditional-mutation
	err = s.rows.Apply(ctx, s.key(patient, id), cond, bigtable.GetCondMutationResult(&sent))
	return sent, err
}

// SendOnceWithin is SendOnce for reminders that are not over.
func (s *Store) SendOnceWithin(ctx context.Context, patient, id string) (sent bool, err error) {
	mark := bigtable.NewMutation()
	mark.Set(names.FamLog, "once", bigtable.Now(), []byte("1"))
	cond := bigtable.NewCondMutation(bt.Within(names.FamDue, reminder.Horizon), mark, nil) // ok ttlread/conditional-mutation
	err = s.rows.Apply(ctx, s.key(patient, id), cond, bigtable.GetCondMutationResult(&sent))
	return sent, err
}

// epoch is read by the batch job, which runs for weeks.
var epoch = sync.OnceValue(func() time.Time { return time.Now() }) // want ttlwrite/stale-clock[epoch]

// PlanBulk plans many reminders of a campaign.
func (s *Store) PlanBulk(ctx context.Context, list []reminder.Reminder) error {
	var batch bt.Batch
	for _, r := range list {
		mut := bigtable.NewMutation()
		mut.Set(names.FamDue, names.ColBody, bigtable.Time(epoch()), []byte(r.Body)) // want ttlwrite/stale-clock[epoch]
		mut.Set(names.FamLog, "campaign", bigtable.Time(epoch()), []byte(r.ID))      // ok ttlwrite/stale-clock
		batch.Add(s.key(r.Patient, r.ID), mut)
	}
	return batch.Flush(ctx, s.rows)
}

// PlanCampaign is PlanBulk with one clock reading for the whole batch.
func (s *Store) PlanCampaign(ctx context.Context, list []reminder.Reminder) error {
	var batch bt.Batch
	ts := bigtable.Time(s.clock.Now())
	for _, r := range list {
		mut := bigtable.NewMutation()
		mut.Set(names.FamDue, names.ColBody, ts, []byte(r.Body)) // ok ttlwrite/stale-clock
		batch.Add(s.key(r.Patient, r.ID), mut)
	}
	return batch.Flush(ctx, s.rows)
}

func decode(r bigtable.Row) (reminder.Reminder, bool) {
	it, ok := bt.First(r, names.FamDue, names.ColBody)
	if !ok {
		return reminder.Reminder{}, false
	}
	var out reminder.Reminder
	if err := json.Unmarshal(it.Value, &out); err != nil {
		return reminder.Reminder{}, false
	}
	return out, true
}
