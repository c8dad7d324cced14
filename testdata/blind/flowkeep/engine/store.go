// Package engine runs workflows: a state machine per run, kept in the tables of its namespace.
package engine

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

// The families of every namespace's table.
const (
	FamState = "state"
	FamStep  = "step"
	FamLock  = "lock"
)

// LockTTL is how long a run may be worked on without a sign of life.
const LockTTL = 5 * time.Minute

// Opener opens tables. *bigtable.Client is one.
type Opener interface {
	Open(table string) *bigtable.Table
}

// Hook adds to a mutation before it is applied.
type Hook func(in *Instance, m *bigtable.Mutation)

// Store keeps instances.
type Store struct {
	open  Opener
	now   func() time.Time
	hooks []Hook
	limit func(family string) bigtable.Filter
}

// StoreOption changes a store.
type StoreOption func(*Store)

// WithStoreClock replaces the clock.
func WithStoreClock(now func() time.Time) StoreOption { return func(s *Store) { s.now = now } }

// WithHook adds a hook.
func WithHook(h Hook) StoreOption { return func(s *Store) { s.hooks = append(s.hooks, h) } }

// NewStore makes a store on the tables of open.
func NewStore(open Opener, opts ...StoreOption) *Store {
	s := &Store{open: open, now: time.Now}
	s.limit = s.familyFilter
	s.hooks = []Hook{s.touch, keepState}
	for _, o := range opts {
		o(s)
	}
	return s
}

// table returns the table of a namespace.
func (s *Store) table(ns string) *bigtable.Table { return s.open.Open("flow-state-" + ns) }

// touch extends the lock with every change.
func (s *Store) touch(in *Instance, m *bigtable.Mutation) {
	m.Set(FamLock, "touched", bigtable.Time(s.now().Add(LockTTL)), []byte(in.ID)) // ok ttlwrite/write-time
}

// keepState stores the state as text, for people.
func keepState(in *Instance, m *bigtable.Mutation) {
	m.Set(FamState, "text", 0, []byte(in.State)) // ok ttlwrite/clock-in-zero
}

// WhoTouched is a hook that stores who changed an instance.
func WhoTouched(who string) Hook {
	return func(in *Instance, m *bigtable.Mutation) {
		m.Set(FamState, "who", bigtable.Now(), []byte(who)) // want ttlwrite/clock-in-zero
		m.Set(FamLock, "who", bt.Stamp(), []byte(who))      // want ttlwrite/write-time
	}
}

// WhoTouchedLast is the same, by the rules.
func WhoTouchedLast(who string) Hook {
	return func(in *Instance, m *bigtable.Mutation) {
		m.Set(FamState, "who", 0, []byte(who))                 // ok ttlwrite/clock-in-zero
		m.Set(FamLock, "who", bt.Expiry(LockTTL), []byte(who)) // ok ttlwrite/write-time
	}
}

// Save stores an instance.
func (s *Store) Save(ctx context.Context, in *Instance) error {
	m := bigtable.NewMutation()
	put(m, FamState, "instance", 0, codec.JSON[*Instance]{}, in)                       // ok ttlwrite/clock-in-zero
	put(m, FamStep, "vars", bt.Seq(in.Step), codec.JSON[map[string]string]{}, in.Vars) // ok ttlwrite/unscaled-sequence
	for _, h := range s.hooks {
		h(in, m)
	}
	return s.table(in.NS).Apply(ctx, in.ID, m)
}

// SaveQuick stores the variables only.
func (s *Store) SaveQuick(ctx context.Context, in *Instance) error {
	m := bigtable.NewMutation()
	in.Step++
	put(m, FamStep, "vars", bigtable.Timestamp(in.Step), codec.JSON[map[string]string]{}, in.Vars) // want ttlwrite/unscaled-sequence
	return s.table(in.NS).Apply(ctx, in.ID, m)
}

