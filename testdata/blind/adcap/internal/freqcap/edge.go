package freqcap

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Edge is the store at the edge locations, with its own habits.
type Edge struct {
	bt.Applier
	reads bt.RowReader
	scans bt.RowScanner
	loc   *time.Location
	base  []bigtable.ReadOption
	mode  Mode
}

// Mode chooses what a read returns.
type Mode int

// Modes.
const (
	ModeLive Mode = iota
	ModeStored
	ModeSegments
)

// NewEdge opens the table.
func NewEdge(c *bigtable.Client, loc *time.Location, mode Mode) *Edge {
	tbl := c.Open(schema.TableFreqCap)
	return &Edge{Applier: tbl, reads: tbl, scans: tbl, loc: loc, mode: mode, base: []bigtable.ReadOption{bigtable.LimitRows(100)}}
}

var edgeNow = sync.OnceValue(time.Now) // want ttlwrite/stale-clock[edgenow]

// Mark writes cells in the many ways the edge team found.
func (e *Edge) Mark(ctx context.Context, user string, life time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "utc", bigtable.Time(time.Now().UTC()), nil)                              // want ttlwrite/write-time
	m.Set(schema.FamCap, "loc", bigtable.Time(time.Now().In(e.loc)), nil)                          // want ttlwrite/write-time
	m.Set(schema.FamCap, "loc+", bigtable.Time(time.Now().In(e.loc).Add(life)), nil)               // ok ttlwrite/write-time
	m.Set(schema.FamCap, "date", bigtable.Time(time.Now().AddDate(0, 0, 1)), nil)                  // ok ttlwrite/write-time ttlwrite/already-expired
	m.Set(schema.FamCap, "yesterday", bigtable.Time(time.Now().AddDate(0, 0, -1)), nil)            // want ttlwrite/already-expired
	m.Set(schema.FamCap, "once", bigtable.Time(edgeNow().Add(time.Hour)), nil)                     // want ttlwrite/stale-clock[edgenow]
	m.Set(schema.FamCap, "or", cmp.Or(fromContext(ctx), mutate.Until(time.Now(), time.Hour)), nil) // ok ttlwrite/write-time
	m.Set(schema.FamCap, "micro", bigtable.Timestamp(time.Now().UnixMicro()), nil)                 // want ttlwrite/write-time
	m.Set(schema.FamCap, "micro+", bigtable.Timestamp(time.Now().Add(life).UnixMicro()), nil)      // ok ttlwrite/write-time
	m.Set(schema.FamCap, "nano", bigtable.Timestamp(time.Now().UnixNano()/1e3), nil)               // want ttlwrite/write-time
	m.Set(schema.FamSeen, "utc", bigtable.Time(time.Now().UTC()), nil)                             // ok ttlwrite/write-time
	return e.Apply(ctx, user, m)
}

type ctxKey struct{}

func fromContext(ctx context.Context) bigtable.Timestamp {
	ts, _ := ctx.Value(ctxKey{}).(bigtable.Timestamp)
	return ts
}

// Deadline writes a cap that lives as long as the request.
func (e *Edge) Deadline(ctx context.Context, user string) error {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(time.Minute)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "request", bigtable.Time(until), nil) // ok ttlwrite/write-time
	return e.Apply(ctx, user, m)
}

// DeadlineNow falls back to the present.
func (e *Edge) DeadlineNow(ctx context.Context, user string) error {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now()
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "request", bigtable.Time(until), nil) // want ttlwrite/write-time
	return e.Apply(ctx, user, m)
}

// stampWith is given a clock.
func stampWith(now func() time.Time, plus time.Duration) bigtable.Timestamp {
	return bigtable.Time(now().Add(plus))
}

// Injected uses it.
func (e *Edge) Injected(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "a", stampWith(time.Now, time.Hour), nil)  // ok ttlwrite/write-time
	m.Set(schema.FamCap, "b", stampWith(time.Now, 0), nil)          // want ttlwrite/write-time
	m.Set(schema.FamCap, "c", stampWith(time.Now, -time.Hour), nil) // want ttlwrite/already-expired
	m.Set(schema.FamSeen, "a", stampWith(time.Now, 0), nil)         // ok ttlwrite/write-time
	return e.Apply(ctx, user, m)
}

// Queue builds mutations in closures.
func (e *Edge) Queue(ctx context.Context, users []string) error {
	var jobs []func() error
	for _, u := range users {
		m := bigtable.NewMutation()
		put := func(column string, ts bigtable.Timestamp) { m.Set(schema.FamCap, column, ts, nil) }
		put("edge", mutate.Until(time.Now(), time.Hour)) // ok ttlwrite/write-time
		put("mark", bigtable.Now())                      // want ttlwrite/write-time
		jobs = append(jobs, func() error { return e.Apply(ctx, u, m) })
	}
	for _, j := range jobs {
		if err := j(); err != nil {
			return err
		}
	}
	return nil
}

