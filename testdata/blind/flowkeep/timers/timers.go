// Package timers keeps the timers of workflows until they fire.
package timers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/clock"
	"example.com/flowkeep/internal/codec"
	"example.com/flowkeep/internal/pool"
)

const (
	familyDue  = "due"
	familyMeta = "meta"

	// Grace is how long a timer that nobody picked up is kept.
	Grace = 2 * time.Hour
)

// started is when this process began to serve timers.
var started = time.Now()

// bootExpiry is shared by all the housekeeping timers.
var bootExpiry = bigtable.Time(started.Add(Grace)) // want ttlwrite/stale-clock[boot]

var liveAtBoot = bigtable.TimestampRangeFilter(started, time.Time{}) // want ttlread/stale-bound[liveboot]

// never is for timers that only a signal fires.
var never = time.Now().AddDate(100, 0, 0)

// Timer is one timer.
type Timer struct {
	Run     string        `json:"run"`
	Name    string        `json:"name"`
	FireAt  time.Time     `json:"fire_at"`
	Repeat  time.Duration `json:"repeat,omitempty"`
	Created time.Time     `json:"created"`
}

type table interface {
	bt.ReadWriter
	bt.BulkApplier
	bt.Counter
}

// Store keeps timers. Its table is called after the environment.
type Store struct {
	tbl table
	clk clock.Clock
	dec bt.Decode[Timer]
}

// Open opens the timers of env.
func Open(c *bigtable.Client, env string, clk clock.Clock) *Store {
	return &Store{tbl: c.Open(env + "-timers"), clk: clk, dec: decode}
}

func decode(row bigtable.Row) (Timer, error) {
	for _, it := range row[familyDue] {
		if it.Column == familyDue+":timer" {
			return codec.JSON[Timer]{}.Decode(it.Value)
		}
	}
	return Timer{}, bt.ErrNotFound
}

func (s *Store) key(t Timer) string { return t.Run + "#" + t.Name }

// Schedule stores t until it fires, and Grace beyond.
func (s *Store) Schedule(ctx context.Context, t Timer) error {
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bigtable.Time(t.FireAt.Add(Grace)), codec.Must(t))           // ok ttlwrite/write-time
	mut.Set(familyMeta, "created", bigtable.Now(), []byte(t.Name))                           // ok ttlwrite/write-time
	mut.Set(familyMeta, "fires", bigtable.ServerTime, []byte(t.FireAt.Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// ScheduleNow stores a timer that fires at once.
func (s *Store) ScheduleNow(ctx context.Context, t Timer) error {
	now := s.clk.Now()
	t.FireAt = now
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bigtable.Time(now), codec.Must(t)) // want ttlwrite/write-time
	mut.Set(familyMeta, "created", bigtable.Time(now), nil)        // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// ScheduleAll stores many timers.
func (s *Store) ScheduleAll(ctx context.Context, ts []Timer) error {
	var (
		keys []string
		muts []*bigtable.Mutation
		ts0  = bigtable.ServerTime
	)
	for _, t := range ts {
		mut := bigtable.NewMutation()
		mut.Set(familyDue, "timer", ts0, codec.Must(t)) // want ttlwrite/server-timestamp
		mut.Set(familyMeta, "created", ts0, nil)        // ok ttlwrite/server-timestamp
		keys, muts = append(keys, s.key(t)), append(muts, mut)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// ScheduleBatch is ScheduleAll with expiry.
func (s *Store) ScheduleBatch(ctx context.Context, ts []Timer) error {
	var keys []string
	var muts []*bigtable.Mutation
	until := bigtable.Time(s.clk.Now().Add(Grace))
	for _, t := range ts {
		mut := bigtable.NewMutation()
		mut.Set(familyDue, "timer", until, codec.Must(t)) // ok ttlwrite/server-timestamp // ok ttlwrite/same-timestamp
		keys, muts = append(keys, s.key(t)), append(muts, mut)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Housekeeping stores one of the engine's own timers.
func (s *Store) Housekeeping(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bootExpiry, codec.Must(Timer{Run: "engine", Name: name})) // want ttlwrite/stale-clock[boot]
	return s.tbl.Apply(ctx, "engine#"+name, mut)
}

// Park stores a timer that waits for a signal.
func (s *Store) Park(ctx context.Context, t Timer) error {
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bigtable.Time(never), codec.Must(t)) // ok ttlwrite/stale-clock
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// Cancel removes a timer.
func (s *Store) Cancel(ctx context.Context, t Timer) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(familyDue)
	mut.Set(familyMeta, "cancelled", bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// Replace cancels and schedules in one go.
func (s *Store) Replace(ctx context.Context, t Timer) error {
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bigtable.Time(t.FireAt.Add(Grace)), codec.Must(t)) // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(familyDue, "timer")                                    // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// Expire lets a timer run out.
func (s *Store) Expire(ctx context.Context, t Timer) error {
	mut := bigtable.NewMutation()
	mut.Set(familyDue, "timer", bigtable.Time(s.clk.Now().Add(-time.Minute)), codec.Must(t)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, s.key(t), mut)
}

// Snooze counts how often a timer was put off.
func (s *Store) Snooze(ctx context.Context, t Timer) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(familyDue, "snoozed", 1)                  // want ttlwrite/read-modify-write
	rmw.AppendValue(familyMeta, "log", []byte("snoozed\n")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, s.key(t), rmw)
	return err
}

func (s *Store) live() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.In(familyDue, bt.Live(s.clk.Now())), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(familyMeta),      // ok ttlread/unfiltered-branch
	)
}

// Get reads one timer.
func (s *Store) Get(ctx context.Context, run, name string) (Timer, error) {
	return bt.One(ctx, s.tbl, run+"#"+name, s.dec, bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
}

// GetFast reads one timer, of one family only.
func (s *Store) GetFast(ctx context.Context, run, name string) (Timer, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(familyDue))}
	row, err := s.tbl.ReadRow(ctx, run+"#"+name, opts...) // want ttlread/missing-filter
	if err != nil {
		return Timer{}, err
	}
	return s.dec(row)
}

// Scan calls f with every timer of run.
func (s *Store) Scan(ctx context.Context, run string, f func(Timer) bool) error {
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange(run+"#"), s.dec, f, bigtable.RowFilter(bt.Live(s.clk.Now()))) // ok ttlread/hides-other-families // ok ttlread/missing-filter
}

// ScanBoot is Scan with the filter of the housekeeping.
func (s *Store) ScanBoot(ctx context.Context, f func(Timer) bool) error {
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange("engine#"), s.dec, f, bigtable.RowFilter(bt.In(familyDue, liveAtBoot))) // want ttlread/stale-bound[liveboot]
}

