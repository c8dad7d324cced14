// Package journal appends events to journals, one per kind of aggregate, and
// replays them. The version of an event is its timestamp.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// ErrConflict is returned when another writer was faster.
var ErrConflict = errors.New("journal: version conflict")

// Version numbers the events of an aggregate from 1.
type Version int64

// TS is the cell timestamp of a version.
func (v Version) TS() bigtable.Timestamp {
	return bigtable.Timestamp(v) * bigtable.Timestamp(time.Millisecond/time.Microsecond) // ok ttlunit/wrong-unit
}

// VersionOf is the version of a cell.
func VersionOf(it bigtable.ReadItem) Version { return Version(it.Timestamp / 1000) }

// Event is something that happened to an aggregate.
type Event struct {
	Aggregate string          `json:"agg"`
	Version   Version         `json:"v"`
	Type      string          `json:"t"`
	At        time.Time       `json:"at"`
	Data      json.RawMessage `json:"d"`
}

// State is what events are folded into.
type State interface {
	Apply(Event) error
}

// Journal is the journal of one kind of aggregate.
type Journal struct {
	tbl  bt.Table
	kind string
	log  *slog.Logger
	// every is how many events there are between snapshots.
	every Version
}

// Option configures a Journal.
type Option func(*Journal)

// SnapshotEvery sets how often snapshots are taken.
func SnapshotEvery(n int) Option { return func(j *Journal) { j.every = Version(n) } }

// Open opens the journal of a kind.
func Open(o bt.Opener, kind string, log *slog.Logger, opts ...Option) *Journal {
	j := &Journal{tbl: bt.Open(o, schema.JournalPrefix+kind), kind: kind, log: log, every: 100}
	for _, opt := range opts {
		opt(j)
	}
	return j
}

// column is where an event stands: events have one column per type, so that
// the newest of a type is cheap to read.
func column(e Event) string { return "e_" + e.Type }

// Append appends events after version have.
func (j *Journal) Append(ctx context.Context, have Version, events ...Event) (Version, error) {
	m := bigtable.NewMutation()
	v := have
	for _, e := range events {
		v++
		e.Version = v
		b, err := json.Marshal(e)
		if err != nil {
			return have, err
		}
		m.Set(schema.FamEvent, column(e), v.TS(), b) // ok ttlwrite/unscaled-sequence
	}
	m.Set(schema.FamEvent, "head", v.TS(), fmt.Append(nil, v)) // ok ttlwrite/unscaled-sequence
	return v, j.tbl.Apply(ctx, events[0].Aggregate, m)
}

// AppendOne appends an event from a caller that does not track versions.
func (j *Journal) AppendOne(ctx context.Context, e Event) error {
	head, err := j.Head(ctx, e.Aggregate)
	if err != nil {
		return err
	}
	head++
	e.Version = head
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, column(e), bigtable.Timestamp(head), b)   // want ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "head", head.TS(), fmt.Append(nil, head)) // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, e.Aggregate, m)
}

// Head reads the newest version of an aggregate.
func (j *Journal) Head(ctx context.Context, aggregate string) (Version, error) {
	row, err := j.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.ColumnFilter("head"),
		bigtable.LatestNFilter(1), // ok ttlread/version-limit
	)))
	if err != nil {
		return 0, err
	}
	for it := range bt.Cells(row, schema.FamEvent) {
		return VersionOf(it), nil
	}
	return 0, nil
}

// Replay folds the events of an aggregate into a state.
func (j *Journal) Replay(ctx context.Context, aggregate string, s State) (Version, error) {
	row, err := j.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(bt.In(schema.FamEvent, bigtable.ColumnFilter("e_.*")))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var v Version
	for it := range bt.Cells(row, schema.FamEvent) {
		var e Event
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return v, fmt.Errorf("replay %s@%d: %w", aggregate, VersionOf(it), err)
		}
		if err := s.Apply(e); err != nil {
			return v, err
		}
		v = max(v, e.Version)
	}
	return v, nil
}

// Newest reads the newest event of each type.
func (j *Journal) Newest(ctx context.Context, aggregate string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		row, err := j.tbl.ReadRow(ctx, aggregate, bt.Where(schema.FamEvent).Column("e_.*").Latest(1).Option()) // ok ttlread/version-limit
		if err != nil {
			yield(Event{}, err)
			return
		}
		for it := range bt.Cells(row, schema.FamEvent) {
			var e Event
			err := json.Unmarshal(it.Value, &e)
			if !yield(e, err) {
				return
			}
		}
	}
}

// Tail ranges over aggregates with events after t.
func (j *Journal) Tail(ctx context.Context, t time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.TimestampRangeFilter(t, time.Now()), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[tail]
		for row, err := range bt.Rows(ctx, j.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(f)) {                                              // want ttlread/wrong-bound[tail]
			if err != nil {
				yield("", err)
				return
			}
			for it := range bt.Cells(row, schema.FamEvent) {
				if !yield(string(it.Value), nil) {
					return
				}
			}
		}
	}
}