// SaveStamped stores the variables by time.
func (s *Store) SaveStamped(ctx context.Context, in *Instance) error {
	m := bigtable.NewMutation()
	put(m, FamStep, "vars", bigtable.Time(s.now()), codec.JSON[map[string]string]{}, in.Vars) // want ttlwrite/clock-in-sequence
	put(m, FamState, "stamp", bigtable.Timestamp(0), codec.JSON[string]{}, s.now().String())  // ok ttlwrite/clock-in-zero
	return s.table(in.NS).Apply(ctx, in.ID, m)
}

// put encodes and sets.
func put[T any](m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, c codec.Codec[T], v T) {
	b, err := c.Encode(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s:%s does not encode: %v", family, column, err))
	}
	m.Set(family, column, ts, b)
}

// Lock takes the lock of a run.
func (s *Store) Lock(ctx context.Context, ns, id, worker string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(FamLock, "worker", bigtable.Time(s.now().Add(LockTTL)), []byte(worker)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(FamLock), bigtable.ColumnFilter("worker"), bt.Live(s.now()))
	var held bool
	err := s.table(ns).Apply(ctx, id, bigtable.NewCondMutation(free, nil, m), bigtable.GetCondMutationResult(&held)) // ok ttlread/conditional-mutation
	return !held, err
}

// LockOld takes the lock if nobody ever had it.
func (s *Store) LockOld(ctx context.Context, ns, id, worker string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(FamLock, "worker", bigtable.Time(s.now().Add(LockTTL)), []byte(worker))
	free := bigtable.ChainFilters(bigtable.FamilyFilter(FamLock), bigtable.ColumnFilter("worker"), bigtable.LatestNFilter(1)) // want ttlread/conditional-mutation[lockold]
	var held bool
	err := s.table(ns).Apply(ctx, id, bigtable.NewCondMutation(free, nil, m), bigtable.GetCondMutationResult(&held)) // want ttlread/conditional-mutation[lockold]
	return !held, err
}

// LockIfStepped takes the lock of a run that has made a step.
func (s *Store) LockIfStepped(ctx context.Context, ns, id, worker string) error {
	m := bigtable.NewMutation()
	m.Set(FamLock, "worker", bigtable.Time(s.now().Add(LockTTL)), []byte(worker))
	return s.table(ns).Apply(ctx, id, bigtable.NewCondMutation(bigtable.FamilyFilter(FamStep), m, nil)) // ok ttlread/conditional-mutation
}

// Unlock drops the lock.
func (s *Store) Unlock(ctx context.Context, ns, id, worker string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(FamLock)
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(FamLock), bigtable.ValueFilter(worker))
	return s.table(ns).Apply(ctx, id, bigtable.NewCondMutation(mine, m, nil)) // ok ttlread/conditional-mutation
}

// Extend counts how often the lock was extended.
func (s *Store) Extend(ctx context.Context, ns, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamLock, "extended", 1) // want ttlwrite/read-modify-write
	_, err := s.table(ns).ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// StepTo lets the server count the steps.
func (s *Store) StepTo(ctx context.Context, ns, id string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamStep, "count", by) // want ttlwrite/read-modify-write
	_, err := s.table(ns).ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// familyFilter is the filter of one family.
func (s *Store) familyFilter(family string) bigtable.Filter {
	switch family {
	case FamLock:
		return bt.In(FamLock, bt.Live(s.now())) // ok ttlread/wrong-bound
	case FamStep:
		return bt.In(FamStep, bt.Newest(3)) // ok ttlread/version-limit
	default:
		return bigtable.FamilyFilter(FamState) // ok ttlread/missing-filter
	}
}

func (s *Store) all() bigtable.Filter {
	return bigtable.InterleaveFilters(s.familyFilter(FamState), s.familyFilter(FamStep), s.familyFilter(FamLock)) // ok ttlread/unfiltered-branch
}

func decodeInstance(row bigtable.Row) (*Instance, error) {
	b, ok := bt.Value(row, FamState, "instance")
	if !ok {
		return nil, bt.ErrNotFound
	}
	return codec.JSON[*Instance]{}.Decode(b)
}

