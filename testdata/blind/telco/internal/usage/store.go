// Package usage counts what subscribers use: minutes, messages, megabytes. One table per
// market, "de-usage", "at-usage"; counters live for ninety days, days for thirty-five.
package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

const (
	kindVoice = "voice"
	kindSMS   = "sms"
	kindData  = "data"
)

// Kinds of usage.
var Kinds = []string{kindVoice, kindSMS, kindData}

var (
	// monthStart is when the current billing month began. Set by the rollover job.
	monthStart = platform.Today()

	// bootFilter is what the dashboards use.
	bootFilter = bigtable.TimestampRangeFilter(time.Now().Add(-names.CounterTTL), time.Time{}) // want ttlread/stale-bound[boot]
)

// Store is the usage table of one market.
type Store struct {
	tbl    *bigtable.Table
	market string
	log    *slog.Logger
	grace  time.Duration
}

// Open opens a market's table.
func Open(c *bt.Client, market string, log *slog.Logger) *Store {
	return &Store{tbl: c.Raw().Open(names.Usage(market)), market: market, log: log}
}

// Event is a call detail record, digested.
type Event struct {
	IMSI  string    `json:"imsi"`
	Kind  string    `json:"kind"`
	Units int64     `json:"units"`
	At    time.Time `json:"at"`
	Note  string    `json:"note"`
}

// Usage is what the app shows.
type Usage struct {
	IMSI      string           `json:"imsi"`
	Units     map[string]int64 `json:"units"`
	UpdatedAt time.Time        `json:"updated_at"`
	Expires   time.Time        `json:"expires"`
	Days      []Day            `json:"days,omitempty"`
}

// Day is the usage of one day.
type Day struct {
	Date     string    `json:"date"`
	Units    int64     `json:"units"`
	Modified time.Time `json:"modified"`
}

// Add counts an event. Increments take the server's clock, which is right here: ninety days from now.
func (s *Store) Add(ctx context.Context, e Event) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamCounter, e.Kind, e.Units)              // ok ttlwrite/read-modify-write
	rmw.Increment(names.FamDay, e.At.Format("20060102"), e.Units) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, e.IMSI, rmw)
	return err
}

// Log keeps the last event.
func (s *Store) Log(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(names.FamCounter, "last_kind", bigtable.ServerTime, []byte(e.Kind))                   // ok ttlwrite/server-timestamp
	m.Set(names.FamCounter, "last_units", bigtable.Now(), bt.Bytes(e.Units))                    // ok ttlwrite/write-time
	m.Set(names.FamCounter, "note", bt.Shifted(names.DayTTL, names.CounterTTL), []byte(e.Note)) // ok ttlwrite/already-expired
	m.Set(names.FamInfo, "last", bigtable.Time(e.At), nil)                                      // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, e.IMSI, m)
}

// Backfill writes a day that came late. Old days must go at once.
func (s *Store) Backfill(ctx context.Context, e Event) error {
	day := e.At.Format("20060102")
	m := bigtable.NewMutation()
	m.Set(names.FamDay, day, bigtable.Time(e.At), bt.Bytes(e.Units))                                     // ok ttlwrite/already-expired
	m.Set(names.FamCounter, e.Kind, bigtable.Time(time.Now().Add(-names.CounterTTL)), bt.Bytes(e.Units)) // want ttlwrite/already-expired
	m.Set(names.FamCounter, "late", bigtable.Time(time.Now().Add(-names.DayTTL)), nil)                   // ok ttlwrite/already-expired
	m.Set(names.FamDay, "late", bigtable.Time(time.Now().Add(-names.CounterTTL)), nil)                   // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, e.IMSI, m)
}

// Zero resets a counter.
func (s *Store) Zero(ctx context.Context, imsi string) error {
	m := bigtable.NewMutation()
	for _, k := range Kinds {
		m.Set(names.FamCounter, k, 0, bt.Bytes(0)) // want ttlwrite/already-expired
	}
	m.Set(names.FamInfo, "reset", 0, nil) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, imsi, m)
}

// Reset writes a zero that lives as long as any other counter.
func (s *Store) Reset(ctx context.Context, imsi string) error {
	m := bigtable.NewMutation()
	for _, k := range Kinds {
		m.DeleteCellsInColumn(names.FamCounter, k)
		m.Set(names.FamCounter, k, bigtable.ServerTime, bt.Bytes(0)) // ok ttlwrite/delete-after-set
	}
	return s.tbl.Apply(ctx, imsi, m)
}

