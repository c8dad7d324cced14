// Package history keeps the events of workflow runs, by sequence number.
package history

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

const (
	// Table holds the events of the runs, AuditTable what auditors read.
	Table      = "flow-history"
	AuditTable = "flow-audit"

	// FamEvent is a family of both tables, with two meanings.
	FamEvent = "event"
	// FamSnap holds snapshots.
	FamSnap = "snap"
)

// Kind is the kind of an event.
type Kind string

// Event is something that happened in a run.
type Event struct {
	Seq  int64             `json:"seq"`
	Kind Kind              `json:"kind"`
	At   time.Time         `json:"at"`
	Body map[string]any    `json:"body,omitempty"`
	Meta map[string]string `json:"meta,omitempty"`
}

type store interface {
	bt.ReadWriter
	bt.BulkApplier
}

// Log appends and reads events.
type Log struct {
	tbl   store
	audit bt.Applier
	enc   codec.Codec[Event]
	log   *slog.Logger

	mu    sync.Mutex
	next  map[string]int64
	last  int64
	seq   atomic.Int64
	steps atomic.Int64
}

// Option changes a log.
type Option func(*Log)

// WithCodec replaces JSON.
func WithCodec(c codec.Codec[Event]) Option { return func(l *Log) { l.enc = c } }

// WithLogger sets the logger.
func WithLogger(s *slog.Logger) Option { return func(l *Log) { l.log = s } }

// Open opens the log of an instance.
func Open(c *bigtable.Client, opts ...Option) *Log {
	l := &Log{tbl: c.Open(Table), audit: c.Open(AuditTable), enc: codec.JSON[Event]{}, log: slog.Default(), next: map[string]int64{}}
	for _, o := range opts {
		o(l)
	}
	return l
}

// Append appends events that have their numbers.
func (l *Log) Append(ctx context.Context, run string, evs ...Event) error {
	mut := bigtable.NewMutation()
	for _, ev := range evs {
		b, err := l.enc.Encode(ev)
		if err != nil {
			return err
		}
		mut.Set(FamEvent, "body", bt.Seq(ev.Seq), b) // ok ttlwrite/unscaled-sequence // ok ttlwrite/same-timestamp
	}
	if err := l.tbl.Apply(ctx, run, mut); err != nil {
		return fmt.Errorf("append to %s: %w", run, err)
	}
	return l.auditAll(ctx, run, evs)
}

func (l *Log) auditAll(ctx context.Context, run string, evs []Event) error {
	mut := bigtable.NewMutation()
	for i, ev := range evs {
		mut.Set(FamEvent, fmt.Sprintf("%s-%d", ev.Kind, i), bigtable.Now(), codec.Must(ev)) // ok ttlwrite/clock-in-sequence
	}
	return l.audit.Apply(ctx, run, mut)
}

// AppendBatch numbers the events itself.
func (l *Log) AppendBatch(ctx context.Context, run string, evs []Event) error {
	mut := bigtable.NewMutation()
	for i, ev := range evs {
		mut.Set(FamEvent, "body", bigtable.Timestamp(i+1), codec.Must(ev)) // want ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, run, mut)
}

// AppendFrom numbers them from base on.
func (l *Log) AppendFrom(ctx context.Context, run string, base int64, evs []Event) error {
	mut := bigtable.NewMutation()
	for i, ev := range evs {
		n := base + int64(i)
		mut.Set(FamEvent, "body", bigtable.Timestamp(n*1000), codec.Must(ev)) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, run, mut)
}

// AppendMarker writes an event that has no body.
func (l *Log) AppendMarker(ctx context.Context, run string, k Kind) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvent, "marker", bigtable.Timestamp(l.seq.Add(1)), []byte(k)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// AppendMarkerScaled is AppendMarker after the incident.
func (l *Log) AppendMarkerScaled(ctx context.Context, run string, k Kind) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvent, "marker", bigtable.Timestamp(l.seq.Add(1)*1000), []byte(k))         // ok ttlwrite/unscaled-sequence
	mut.Set(FamEvent, "marker-by-step", bigtable.Timestamp(l.steps.Add(1000)), []byte(k)) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// AppendNext takes the next number of run.
