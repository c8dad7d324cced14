// Package lease hands out exclusive rights to workflows, with fencing numbers.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

const (
	// Table is the table of leases.
	Table = "flow-leases"

	famLease = "lease"
	famFence = "fence"

	colOwner = "owner"
	colBeat  = "beat"
	colEpoch = "epoch"

	// DefaultTTL is how long a lease lives without a renewal.
	DefaultTTL = 45 * time.Second
)

// ErrHeld says that somebody else has the lease.
var ErrHeld = errors.New("lease: held by another worker")

type table interface {
	bt.Reader
	bt.Scanner
	bt.Applier
	bt.Counter
}

// Hooks are called as leases come and go.
type Hooks struct {
	Granted func(resource, owner string, epoch int64)
	Lost    func(resource, owner string)
}

// Manager manages leases.
type Manager struct {
	tbl    table
	now    func() time.Time
	ttl    time.Duration
	stamp  func() bigtable.Timestamp
	expiry func() bigtable.Timestamp
	epochs atomic.Int64
	hooks  Hooks
}

// Option changes a manager.
type Option func(*Manager)

// WithTTL sets the lifetime of leases.
func WithTTL(d time.Duration) Option { return func(m *Manager) { m.ttl = d } }

// WithNow replaces the clock.
func WithNow(f func() time.Time) Option { return func(m *Manager) { m.now = f } }

// WithHooks installs hooks.
func WithHooks(h Hooks) Option { return func(m *Manager) { m.hooks = h } }

// Open returns the manager of the instance's leases.
func Open(c *bigtable.Client, opts ...Option) *Manager { return New(c.Open(Table), opts...) }

// New returns a manager on tbl.
func New(tbl table, opts ...Option) *Manager {
	m := &Manager{
		tbl:   tbl,
		now:   time.Now,
		ttl:   DefaultTTL,
		stamp: bigtable.Now, // want ttlwrite/write-time[leasestamp]
		hooks: Hooks{Granted: func(string, string, int64) {}, Lost: func(string, string) {}},
	}
	m.expiry = m.deadline
	for _, o := range opts {
		o(m)
	}
	return m
}

func (m *Manager) deadline() bigtable.Timestamp { return bigtable.Time(m.now().Add(m.ttl)) }

// Acquire takes the lease of resource for owner unless a live one is there.
func (m *Manager) Acquire(ctx context.Context, resource, owner string) (int64, error) {
	epoch, err := m.nextEpoch(ctx, resource)
	if err != nil {
		return 0, err
	}
	grant := bigtable.NewMutation()
	grant.DeleteCellsInColumn(famLease, colOwner)                    // ok ttlwrite/delete-after-set
	grant.Set(famLease, colOwner, m.expiry(), []byte(owner))         // ok ttlwrite/write-time
	grant.Set(famFence, colEpoch, bt.Seq(epoch), codec.Int64(epoch)) // ok ttlwrite/unscaled-sequence
	held := bt.In(famLease, bigtable.ColumnFilter(colOwner), bt.Live(m.now()))
	var matched bool
	cond := bigtable.NewCondMutation(held, nil, grant) // ok ttlread/conditional-mutation
	if err := m.tbl.Apply(ctx, resource, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return 0, fmt.Errorf("acquire %s: %w", resource, err)
	}
	if matched {
		return 0, ErrHeld
	}
	m.hooks.Granted(resource, owner, epoch)
	return epoch, nil
}

// TryAcquire is Acquire without fencing, for the maintenance jobs.
func (m *Manager) TryAcquire(ctx context.Context, resource, owner string) (bool, error) {
	grant := bigtable.NewMutation()
	grant.Set(famLease, colOwner, m.deadline(), []byte(owner)) // ok ttlwrite/server-timestamp
	var matched bool
	err := m.tbl.Apply(ctx, resource, bigtable.NewCondMutation(bigtable.ColumnFilter(colOwner), nil, grant), bigtable.GetCondMutationResult(&matched)) // want ttlread/conditional-mutation
	return !matched, err
}