// Partner writes the counters that roaming partners send, with their own clock in seconds.
func (s *Store) Partner(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(names.FamCounter, "partner_"+e.Kind, bigtable.Timestamp(e.At.Unix()), bt.Bytes(e.Units)) // want ttlunit/wrong-unit
	m.Set(names.FamDay, "partner", bigtable.Timestamp(e.At.UnixNano()), bt.Bytes(e.Units))         // want ttlunit/wrong-unit
	m.Set(names.FamInfo, "partner", bigtable.Timestamp(platform.Epoch(e.At)*1000), nil)            // want ttlunit/wrong-unit
	m.Set(names.FamInfo, "partner_at", bigtable.Timestamp(platform.Epoch(e.At)*1e6), nil)          // ok ttlunit/wrong-unit
	m.Set(names.FamDay, "partner_ms", bt.InMillis(e.At.UnixMilli()), nil)                          // ok ttlunit/wrong-unit
	m.Set(names.FamDay, "partner_ns", bigtable.Timestamp(e.At.UnixNano()/1000), nil)               // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, e.IMSI, m)
}

// Aggregate adds to the aggregate family that the data team created. It is in no registry.
func (s *Store) Aggregate(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("agg", e.Kind, bigtable.ServerTime, e.Units)                    // want ttlwrite/aggregate-server-time
	m.AddIntToCell("agg", e.Kind+"_day", bigtable.Time(platform.Today()), e.Units) // ok ttlwrite/aggregate-server-time
	m.MergeBytesToCell("agg", "uniq", -1, []byte(e.IMSI))                          // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, e.IMSI, m)
}

// --- reads ---

// counters passes live counters.
func counters() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCounter), bt.Within(names.CounterTTL), bigtable.LatestNFilter(1))
}

// days passes live days.
func days() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDay), bt.Within(names.DayTTL), bigtable.LatestNFilter(1))
}

// Get reads the counters.
func (s *Store) Get(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(counters())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetAll reads counters and days.
func (s *Store) GetAll(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.InterleaveFilters(counters(), days()))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetQuick reads what the lock screen shows.
func (s *Store) GetQuick(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetLive reads counters like the sessions team reads sessions.
func (s *Store) GetLive(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bt.LiveIn(names.FamCounter))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetWeek reads the days of a week.
func (s *Store) GetWeek(ctx context.Context, imsi string) (*Usage, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDay), bt.Within(7*24*time.Hour)) // want ttlread/wrong-bound[week]
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(f))                                // want ttlread/wrong-bound[week]
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetDays took the counters' constant.
func (s *Store) GetDays(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamDay, names.CounterTTL))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetDaysRight did not.
func (s *Store) GetDaysRight(ctx context.Context, imsi string) (*Usage, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamDay, names.DayTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetUntilNow reads until now, so that nothing from the future comes along.
func (s *Store) GetUntilNow(ctx context.Context, imsi string) (*Usage, error) {
	now := time.Now()
	rng := bigtable.TimestampRangeFilter(now.Add(-names.DayTTL), now)                                                         // want ttlread/upper-bound[untilnow]
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDay), rng))) // want ttlread/upper-bound[untilnow]
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// GetOld reads what is older than a counter can be.
func (s *Store) GetOld(ctx context.Context, imsi string) (*Usage, error) {
	end := time.Now().Add(-names.CounterTTL)
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCounter), bigtable.TimestampRangeFilter(time.Time{}, end)))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	return s.decode(imsi, row), nil
}

// Info reads the ordinary family.
func (s *Store) Info(ctx context.Context, imsi string) (map[string]time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter(names.FamInfo))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, it := range row[names.FamInfo] {
		updated := it.Timestamp.Time() // ok ttlage/not-write-time
		out[it.Column] = updated
	}
	return out, nil
}

// Dashboard reads the counters of all subscribers with a prefix.
func (s *Store) Dashboard(ctx context.Context, prefix string) (map[string]int64, error) {
	sums := map[string]int64{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/stale-bound[boot]
		for _, it := range r[names.FamCounter] {
			sums[it.Column] += bt.Int(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCounter), bootFilter))) // want ttlread/stale-bound[boot]
	return sums, err
}

// Top lists the heaviest users.
func (s *Store) Top(ctx context.Context, kind string, n int) ([]string, error) {
	type user struct {
		imsi  string
		units int64
	}
	var users []user
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		users = append(users, user{r.Key(), bt.Int(bt.Cell(r, names.FamCounter, kind))})
		return true
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(users, func(i, j int) bool { return users[i].units > users[j].units })
	var out []string
	for _, u := range users[:min(n, len(users))] {
		out = append(out, u.imsi)
	}
	return out, nil
}

// TopLive lists them without dead counters.
func (s *Store) TopLive(ctx context.Context, kind string) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out[r.Key()] = bt.Int(bt.Cell(r, names.FamCounter, kind))
		return true
	}, bigtable.RowFilter(counters()), bigtable.LimitRows(100000))
	return out, err
}