func decodeWithVars(row bigtable.Row) (*Instance, error) {
	in, err := decodeInstance(row)
	if err != nil {
		return nil, err
	}
	for _, it := range row[FamStep] {
		if n := bt.SeqOf(it.Timestamp); n >= in.Step { // ok ttlage/not-write-time
			in.Step = n
			if in.Vars, err = (codec.JSON[map[string]string]{}).Decode(it.Value); err != nil {
				return nil, err
			}
		}
	}
	return in, nil
}

// Load reads an instance as it was saved.
func (s *Store) Load(ctx context.Context, ns, id string) (*Instance, error) {
	return bt.One(ctx, s.table(ns), id, decodeInstance) // ok ttlread/missing-filter
}

// LoadVars reads an instance and its newest variables.
func (s *Store) LoadVars(ctx context.Context, ns, id string) (*Instance, error) {
	return bt.One(ctx, s.table(ns), id, decodeWithVars, bigtable.RowFilter(s.all())) // ok ttlread/missing-filter
}

// LoadFull reads an instance with all that belongs to it.
func (s *Store) LoadFull(ctx context.Context, ns, id string) (*Instance, error) {
	return bt.One(ctx, s.table(ns), id, decodeWithVars) // want ttlread/missing-filter
}

// LoadSteps reads the last versions of the variables.
func (s *Store) LoadSteps(ctx context.Context, ns, id string, f func(n int64, vars []byte)) error {
	row, err := s.table(ns).ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamStep), bigtable.LatestNFilter(10)))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[FamStep] {
		f(int64(it.Timestamp)/1000, it.Value)
	}
	return nil
}

// LoadStep reads one version of the variables.
func (s *Store) LoadStep(ctx context.Context, ns, id string, n int64) ([]byte, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamStep),
		bigtable.TimestampRangeFilterMicros(bt.Seq(n), bt.Seq(n+1)), // ok ttlread/wrong-bound // ok ttlunit/empty-range
		bigtable.LatestNFilter(1))
	row, err := s.table(ns).ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	b, _ := bt.Value(row, FamStep, "vars")
	return b, nil
}

// Worker says who works on a run.
func (s *Store) Worker(ctx context.Context, ns, id string) (string, error) {
	row, err := s.table(ns).ReadRow(ctx, id, bigtable.RowFilter(s.limit(FamLock))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	b, _ := bt.Value(row, FamLock, "worker")
	return string(b), nil
}

// LastWorker says who worked on a run, and when it thinks that was.
func (s *Store) LastWorker(ctx context.Context, ns, id string) (string, time.Duration, error) {
	row, err := s.table(ns).ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(FamLock))) // want ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	for _, it := range row[FamLock] {
		if it.Column == "lock:worker" {
			return string(it.Value), s.now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return "", 0, bt.ErrNotFound
}

// Locked calls f with the runs that are worked on.
func (s *Store) Locked(ctx context.Context, ns string, f func(id string) bool) error {
	now := bigtable.Now()
	return s.table(ns).ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[FamLock] {
			if it.Timestamp < now {
				return true
			}
		}
		return f(r.Key())
	}, bigtable.RowFilter(bigtable.FamilyFilter(FamLock)))
}

// Delete removes an instance.
func (s *Store) Delete(ctx context.Context, ns, id string) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return s.table(ns).Apply(ctx, id, m)
}

// Reset removes an instance and starts again.
func (s *Store) Reset(ctx context.Context, in *Instance) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	put(m, FamState, "instance", 0, codec.JSON[*Instance]{}, in) // ok ttlwrite/delete-after-set
	return s.table(in.NS).Apply(ctx, in.ID, m)
}

// ResetHard does it in the order in which it was thought of.
func (s *Store) ResetHard(ctx context.Context, in *Instance) error {
	m := bigtable.NewMutation()
	put(m, FamState, "instance", 0, codec.JSON[*Instance]{}, in)
	m.DeleteRow() // want ttlwrite/delete-after-set
	return s.table(in.NS).Apply(ctx, in.ID, m)
}
