package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/pool"
)

// State is a state of a run.
type State string

// The states.
const (
	Created   State = "created"
	Running   State = "running"
	Waiting   State = "waiting"
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Terminal says that nothing follows s.
func (s State) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Event drives the machine.
type Event string

// The events.
const (
	Start   Event = "start"
	Block   Event = "block"
	Wake    Event = "wake"
	Finish  Event = "finish"
	Abort   Event = "abort"
	Cancel  Event = "cancel"
	Restart Event = "restart"
)

// Instance is one run of a workflow.
type Instance struct {
	ID      string            `json:"id"`
	NS      string            `json:"ns"`
	Flow    string            `json:"flow"`
	State   State             `json:"state"`
	Step    int64             `json:"step"`
	Vars    map[string]string `json:"vars,omitempty"`
	Worker  string            `json:"worker,omitempty"`
	Changed time.Time         `json:"changed"`
}

// writer is what an action may write.
type writer struct {
	*bigtable.Mutation
	now time.Time
}

func (w writer) state(column string, v []byte) { w.Set(FamState, column, 0, v) } // ok ttlwrite/clock-in-zero

func (w writer) step(n int64, v []byte) { w.Set(FamStep, "input", bt.Seq(n), v) } // ok ttlwrite/unscaled-sequence

func (w writer) lock(d time.Duration, worker string) {
	w.Set(FamLock, "worker", bigtable.Time(w.now.Add(d)), []byte(worker)) // ok ttlwrite/write-time
}

func (w writer) at(family, column string, ts bigtable.Timestamp, v string) {
	w.Set(family, column, ts, []byte(v))
}

type action func(w writer, in *Instance)

type edge struct {
	from State
	on   Event
}

type target struct {
	to   State
	do   []action
	note string
}

// edges are the machine.
var edges = map[edge]target{
	{Created, Start}: {to: Running, do: []action{begin, takeLock}},
	{Running, Block}: {to: Waiting, do: []action{releaseLock, func(w writer, in *Instance) {
		w.at(FamState, "blocked", 0, in.Worker) // ok ttlwrite/clock-in-zero
	}}},
	{Waiting, Wake}: {to: Running, do: []action{takeLock, func(w writer, in *Instance) {
		w.at(FamLock, "woken", bigtable.Time(w.now), in.Worker) // want ttlwrite/write-time
	}}},
	{Running, Finish}: {to: Completed, do: []action{finish, releaseLock}},
	{Running, Abort}:  {to: Failed, do: []action{abort}},
	{Waiting, Cancel}: {to: Cancelled, do: []action{cancelled, releaseLock}},
	{Running, Cancel}: {to: Cancelled, do: []action{cancelled, releaseLock}},
	{Failed, Restart}: {to: Running, do: []action{restart, takeLock}, note: "by hand"},
}

func begin(w writer, in *Instance) {
	w.state("flow", []byte(in.Flow))
	w.step(in.Step+1, nil)
}

func takeLock(w writer, in *Instance) { w.lock(LockTTL, in.Worker) } // ok ttlwrite/write-time

func releaseLock(w writer, _ *Instance) { w.DeleteCellsInColumn(FamLock, "worker") } // ok ttlwrite/delete-after-set

func finish(w writer, in *Instance) {
	w.at(FamState, "finished", bigtable.Time(w.now), in.Worker) // want ttlwrite/clock-in-zero
	w.at(FamStep, "finished", bt.Seq(in.Step), in.Worker)       // ok ttlwrite/clock-in-sequence
}

func abort(w writer, in *Instance) {
	w.at(FamLock, "aborted", bigtable.ServerTime, in.Worker) // want ttlwrite/server-timestamp
	w.at(FamStep, "aborted", bigtable.Now(), in.Worker)      // want ttlwrite/clock-in-sequence
}

func cancelled(w writer, in *Instance) {
	w.at(FamLock, "cancelled", bigtable.Time(w.now.Add(time.Minute)), in.Worker) // ok ttlwrite/write-time
	w.state("cancelled", []byte(in.Worker))
}

func restart(w writer, in *Instance) {
	in.Step++
	w.at(FamStep, "restarted", bt.Raw(in.Step), in.Worker) // want ttlwrite/unscaled-sequence
	w.at(FamStep, "restarts", bt.Seq(in.Step), in.Worker)  // ok ttlwrite/unscaled-sequence
}

// ErrNoEdge says that an event does not fit a state.
var ErrNoEdge = errors.New("engine: event does not fit the state")

// Machine applies events.
type Machine struct {
	store   *Store
	log     *slog.Logger
	observe []func(ctx context.Context, in Instance, ev Event)
}

// NewMachine makes a machine on store.
func NewMachine(store *Store, log *slog.Logger) *Machine {
	m := &Machine{store: store, log: log}
	m.observe = append(m.observe, m.logEvent)
	return m
}

// Observe calls f after every event.
func (m *Machine) Observe(f func(ctx context.Context, in Instance, ev Event)) {
	m.observe = append(m.observe, f)
}

func (m *Machine) logEvent(ctx context.Context, in Instance, ev Event) {
	m.log.InfoContext(ctx, "event", "run", in.ID, "event", ev, "state", in.State, "changed", in.Changed) // ok ttlage/not-write-time
}

// Fire applies ev to the run id.
func (m *Machine) Fire(ctx context.Context, ns, id string, ev Event) (*Instance, error) {
	in, err := m.store.LoadVars(ctx, ns, id)
	if err != nil {
		return nil, err
	}
	t, ok := edges[edge{in.State, ev}]
	if !ok {
		return nil, fmt.Errorf("%w: %s in %s", ErrNoEdge, ev, in.State)
	}
	w := writer{bigtable.NewMutation(), m.store.now()}
	for _, do := range t.do {
		do(w, in)
	}
	in.State, in.Changed = t.to, w.now
	if t.note != "" {
		w.state("note", []byte(t.note))
	}
	if err := m.store.table(ns).Apply(ctx, id, w.Mutation); err != nil {
		return nil, err
	}
	for _, f := range m.observe {
		f(ctx, *in, ev)
	}
	return in, m.store.Save(ctx, in)
}

// FireAll applies ev to many runs.
func (m *Machine) FireAll(ctx context.Context, ns string, ids []string, ev Event) ([]*Instance, error) {
	return pool.Map(ctx, 8, ids, func(ctx context.Context, id string) (*Instance, error) {
		return m.Fire(ctx, ns, id, ev)
	})
}

// Orphans finds runs whose lock has gone.
func (m *Machine) Orphans(ctx context.Context, ns string, f func(*Instance) bool) error {
	var bad error
	read := m.store.table(ns).ReadRows
	err := read(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		in, err := decodeInstance(r)
		if err != nil {
			bad = errors.Join(bad, err)
			return true
		}
		if in.State != Running || len(r[FamLock]) > 0 {
			return true
		}
		return f(in)
	}, bigtable.RowFilter(m.store.all()))
	return errors.Join(err, bad)
}

// OrphansFast does the same by a shorter filter.
func (m *Machine) OrphansFast(ctx context.Context, ns string, f func(*Instance) bool) error {
	var bad error
	read := m.store.table(ns).ReadRows
	err := read(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[orphansfast]
		in, err := decodeInstance(r)
		if err != nil {
			bad = errors.Join(bad, err)
			return true
		}
		if in.State != Running || len(r[FamLock]) > 0 {
			return true
		}
		return f(in)
	}, bigtable.RowFilter(bigtable.FamilyFilter("state|lock"))) // want ttlread/missing-filter[orphansfast]
	return errors.Join(err, bad)
}