// Release gives the lease back.
func (m *Manager) Release(ctx context.Context, resource, owner string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn(famLease, colOwner)
	mine := bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), bigtable.ValueFilter(owner))
	err := m.tbl.Apply(ctx, resource, bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
	if err == nil {
		m.hooks.Lost(resource, owner)
	}
	return err
}

// Renew makes the lease live for another ttl.
func (m *Manager) Renew(ctx context.Context, resource, owner string) error {
	mut := bigtable.NewMutation()
	mut.Set(famLease, colOwner, bigtable.Time(m.now()), []byte(owner)) // want ttlwrite/write-time
	return m.tbl.Apply(ctx, resource, mut)
}

// RenewFor is Renew with a lifetime of its own.
func (m *Manager) RenewFor(ctx context.Context, resource, owner string, d time.Duration) error {
	if d <= 0 {
		d = m.ttl
	}
	until := m.now().Add(d)
	mut := bigtable.NewMutation()
	mut.Set(famLease, colOwner, bigtable.Time(until), []byte(owner)) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, resource, mut)
}

// Beat leaves a sign of life beside the lease.
func (m *Manager) Beat(ctx context.Context, resource string) error {
	mut := bigtable.NewMutation()
	mut.Set(famLease, colBeat, m.stamp(), nil) // want ttlwrite/write-time[leasestamp]
	return m.tbl.Apply(ctx, resource, mut)
}

// Handover passes the lease on, from one worker to the next.
func (m *Manager) Handover(ctx context.Context, resource, to string) error {
	mut := bigtable.NewMutation()
	mut.Set(famLease, colOwner, bigtable.ServerTime, []byte(to)) // want ttlwrite/server-timestamp
	mut.Set(famFence, colEpoch, bt.Seq(m.epochs.Add(1)), nil)    // ok ttlwrite/unscaled-sequence
	return m.tbl.Apply(ctx, resource, mut)
}

// Seize takes the lease by force.
func (m *Manager) Seize(ctx context.Context, resource, owner string) error {
	n := m.epochs.Add(1)
	mut := bigtable.NewMutation()
	bt.SetAll(mut, famLease, m.expiry(), bt.Put{Column: colOwner, Value: []byte(owner)}) // ok ttlwrite/write-time
	mut.Set(famFence, colEpoch, bigtable.Timestamp(n), codec.Int64(n))                   // want ttlwrite/unscaled-sequence
	return m.tbl.Apply(ctx, resource, mut)
}

// Fence records an epoch that came over the wire.
func (m *Manager) Fence(ctx context.Context, resource string, epoch int64) error {
	mut := bigtable.NewMutation()
	mut.Set(famFence, colEpoch, bigtable.Now(), codec.Int64(epoch)) // want ttlwrite/clock-in-sequence
	return m.tbl.Apply(ctx, resource, mut)
}