// ByMode reads by the mode of the store.
func (e *Edge) ByMode(ctx context.Context, user string) (*Profile, error) {
	var f bigtable.Filter
	switch e.mode {
	case ModeLive:
		f = filters.FreqCap(time.Now())
	case ModeStored:
		f = bigtable.PassAllFilter()
	default:
		f = bigtable.FamilyFilter(schema.FamSeg)
	}
	row, err := e.reads.ReadRow(ctx, user, bigtable.RowFilter(f)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func modeFilter(m Mode, now time.Time) bigtable.Filter {
	switch m {
	case ModeLive:
		return filters.FreqCap(now)
	case ModeSegments:
		return bigtable.FamilyFilter(schema.FamSeg)
	}
	return bigtable.PassAllFilter()
}

// Live passes the mode.
func (e *Edge) Live(ctx context.Context, user string) (bigtable.Row, error) {
	return e.reads.ReadRow(ctx, user, bigtable.RowFilter(modeFilter(ModeLive, time.Now()))) // ok ttlread/missing-filter
}

// Stored passes another one.
func (e *Edge) Stored(ctx context.Context, user string) (bigtable.Row, error) {
	return e.reads.ReadRow(ctx, user, bigtable.RowFilter(modeFilter(ModeStored, time.Now()))) // want ttlread/missing-filter
}

// SegmentRow passes the third.
func (e *Edge) SegmentRow(ctx context.Context, user string) (bigtable.Row, error) {
	return e.reads.ReadRow(ctx, user, bigtable.RowFilter(modeFilter(ModeSegments, time.Now()))) // ok ttlread/missing-filter
}

// Page appends its filter to the options of the store.
func (e *Edge) Page(ctx context.Context, start string) (caps int, err error) {
	opts := slices.Concat(e.base, []bigtable.ReadOption{bigtable.RowFilter(filters.LiveFamily(schema.FamCap, time.Now()))})
	err = e.scans.ReadRows(ctx, bigtable.InfiniteRange(start), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		caps += len(r[schema.FamCap])
		return true
	}, opts...)
	return caps, err
}

// PageStored uses only the options of the store.
func (e *Edge) PageStored(ctx context.Context, start string) (caps int, err error) {
	err = e.scans.ReadRows(ctx, bigtable.InfiniteRange(start), func(r bigtable.Row) bool { // want ttlread/missing-filter
		caps += len(r[schema.FamCap])
		return true
	}, e.base...)
	return caps, err
}

// Conditional has its live filter in the predicate only.
func (e *Edge) Conditional(ctx context.Context, user string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter(filters.LiveFamily(schema.FamCap, time.Now()), bigtable.FamilyFilter(schema.FamCap), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[edgecond]
	return e.reads.ReadRow(ctx, user, bigtable.RowFilter(f))                                                                                      // want ttlread/unfiltered-branch[edgecond]
}

// ConditionalBoth bounds the branch, too.
func (e *Edge) ConditionalBoth(ctx context.Context, user string) (bigtable.Row, error) {
	now := time.Now()
	f := bigtable.ConditionFilter(filters.LiveFamily(schema.FamCap, now), filters.LiveFamily(schema.FamCap, now), bigtable.BlockAllFilter()) // ok ttlread/unfiltered-branch
	return e.reads.ReadRow(ctx, user, bigtable.RowFilter(f))                                                                                 // ok ttlread/unfiltered-branch
}

// Grace lets the last second pass.
func (e *Edge) Grace(ctx context.Context, user string) (bigtable.Row, error) {
	return e.reads.ReadRow(ctx, user, filters.For(schema.FamCap).From(time.Now().Add(-time.Second)).Option()) // ok ttlread/wrong-bound
}

// GraceMinute lets the last minute pass.
func (e *Edge) GraceMinute(ctx context.Context, user string) (bigtable.Row, error) {
	return e.reads.ReadRow(ctx, user, filters.For(schema.FamCap).From(time.Now().Add(-time.Minute)).Option()) // want ttlread/wrong-bound
}

// Ages reads live caps and reports how long ago they were made.
func (e *Edge) Ages(ctx context.Context, user string) (map[string]time.Duration, error) {
	row, err := e.reads.ReadRow(ctx, user, filters.For(schema.FamCap).From(time.Now()).Option()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	ages := make(map[string]time.Duration)
	for _, it := range row[schema.FamCap] {
		written := it.Timestamp.Time()         // want ttlage/not-write-time[edgeages]
		ages[column(it)] = time.Since(written) // want ttlage/not-write-time[edgeages]
	}
	return ages, nil
}

// Left reports how long they live.
func (e *Edge) Left(ctx context.Context, user string) (map[string]time.Duration, error) {
	row, err := e.reads.ReadRow(ctx, user, filters.For(schema.FamCap).From(time.Now()).Option()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	left := make(map[string]time.Duration)
	for _, it := range row[schema.FamCap] {
		until := it.Timestamp.Time()
		left[column(it)] = time.Until(until) // ok ttlage/not-write-time
	}
	return left, nil
}
