// Package schedule starts runs at given times, from cron-like specs.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/clock"
	"example.com/flowkeep/internal/codec"
)

const (
	table     = "flow-schedules"
	famSpec   = "spec"
	famClaim  = "claim"
	famRun    = "run"
	claimTTL  = 5 * time.Minute
	keepRuns  = 10
	colSpec   = "spec"
	colPaused = "paused"
)

// Spec is when a workflow starts.
type Spec struct {
	Name     string        `json:"name"`
	Workflow string        `json:"workflow"`
	Every    time.Duration `json:"every"`
	Offset   time.Duration `json:"offset"`
	Paused   bool          `json:"paused"`
}

// ParseSpec reads "name workflow every [offset]".
func ParseSpec(s string) (Spec, error) {
	f := strings.Fields(s)
	if len(f) < 3 {
		return Spec{}, fmt.Errorf("schedule: %q has %d fields", s, len(f))
	}
	every, err := time.ParseDuration(f[2])
	if err != nil {
		return Spec{}, err
	}
	sp := Spec{Name: f[0], Workflow: f[1], Every: every}
	if len(f) > 3 {
		if n, err := strconv.Atoi(f[3]); err == nil {
			sp.Offset = time.Duration(n) * time.Second
		}
	}
	return sp, nil
}

// Next is the first start after t.
func (s Spec) Next(t time.Time) time.Time {
	return t.Truncate(s.Every).Add(s.Every + s.Offset)
}

type store interface {
	bt.ReadWriter
	bt.Counter
}

// column is one column of the table, as the writers below see it.
type column struct {
	family, name string
	at           func(*Scheduler) bigtable.Timestamp
}

func zero(*Scheduler) bigtable.Timestamp { return 0 }

// columns of a schedule that is saved.
var columns = []column{
	{famSpec, colSpec, zero}, // ok ttlwrite/clock-in-zero
	{famSpec, "revision", func(*Scheduler) bigtable.Timestamp { return 0 }}, // ok ttlwrite/clock-in-zero
	{famRun, "saved", (*Scheduler).stamp},                                   // ok ttlwrite/clock-in-zero
}

// claimColumns of a schedule that is claimed.
var claimColumns = []column{
	{famClaim, "by", (*Scheduler).until},    // ok ttlwrite/write-time
	{famClaim, "since", (*Scheduler).stamp}, // want ttlwrite/write-time[claimcols]
	{famRun, "claimed", (*Scheduler).stamp}, // ok ttlwrite/write-time
}

// Scheduler keeps specs and starts runs.
type Scheduler struct {
	tbl   store
	clk   clock.Clock
	start func(ctx context.Context, workflow, id string) error
}

// Option changes a scheduler.
type Option func(*Scheduler)

// WithClock replaces the clock.
func WithClock(c clock.Clock) Option { return func(s *Scheduler) { s.clk = c } }

// New makes a scheduler that starts runs by start.
func New(c *bigtable.Client, start func(ctx context.Context, workflow, id string) error, opts ...Option) *Scheduler {
	s := &Scheduler{tbl: c.Open(table), clk: clock.System{}, start: start}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Scheduler) stamp() bigtable.Timestamp { return bigtable.Time(s.clk.Now()) }

func (s *Scheduler) until() bigtable.Timestamp { return bigtable.Time(s.clk.Now().Add(claimTTL)) }

// Save stores sp.
func (s *Scheduler) Save(ctx context.Context, sp Spec) error {
	mut := bigtable.NewMutation()
	for _, c := range columns {
		mut.Set(c.family, c.name, c.at(s), codec.Must(sp)) // ok ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, sp.Name, mut)
}

// Claim takes a schedule for one start.
func (s *Scheduler) Claim(ctx context.Context, name, worker string) error {
	mut := bigtable.NewMutation()
	for _, c := range claimColumns {
		mut.Set(c.family, c.name, c.at(s), []byte(worker)) // want ttlwrite/write-time[claimcols]
	}
	return s.tbl.Apply(ctx, name, mut)
}

// Pause stops a schedule.
func (s *Scheduler) Pause(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSpec, colPaused, bigtable.Now(), []byte{1}) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, name, mut)
}

// Resume starts it again.
func (s *Scheduler) Resume(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famSpec, colPaused)
	mut.Set(famSpec, colPaused, 0, []byte{0}) // ok ttlwrite/clock-in-zero // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, name, mut)
}

// Revise counts the revisions of a spec.
func (s *Scheduler) Revise(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famSpec, "revision", 1) // want ttlwrite/read-modify-write
	rmw.Increment(famRun, "revisions", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	return err
}