// nextEpoch reads the last epoch and adds one.
func (m *Manager) nextEpoch(ctx context.Context, resource string) (int64, error) {
	row, err := m.tbl.ReadRow(ctx, resource, bigtable.RowFilter(bt.In(famFence, bt.Newest(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var last int64
	for _, it := range row[famFence] {
		last = max(last, bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
	}
	return last + 1, nil
}

// BumpEpoch lets the server count.
func (m *Manager) BumpEpoch(ctx context.Context, resource string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famFence, "count", 1) // want ttlwrite/read-modify-write
	row, err := m.tbl.ApplyReadModifyWrite(ctx, resource, rmw)
	if err != nil {
		return 0, err
	}
	b, ok := bt.Value(row, famFence, "count")
	if !ok {
		return 0, bt.ErrNotFound
	}
	return codec.ToInt64(b)
}

// Holder is who has a lease.
type Holder struct {
	Resource string
	Owner    string
	Expires  time.Time
	Epoch    int64
}

func decodeHolder(row bigtable.Row) (Holder, error) {
	h := Holder{Resource: row.Key()}
	for _, it := range row[famLease] {
		if it.Column == famLease+":"+colOwner {
			h.Owner, h.Expires = string(it.Value), it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row[famFence] {
		h.Epoch = bt.SeqOf(it.Timestamp)
	}
	return h, nil
}

func (m *Manager) both() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.In(famLease, bt.Live(m.now())), // ok ttlread/unfiltered-branch
		bt.In(famFence, bt.Newest(1)),     // ok ttlread/version-limit
	)
}

// Holder returns who has the lease.
func (m *Manager) Holder(ctx context.Context, resource string) (Holder, error) {
	return bt.One(ctx, m.tbl, resource, decodeHolder, bigtable.RowFilter(m.both())) // ok ttlread/missing-filter
}

// Holders calls f with every lease below prefix.
func (m *Manager) Holders(ctx context.Context, prefix string, f func(Holder) bool) error {
	return bt.Each(ctx, m.tbl, bigtable.PrefixRange(prefix), decodeHolder, f, bigtable.RowFilter(m.both())) // ok ttlread/missing-filter
}

// Peek is Holder without the filter that was thought to be slow.
func (m *Manager) Peek(ctx context.Context, resource string) (Holder, error) {
	return bt.One(ctx, m.tbl, resource, decodeHolder) // want ttlread/missing-filter
}

// Held says whether anybody has the lease.
func (m *Manager) Held(ctx context.Context, resource string) (bool, error) {
	row, err := m.tbl.ReadRow(ctx, resource, bigtable.RowFilter(bt.In(famLease, bigtable.ColumnFilter(colOwner)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[famLease]) > 0, nil
}

// HeldNow does it right.
func (m *Manager) HeldNow(ctx context.Context, resource string) (bool, error) {
	f := bt.In(famLease, bigtable.ColumnFilter(colOwner), bt.Live(m.now()))
	row, err := m.tbl.ReadRow(ctx, resource, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[famLease]) > 0, nil
}

// Owners collects who holds what, checking each cell's expiry itself.
func (m *Manager) Owners(ctx context.Context) (map[string]string, error) {
	out, now := map[string]string{}, m.now()
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[famLease] {
			if it.Timestamp.Time().Before(now) {
				continue
			}
			out[r.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(famLease)))
	return out, err
}

// Expired lists what the janitor may announce as lost.
func (m *Manager) Expired(ctx context.Context, f func(Holder) bool) error {
	dead := bt.In(famLease, bigtable.TimestampRangeFilter(time.Time{}, m.now()))                      // want ttlread/expired-only[dead]
	return bt.Each(ctx, m.tbl, bigtable.InfiniteRange(""), decodeHolder, f, bigtable.RowFilter(dead)) // want ttlread/expired-only[dead]
}

// Soon lists the leases that are about to run out.
func (m *Manager) Soon(ctx context.Context, f func(Holder) bool) error {
	now := m.now()
	soon := bt.In(famLease, bigtable.TimestampRangeFilter(now, now.Add(10*time.Second)))              // want ttlread/upper-bound[soon]
	return bt.Each(ctx, m.tbl, bigtable.InfiniteRange(""), decodeHolder, f, bigtable.RowFilter(soon)) // want ttlread/upper-bound[soon]
}

// Age is how long the holder has had the lease.
func (m *Manager) Age(ctx context.Context, resource string) (time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, resource, bigtable.RowFilter(bt.In(famLease, bt.Live(m.now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[famLease] {
		return m.now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Left is how long the lease still lives.
func (m *Manager) Left(ctx context.Context, resource string) (time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, resource, bigtable.RowFilter(bt.In(famLease, bt.Live(m.now()))))
	if err != nil {
		return 0, err
	}
	for _, it := range row[famLease] {
		return it.Timestamp.Time().Sub(m.now()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}