func (l *Log) AppendNext(ctx context.Context, run string, ev Event) error {
	l.mu.Lock()
	l.next[run]++
	n := l.next[run]
	l.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(FamEvent, "body", bt.Raw(n), codec.Must(ev)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// AppendLocal is for the embedded engine, which has one run only.
func (l *Log) AppendLocal(ctx context.Context, run string, ev Event) error {
	l.mu.Lock()
	l.last++
	ts := bigtable.Timestamp(l.last) // want ttlwrite/unscaled-sequence[local]
	l.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(FamEvent, "body", ts, codec.Must(ev)) // want ttlwrite/unscaled-sequence[local]
	return l.tbl.Apply(ctx, run, mut)
}

// Start writes the first event of a run.
func (l *Log) Start(ctx context.Context, run string, input []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvent, "input", bigtable.Timestamp(1), input)          // want ttlwrite/unscaled-sequence
	mut.Set(FamSnap, "state", bigtable.Timestamp(1000), []byte("{}")) // ok ttlwrite/unscaled-sequence
	mut.Set(FamSnap, "zero", 0, nil)                                  // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// Import takes over events from the old engine, which knew times only.
func (l *Log) Import(ctx context.Context, run string, evs []Event) error {
	keys, muts := make([]string, 0, len(evs)), make([]*bigtable.Mutation, 0, len(evs))
	for _, ev := range evs {
		mut := bigtable.NewMutation()
		mut.Set(FamEvent, "body", bigtable.Time(ev.At), codec.Must(ev)) // want ttlwrite/clock-in-sequence
		keys, muts = append(keys, run), append(muts, mut)
	}
	_, err := l.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// ImportNumbered takes over events that had millisecond numbers.
func (l *Log) ImportNumbered(ctx context.Context, run string, evs []Event) error {
	keys, muts := make([]string, 0, len(evs)), make([]*bigtable.Mutation, 0, len(evs))
	for _, ev := range evs {
		mut := bigtable.NewMutation()
		mut.Set(FamEvent, "body", bigtable.Time(time.UnixMilli(ev.Seq)), codec.Must(ev)) // ok ttlwrite/clock-in-sequence
		keys, muts = append(keys, run), append(muts, mut)
	}
	_, err := l.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Snapshot stores state as of seq.
func (l *Log) Snapshot(ctx context.Context, run string, seq int64, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(FamSnap, "state", bt.Seq(seq), state) // ok ttlwrite/clock-in-sequence
	mut.Set(FamSnap, "taken", bt.Stamp(), nil)    // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// SnapshotOnly is called by compaction.
func (l *Log) SnapshotOnly(ctx context.Context, run string, evs []Event, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(FamSnap, "state", bigtable.Timestamp(len(evs)), state) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// SnapshotMicros is called by the exporter.
func (l *Log) SnapshotMicros(ctx context.Context, run string, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(FamSnap, "state", bigtable.Timestamp(time.Now().UnixMicro()), state) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, run, mut)
}

// SnapshotServer leaves the timestamp to the server.
func (l *Log) SnapshotServer(ctx context.Context, run string, state []byte) error {
	ts := bigtable.ServerTime
	mut := bigtable.NewMutation()
	mut.Set(FamSnap, "state", ts, state) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, run, mut)
}

func decodeEvents(row bigtable.Row) ([]Event, error) {
	var out []Event
	for _, it := range row[FamEvent] {
		ev, err := codec.JSON[Event]{}.Decode(it.Value)
		if err != nil {
			return nil, err
		}
		ev.Seq = bt.SeqOf(it.Timestamp) // ok ttlage/not-write-time
		out = append(out, ev)
	}
	return out, nil
}

func decodeSnap(row bigtable.Row) ([]byte, error) {
	b, ok := bt.Value(row, FamSnap, "state")
	if !ok {
		return nil, bt.ErrNotFound
	}
	return b, nil
}

// Tail reads the last events.
func (l *Log) Tail(ctx context.Context, run string) ([]Event, error) {
	return bt.One(ctx, l.tbl, run, decodeEvents, bigtable.RowFilter(bt.In(FamEvent, bt.Newest(5)))) // ok ttlread/version-limit
}

// LastEvent reads one event.
func (l *Log) LastEvent(ctx context.Context, run string) ([]Event, error) {
	return bt.One(ctx, l.tbl, run, decodeEvents, bigtable.RowFilter(bt.In(FamEvent, bigtable.ColumnFilter("body"), bt.Newest(1)))) // ok ttlread/version-limit
}

// All reads what is there.
func (l *Log) All(ctx context.Context, run string) ([]Event, error) {
	return bt.One(ctx, l.tbl, run, decodeEvents, bigtable.RowFilter(bigtable.FamilyFilter(FamEvent))) // want ttlread/version-limit
}

// Everything reads what is there, without thinking.
func (l *Log) Everything(ctx context.Context, run string) ([]Event, error) {
	return bt.One(ctx, l.tbl, run, decodeEvents) // want ttlread/missing-filter
}

// Recent reads the events of the last hour, or so its author believed.
func (l *Log) Recent(ctx context.Context, run string) ([]Event, error) {
	f := bt.In(FamEvent, bt.Since(time.Now(), time.Hour))               // want ttlread/wrong-bound[recent]
	return bt.One(ctx, l.tbl, run, decodeEvents, bigtable.RowFilter(f)) // want ttlread/wrong-bound[recent]
}

// Between reads the events with numbers from a to b.
func (l *Log) Between(ctx context.Context, run string, a, b int64) ([]Event, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamEvent),
		bigtable.TimestampRangeFilterMicros(bt.Seq(a), bt.Seq(b)), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(5))
	return bt.One(ctx, l.tbl, run, decodeEvents, bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

// State reads the newest snapshot.
func (l *Log) State(ctx context.Context, run string) ([]byte, error) {
	return bt.One(ctx, l.tbl, run, decodeSnap, bigtable.RowFilter(bt.In(FamSnap, bt.Newest(1)))) // ok ttlread/version-limit
}

// States reads three snapshots, of which two are kept.
func (l *Log) States(ctx context.Context, run string) ([]byte, error) {
	return bt.One(ctx, l.tbl, run, decodeSnap, bigtable.RowFilter(bt.In(FamSnap, bt.Newest(3)))) // want ttlread/version-limit
}

// StateNow reads the snapshot with the filter of the leases.
func (l *Log) StateNow(ctx context.Context, run string) ([]byte, error) {
	return bt.One(ctx, l.tbl, run, decodeSnap, bigtable.RowFilter(bt.In(FamSnap, bt.Live(time.Now())))) // want ttlread/wrong-bound
}

// Failures looks for failed events.
func (l *Log) Failures(ctx context.Context, prefix string, f func([]Event) bool) error {
	failed := bigtable.ChainFilters(bigtable.FamilyFilter(FamEvent), bigtable.ValueFilter(`.*"failed".*`), bigtable.LatestNFilter(1)) // want ttlread/version-limit[failed]
	return bt.Each(ctx, l.tbl, bigtable.PrefixRange(prefix), decodeEvents, f, bigtable.RowFilter(failed))                             // want ttlread/version-limit[failed]
}

// FailuresNow looks at the newest events only.
func (l *Log) FailuresNow(ctx context.Context, prefix string, f func([]Event) bool) error {
	failed := bigtable.ChainFilters(bigtable.FamilyFilter(FamEvent), bigtable.LatestNFilter(1), bigtable.ValueFilter(`.*"failed".*`))
	return bt.Each(ctx, l.tbl, bigtable.PrefixRange(prefix), decodeEvents, f, bigtable.RowFilter(failed)) // ok ttlread/version-limit
}

// Exists says whether the run has any history.
func (l *Log) Exists(ctx context.Context, run string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, run, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamEvent), bigtable.StripValueFilter()))) // ok ttlread/version-limit
	return len(row) > 0, err
}

