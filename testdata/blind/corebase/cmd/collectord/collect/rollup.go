package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Hour is what was counted in an hour. Runs are numbered; the last two of an
// hour are kept, so that a bad run can be undone.
type Hour struct {
	Name   string           `json:"name"`
	Counts map[string]int64 `json:"counts"`
	Run    int64            `json:"-"`
}

var colHour = btstore.NewCol("hour", "counts", btstore.JSON[Hour]())

// Roller rolls hours up.
type Roller struct {
	c    *Collector
	mu   sync.Mutex
	runs map[string]int64
	done []string
}

// NewRoller makes a roller.
func NewRoller(c *Collector) *Roller { return &Roller{c: c, runs: map[string]int64{}} }

func (r *Roller) next(name string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[name]++
	return r.runs[name]
}

// Roll writes a run.
func (r *Roller) Roll(ctx context.Context, h Hour) error {
	m := bigtable.NewMutation()
	if err := colHour.Set(m, btstore.SeqNo(r.next(h.Name)), h); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	stat.Set(m, "rolled", nil) // ok ttlwrite/server-timestamp
	return r.c.rollups.Apply(ctx, h.Name, m)
}

// RollFast forgot what SeqNo is for.
func (r *Roller) RollFast(ctx context.Context, h Hour) error {
	m := bigtable.NewMutation()
	if err := colHour.Set(m, bigtable.Timestamp(r.next(h.Name)), h); err != nil { // want ttlwrite/unscaled-sequence
		return err
	}
	return r.c.rollups.Apply(ctx, h.Name, m)
}

// RollTimed writes a run at the time it ends.
func (r *Roller) RollTimed(ctx context.Context, h Hour) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	end := time.Now().Truncate(time.Hour)
	m := bigtable.NewMutation()
	m.Set("hour", "counts", bigtable.Time(end), b)   // want ttlwrite/clock-in-sequence
	m.Set("hour", "names", bigtable.ServerTime, nil) // want ttlwrite/clock-in-sequence
	m.Set("stat", "end", bigtable.Time(end), nil)    // ok ttlwrite/clock-in-sequence
	return r.c.rollups.Apply(ctx, h.Name, m)
}

// RollAll writes many runs.
func (r *Roller) RollAll(ctx context.Context, hours []Hour) error {
	b := r.c.rollups.NewBatch(64)
	for _, h := range hours {
		v, err := json.Marshal(h)
		if err != nil {
			return err
		}
		r.done = append(r.done, h.Name)
		if err := b.Put(ctx, h.Name, "hour", "counts", bigtable.Timestamp(len(r.done)), v); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
		if err := b.Put(ctx, h.Name, "hour", "size", bigtable.Timestamp(len(r.done)*1000), v); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
		if err := b.Put(ctx, h.Name, "hour", "at", bigtable.Now(), nil); err != nil { // want ttlwrite/clock-in-sequence
			return err
		}
		if err := b.Put(ctx, h.Name, "stat", "at", bigtable.Now(), nil); err != nil { // ok ttlwrite/clock-in-sequence
			return err
		}
	}
	return b.Close(ctx)
}

// Tally adds to aggregates.
func (r *Roller) Tally(ctx context.Context, name string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("sum", "day", bigtable.Time(time.Now().Truncate(24*time.Hour)), n) // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("sum", "all", 0, n)                                                // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("sum", "now", bigtable.ServerTime, n)                              // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell("uniq", "users", bigtable.ServerTime, []byte(name))            // want ttlwrite/aggregate-server-time
	return r.c.rollups.Apply(ctx, name, m)
}

// Undo deletes a run by its number.
func (r *Roller) Undo(ctx context.Context, name string, run int64) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("hour", "counts", btstore.SeqNo(run), btstore.SeqNo(run+1)) // ok ttlunit/sub-millisecond
	return r.c.rollups.Apply(ctx, name, m)
}

func hourOf(row bigtable.Row) (Hour, error) {
	h, ok, err := colHour.Get(row)
	if err != nil || !ok {
		return h, fmt.Errorf("collect: no hour in %q: %w", row.Key(), err)
	}
	h.Name = row.Key()
	it, _ := colHour.Item(row)
	h.Run = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
	return h, nil
}

// Hour reads the last run.
func (r *Roller) Hour(ctx context.Context, name string) (Hour, error) {
	return btstore.Fetch(ctx, r.c.rollups, name, hourOf, btstore.Where(hour.Head())) // ok ttlread/version-limit
}

// Hours reads the last runs of a day.
func (r *Roller) Hours(ctx context.Context, day string) ([]Hour, error) {
	return btstore.FetchAll(ctx, r.c.rollups, day, hourOf) // want ttlread/missing-filter
}

// HoursColumn reads one column.
func (r *Roller) HoursColumn(ctx context.Context, day string) ([]Hour, error) {
	return btstore.FetchAll(ctx, r.c.rollups, day, hourOf, btstore.Columns("hour", "counts")) // want ttlread/version-limit
}

// HoursLatest reads the last runs.
func (r *Roller) HoursLatest(ctx context.Context, day string) ([]Hour, error) {
	return btstore.FetchAll(ctx, r.c.rollups, day, hourOf, btstore.Where(bigtable.LatestNFilter(1)), btstore.Limit(24)) // ok ttlread/missing-filter
}

// HoursToday reads the runs of today, by the clock.
func (r *Roller) HoursToday(ctx context.Context, day string) ([]Hour, error) {
	today := time.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter("hour"), bigtable.TimestampRangeFilter(today, time.Time{})) // want ttlread/wrong-bound[hourstoday]
	return btstore.FetchAll(ctx, r.c.rollups, day, hourOf, btstore.Where(f))                                     // want ttlread/wrong-bound[hourstoday]
}

// Rolled tells when an hour was rolled up.
func (r *Roller) Rolled(ctx context.Context, name string) (time.Time, error) {
	row, err := r.c.rollups.Get(ctx, name, btstore.Where(stat.Live())) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row["stat"] {
		return it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return time.Time{}, nil
}

// Stats reads the ordinary family without a limit; its two versions matter to
// nobody.
func (r *Roller) Stats(ctx context.Context, name string) (map[string]time.Time, error) {
	row, err := r.c.rollups.Get(ctx, name) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, it := range row["stat"] {
		out[it.Column] = it.Timestamp.Time()
	}
	return out, nil
}

// Stale tells whether a run is older than an hour, it hopes.
func (r *Roller) Stale(ctx context.Context, name string) (bool, error) {
	row, err := r.c.rollups.Get(ctx, name, btstore.Where(hour.Head()))
	if err != nil {
		return false, err
	}
	it, ok := colHour.Item(row)
	if !ok {
		return true, nil
	}
	return time.Since(it.Timestamp.Time()) > time.Hour, nil // want ttlage/not-write-time
}

// Server tells whether a run has the server's time.
func (r *Roller) Server(ctx context.Context, name string) (bool, error) {
	row, err := r.c.rollups.Get(ctx, name, btstore.Where(stat.Live()))
	if err != nil {
		return false, err
	}
	for _, it := range row["stat"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}