// Described is a timer and when it was made.
type Described struct {
	Timer
	Made time.Time
}

// Describe reads a timer with its meta data.
func (s *Store) Describe(ctx context.Context, run, name string) (Described, error) {
	var d Described
	row, err := s.tbl.ReadRow(ctx, run+"#"+name, bigtable.RowFilter(bt.Live(s.clk.Now()))) // want ttlread/hides-other-families
	if err != nil {
		return d, err
	}
	for _, it := range row[familyMeta] {
		if it.Column == familyMeta+":created" {
			d.Made = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	d.Timer, err = s.dec(row)
	return d, err
}

// DescribeAll reads both families by their own rules.
func (s *Store) DescribeAll(ctx context.Context, run string, f func(Described) bool) error {
	dec := func(row bigtable.Row) (Described, error) {
		t, err := s.dec(row)
		d := Described{Timer: t}
		for _, it := range row[familyMeta] {
			d.Made = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		return d, err
	}
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange(run+"#"), dec, f, bigtable.RowFilter(s.live())) // ok ttlread/hides-other-families
}

// Meta reads what never expires.
func (s *Store) Meta(ctx context.Context, run, name string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, run+"#"+name, bigtable.RowFilter(bigtable.FamilyFilter("^"+familyMeta+"$"))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[familyMeta] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Cancelled says whether the meta data has a cancellation.
func (s *Store) Cancelled(ctx context.Context, run, name string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, run+"#"+name) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	_, ok := bt.Value(row, familyMeta, "cancelled")
	return ok, nil
}

// Sweep deletes the timers below prefix, dead or alive.
func (s *Store) Sweep(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Wheel fires timers in process.
type Wheel struct {
	store *Store
	clk   clock.Clock
	fire  func(context.Context, Timer) error

	mu    sync.Mutex
	queue []Timer
}

// NewWheel makes a wheel that hands due timers to fire.
func NewWheel(s *Store, clk clock.Clock, fire func(context.Context, Timer) error) *Wheel {
	return &Wheel{store: s, clk: clk, fire: fire}
}

// Load fills the wheel with the timers of runs.
func (w *Wheel) Load(ctx context.Context, runs ...string) error {
	g, _ := pool.WithContext(ctx, 4)
	for _, run := range runs {
		g.Go(func(ctx context.Context) error { return w.store.Scan(ctx, run, w.add) })
	}
	return g.Wait()
}

func (w *Wheel) add(t Timer) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, t)
	slices.SortFunc(w.queue, func(a, b Timer) int { return cmp.Compare(a.FireAt.UnixNano(), b.FireAt.UnixNano()) }) // ok ttlunit/wrong-unit
	return true
}

// Tick fires what is due.
func (w *Wheel) Tick(ctx context.Context) error {
	now := w.clk.Now()
	w.mu.Lock()
	n, _ := slices.BinarySearchFunc(w.queue, now, func(t Timer, at time.Time) int { return t.FireAt.Compare(at) })
	due := slices.Clone(w.queue[:n])
	w.queue = w.queue[n:]
	w.mu.Unlock()
	var errs []error
	for _, t := range due {
		if err := w.fire(ctx, t); err != nil {
			errs = append(errs, fmt.Errorf("timer %s/%s: %w", t.Run, t.Name, err))
			continue
		}
		if t.Repeat > 0 {
			t.FireAt = t.FireAt.Add(t.Repeat)
			errs = append(errs, w.store.Schedule(ctx, t))
			w.add(t)
		}
	}
	return errors.Join(errs...)
}

// Overdue reads expired timers, so that they can be reported.
func (w *Wheel) Overdue(ctx context.Context, run string, f func(Timer) bool) error {
	now := w.clk.Now()
	return bt.Each(ctx, w.store.tbl, bigtable.PrefixRange(run+"#"), w.store.dec, f, // want ttlread/expired-only[overdue]
		bigtable.RowFilter(bt.In(familyDue, bigtable.TimestampRangeFilter(time.Unix(0, 0), now)))) // want ttlread/expired-only[overdue]
}