// Runs lists the keys of all runs.
func (l *Log) Runs(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return keys, err
}

// Lag is how far behind the last event is.
func (l *Log) Lag(ctx context.Context, run string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, run, bigtable.RowFilter(bt.In(FamEvent, bt.Newest(1))))
	if err != nil || len(row[FamEvent]) == 0 {
		return 0, err
	}
	return time.Since(row[FamEvent][0].Timestamp.Time()), nil // want ttlage/not-write-time
}

// LagOf uses what the event says about itself.
func (l *Log) LagOf(ctx context.Context, run string) (time.Duration, error) {
	evs, err := l.LastEvent(ctx, run)
	if err != nil || len(evs) == 0 {
		return 0, err
	}
	return time.Since(evs[0].At), nil // ok ttlage/not-write-time
}

// Describe logs the state of a run.
func (l *Log) Describe(ctx context.Context, run string) error {
	row, err := l.tbl.ReadRow(ctx, run, bigtable.RowFilter(bt.In(FamSnap, bt.Newest(2))))
	if err != nil {
		return err
	}
	for _, it := range row[FamSnap] {
		l.log.InfoContext(ctx, "snapshot", "run", run, "written", it.Timestamp.Time())   // want ttlage/not-write-time
		l.log.InfoContext(ctx, "snapshot", "run", run, "number", bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
	}
	return nil
}

// Truncate drops events up to and with seq.
func (l *Log) Truncate(ctx context.Context, run string, seq int64) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(FamEvent, "body", 0, bt.Seq(seq+1)) // ok ttlunit/sub-millisecond
	return l.tbl.Apply(ctx, run, mut)
}

// TruncateFirst drops the very first event.
func (l *Log) TruncateFirst(ctx context.Context, run string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(FamEvent, "body", 0, 1) // want ttlunit/sub-millisecond
	return l.tbl.Apply(ctx, run, mut)
}