// Started records a start.
func (s *Scheduler) Started(ctx context.Context, name, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(famRun, "last", bigtable.Now(), []byte(id))       // ok ttlwrite/clock-in-zero
	mut.Set(famSpec, "last", bigtable.ServerTime, []byte(id)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, name, mut)
}

func spec(row bigtable.Row) (Spec, error) {
	b, ok := bt.Value(row, famSpec, colSpec)
	if !ok {
		return Spec{}, bt.ErrNotFound
	}
	return codec.JSON[Spec]{}.Decode(b)
}

// Get reads a spec.
func (s *Scheduler) Get(ctx context.Context, name string) (Spec, error) {
	return bt.One(ctx, s.tbl, name, spec, bigtable.RowFilter(bt.In(famSpec))) // ok ttlread/missing-filter
}

// Specs calls f with all specs.
func (s *Scheduler) Specs(ctx context.Context, f func(Spec) bool) error {
	return bt.Each(ctx, s.tbl, bigtable.InfiniteRange(""), spec, f, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famSpec), bigtable.ColumnFilter(colSpec)))) // ok ttlread/missing-filter
}

// Claimed says who has a schedule.
func (s *Scheduler) Claimed(ctx context.Context, name string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, name, bigtable.RowFilter(bt.In(famClaim))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	by, _ := bt.Value(row, famClaim, "by")
	return string(by), nil
}

// ClaimedNow is Claimed, for live claims.
func (s *Scheduler) ClaimedNow(ctx context.Context, name string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, name, bigtable.RowFilter(bt.In(famClaim, bt.Live(s.clk.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	by, _ := bt.Value(row, famClaim, "by")
	return string(by), nil
}

// Status is a schedule and who works on it.
type Status struct {
	Spec      Spec
	ClaimedBy string
	Last      time.Time
	UpdatedAt time.Time
}

func (s *Scheduler) status(row bigtable.Row) (Status, error) {
	var st Status
	var err error
	if st.Spec, err = spec(row); err != nil {
		return st, err
	}
	by, _ := bt.Value(row, famClaim, "by")
	st.ClaimedBy = string(by)
	for _, it := range row[famRun] {
		if it.Column == famRun+":last" {
			st.Last = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row[famSpec] {
		if it.Column == famSpec+":"+colSpec {
			st.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return st, nil
}

// Status reads everything about one schedule.
func (s *Scheduler) Status(ctx context.Context, name string) (Status, error) {
	return bt.One(ctx, s.tbl, name, s.status) // want ttlread/missing-filter
}

// StatusLive reads it with a bare bound.
func (s *Scheduler) StatusLive(ctx context.Context, name string) (Status, error) {
	return bt.One(ctx, s.tbl, name, s.status, bigtable.RowFilter(bt.Live(s.clk.Now()))) // want ttlread/hides-other-families
}

// StatusAll reads all of them, each family by its rule.
func (s *Scheduler) StatusAll(ctx context.Context, f func(Status) bool) error {
	filter := bigtable.InterleaveFilters(
		bigtable.FamilyFilter("spec|run"),     // ok ttlread/unfiltered-branch
		bt.In(famClaim, bt.Live(s.clk.Now())), // ok ttlread/unfiltered-branch
	)
	return bt.Each(ctx, s.tbl, bigtable.InfiniteRange(""), s.status, f, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
}

// StatusPage is StatusAll with claims that never end.
func (s *Scheduler) StatusPage(ctx context.Context, f func(Status) bool) error {
	filter := bigtable.InterleaveFilters(bigtable.FamilyFilter("spec"), bigtable.FamilyFilter("run|claim")) // want ttlread/unfiltered-branch[statuspage]
	return bt.Each(ctx, s.tbl, bigtable.InfiniteRange(""), s.status, f, bigtable.RowFilter(filter))         // want ttlread/unfiltered-branch[statuspage]
}

// Run starts what is due, until ctx ends.
func (s *Scheduler) Run(ctx context.Context, worker string, tick <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick:
			if err := s.round(ctx, worker, now); err != nil {
				return err
			}
		}
	}
}

func (s *Scheduler) round(ctx context.Context, worker string, now time.Time) error {
	var errs []error
	err := s.StatusAll(ctx, func(st Status) bool {
		if st.Spec.Paused || st.ClaimedBy != "" || st.Spec.Next(st.Last).After(now) {
			return true
		}
		id := fmt.Sprintf("%s-%d", st.Spec.Name, now.Unix()) // ok ttlunit/wrong-unit
		errs = append(errs, s.Claim(ctx, st.Spec.Name, worker), s.start(ctx, st.Spec.Workflow, id), s.Started(ctx, st.Spec.Name, id))
		return ctx.Err() == nil
	})
	return errors.Join(append(errs, err)...)
}