// Between reads the events of versions from to to.
func (j *Journal) Between(ctx context.Context, aggregate string, from, to Version) ([]Event, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.LatestNFilter(1),
		bigtable.TimestampRangeFilterMicros(from.TS(), to.TS()+1000), // ok ttlread/wrong-bound
	)
	row, err := j.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Event
	for it := range bt.Cells(row, schema.FamEvent) {
		var e Event
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Snapshot stores a state.
func (j *Journal) Snapshot(ctx context.Context, aggregate string, v Version, s State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamSnap, "state", v.TS(), b)                                               // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamSnap, "taken", bigtable.Now(), []byte(time.Now().Format(time.RFC3339))) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamSnap, "kind", v.TS(), []byte(j.kind))                                   // ok ttlwrite/clock-in-sequence
	return j.tbl.Apply(ctx, aggregate, m)
}

// Restore reads the newest snapshot. A second one is kept for the case that
// the newest cannot be decoded.
func (j *Journal) Restore(ctx context.Context, aggregate string, s State) (Version, error) {
	row, err := j.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(bt.In(schema.FamSnap, bigtable.ColumnFilter("state"), bigtable.LatestNFilter(schema.SnapVersions)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var errs []error
	for it := range bt.Cells(row, schema.FamSnap) {
		if err := json.Unmarshal(it.Value, s); err != nil {
			errs = append(errs, err)
			continue
		}
		return VersionOf(it), nil
	}
	return 0, errors.Join(errs...)
}

// Snapshots lists the snapshots of all aggregates.
func (j *Journal) Snapshots(ctx context.Context) (map[string]Version, error) {
	out := map[string]Version{}
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[snapshots]
		for _, it := range r[schema.FamSnap] {
			out[r.Key()] = max(out[r.Key()], VersionOf(it))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSnap), bigtable.LatestNFilter(3), bigtable.StripValueFilter()))) // want ttlread/version-limit[snapshots]
	return out, err
}

// Truncate forgets an aggregate. The tombstone outranks every event.
func (j *Journal) Truncate(ctx context.Context, aggregate string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamEvent)
	m.DeleteCellsInFamily(schema.FamSnap)
	m.Set(schema.FamEvent, "tombstone", bigtable.Timestamp(math.MaxInt64/1000*1000), nil) // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, aggregate, m)
}

// Init writes the first cells of an aggregate.
func (j *Journal) Init(ctx context.Context, aggregate, owner string) error {
	const first, second = 1, 2
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "e_created", bigtable.Timestamp(first), []byte(owner))     // want ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "e_owned", bigtable.Timestamp(second*1000), []byte(owner)) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamEvent, "head", Version(second).TS(), fmt.Append(nil, second))     // ok ttlwrite/unscaled-sequence
	return j.tbl.Apply(ctx, aggregate, m)
}

// AppendIf appends one event if the head is what the caller thinks it is.
func (j *Journal) AppendIf(ctx context.Context, have Version, e Event) error {
	e.Version = have + 1
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	unchanged := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.ColumnFilter("head"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(fmt.Sprint(have)),
	)
	set := bigtable.NewMutation()
	set.Set(schema.FamEvent, column(e), e.Version.TS(), b)                       // ok ttlwrite/unscaled-sequence
	set.Set(schema.FamEvent, "head", e.Version.TS(), fmt.Append(nil, e.Version)) // ok ttlwrite/unscaled-sequence
	var ok bool
	cond := bigtable.NewCondMutation(unchanged, set, nil) // ok ttlread/conditional-mutation
	if err := j.tbl.Apply(ctx, e.Aggregate, cond, bigtable.GetCondMutationResult(&ok)); err != nil {
		return err
	}
	if !ok {
		return ErrConflict
	}
	return nil
}

// Bump advances the head of an aggregate that has no events of its own.
func (j *Journal) Bump(ctx context.Context, aggregate string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEvent, "head", 1) // want ttlwrite/read-modify-write
	_, err := j.tbl.ApplyReadModifyWrite(ctx, aggregate, rmw)
	return err
}

// Row is an aggregate as the console shows it.
type Row struct {
	Aggregate  string
	Events     int
	ModifiedAt time.Time
	Version    Version
}

// Console reads an aggregate for the console.
func (j *Journal) Console(ctx context.Context, aggregate string) (*Row, error) {
	row, err := j.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.FamilyFilter(schema.FamEvent)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := &Row{Aggregate: aggregate}
	for it := range bt.Cells(row, schema.FamEvent) {
		out.Events++
		if v := VersionOf(it); v > out.Version {
			out.Version = v                      // ok ttlage/not-write-time
			out.ModifiedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return out, nil
}

// Merge copies the events of one aggregate into another.
func (j *Journal) Merge(ctx context.Context, from, into string) error {
	row, err := j.tbl.ReadRow(ctx, from) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	v, err := j.Head(ctx, into)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i, it := range row[schema.FamEvent] {
		_, col, _ := cut(it.Column)
		m.Set(schema.FamEvent, col, (v + Version(i) + 1).TS(), it.Value) // ok ttlwrite/unscaled-sequence
	}
	return j.tbl.Apply(ctx, into, m)
}

// cut splits a column's name from its family.
func cut(column string) (family, name string, ok bool) {
	for i := range column {
		if column[i] == ':' {
			return column[:i], column[i+1:], true
		}
	}
	return "", column, false
}