// Keys lists subscribers.
func (s *Store) Keys(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return out, err
}

// Active says whether a subscriber used anything in ninety days.
func (s *Store) Active(ctx context.Context, imsi string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCounter), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// Checked reads counters and leaves out by hand what is too old.
func (s *Store) Checked(ctx context.Context, imsi string) (map[string]int64, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter(names.FamCounter))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	cut := bigtable.Time(time.Now().Add(-names.CounterTTL))
	out := map[string]int64{}
	for _, it := range row[names.FamCounter] {
		if it.Timestamp < cut {
			continue
		}
		out[it.Column] = bt.Int(it.Value)
	}
	return out, nil
}

// Newest believes that the newer of two cells is alive.
func (s *Store) Newest(ctx context.Context, imsi string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter(names.FamCounter))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var best bigtable.ReadItem
	for _, it := range row[names.FamCounter] {
		if it.Timestamp > best.Timestamp {
			best = it
		}
	}
	return bt.Int(best.Value), nil
}

// Report mixes counters and info.
func (s *Store) Report(ctx context.Context, imsi string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bt.Within(names.DayTTL))) // want ttlread/hides-other-families // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	doc := map[string]string{}
	for _, fam := range []string{names.FamCounter, names.FamDay, names.FamInfo} {
		for _, it := range row[fam] {
			doc[it.Column] = string(it.Value)
		}
	}
	return json.Marshal(doc)
}

// Roll copies the month's counters into the day family if the month is not closed.
func (s *Store) Roll(ctx context.Context, imsi string, units int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamDay, monthStart.Format("200601"), bigtable.ServerTime, bt.Bytes(units))              // ok ttlwrite/server-timestamp
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamDay), bigtable.ColumnFilter("closed")) // want ttlread/conditional-mutation[roll]
	return s.tbl.Apply(ctx, imsi, bigtable.NewCondMutation(pred, nil, m))                               // want ttlread/conditional-mutation[roll]
}

// RollLive does it with live marks.
func (s *Store) RollLive(ctx context.Context, imsi string, units int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamDay, monthStart.Format("200601"), bigtable.ServerTime, bt.Bytes(units)) // ok ttlwrite/server-timestamp
	pred := bigtable.ChainFilters(days(), bigtable.ColumnFilter("closed"))
	return s.tbl.Apply(ctx, imsi, bigtable.NewCondMutation(pred, nil, m)) // ok ttlread/conditional-mutation
}

func (s *Store) decode(imsi string, row bigtable.Row) *Usage {
	u := &Usage{IMSI: imsi, Units: map[string]int64{}}
	for _, it := range row[names.FamCounter] {
		u.Units[strings.TrimPrefix(it.Column, "ctr:")] = bt.Int(it.Value)
		u.UpdatedAt = it.Timestamp.Time()                     // want ttlage/not-write-time
		u.Expires = it.Timestamp.Time().Add(names.CounterTTL) // ok ttlage/not-write-time
	}
	for _, it := range row[names.FamDay] {
		u.Days = append(u.Days, Day{Date: strings.TrimPrefix(it.Column, "day:"), Units: bt.Int(it.Value), Modified: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return u
}

// Trim deletes a day, and what was written before the epoch of the platform.
func (s *Store) Trim(ctx context.Context, imsi, day string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(names.FamDay, day, 0, 999)                                          // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(names.FamDay, day, 0, bigtable.Time(time.Now().Add(-names.DayTTL))) // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(names.FamDay, day, 0, 1000)                                         // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, imsi, m)
}

// SetMonth is called by the rollover job.
func SetMonth(t time.Time) { monthStart = t }

// Merge merges two subscribers' info.
func (s *Store) Merge(ctx context.Context, from, to string) error {
	row, err := s.tbl.ReadRow(ctx, from, bigtable.RowFilter(counters())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row) == 0 {
		return errors.New("usage: nothing to merge")
	}
	m := bigtable.NewMutation()
	for _, it := range row[names.FamCounter] {
		m.Set(names.FamCounter, strings.TrimPrefix(it.Column, "ctr:"), it.Timestamp, it.Value) // ok ttlwrite/already-expired
	}
	m.Set(names.FamInfo, "merged", bigtable.Time(time.Time{}), []byte(from)) // want ttlunit/out-of-range
	m.Set(names.FamInfo, "merged_by", bigtable.Time(time.Unix(0, 0)), nil)   // ok ttlunit/out-of-range
	if err := s.tbl.Apply(ctx, to, m); err != nil {
		return fmt.Errorf("merge %s into %s: %w", from, to, err)
	}
	return nil
}
