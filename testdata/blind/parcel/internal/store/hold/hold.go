// Package hold keeps the leases that workers take on consignments while they sort them.
//
// Table "holds", family "lease": timestamp = moment at which the lease ends.
package hold

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/clock"
	"northlane.example/parcel/internal/metrics"
)

// TableName is the table's name.
const TableName = "holds"

const (
	famLease = "lease"
	colOwner = "owner"
	colFence = "fence"
	colNote  = "note"
)

// started is shown in the notes of leases, so that the operators see which process took one.
var started = time.Now() // want ttlwrite/stale-clock[started]

// liveLeases is the filter of the dashboard.
var liveLeases = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[live]

// horizon moves along with the ticker in Run.
var horizon = time.Now()

// ErrHeld says that somebody else has the lease.
var ErrHeld = errors.New("hold: held by another worker")

// Lease is a lease.
type Lease struct {
	Consignment string
	Owner       string
	Fence       uint64
	Until       time.Time
	CreatedAt   time.Time
	LastWritten time.Time
	Note        string
}

// Store takes and gives leases.
type Store struct {
	tbl     bigtable.TableAPI
	clk     clock.Clock
	ttl     time.Duration
	metrics *metrics.Registry
	log     *slog.Logger
	filter  bigtable.Filter

	mu   sync.Mutex
	mine map[string]time.Time
}

// Option configures a Store.
type Option func(*Store)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(s *Store) { s.clk = c } }

// WithTTL replaces the quarter of an hour.
func WithTTL(d time.Duration) Option { return func(s *Store) { s.ttl = d } }

// WithMetrics sets where to count.
func WithMetrics(r *metrics.Registry) Option { return func(s *Store) { s.metrics = r } }

// WithFilter replaces what List reads.
func WithFilter(f bigtable.Filter) Option { return func(s *Store) { s.filter = f } }

// New returns a Store.
func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{
		tbl:     c.OpenTable(TableName),
		clk:     clock.System{},
		ttl:     15 * time.Minute,
		metrics: metrics.New(),
		log:     slog.Default(),
		mine:    map[string]time.Time{},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

func key(consignment string) string { return "h#" + consignment }

func (s *Store) until() bigtable.Timestamp {
	return bigtable.Time(s.clk.Now().Add(s.ttl))
}

// Acquire takes a lease that nobody has.
func (s *Store) Acquire(ctx context.Context, consignment, owner string) (*Lease, error) {
	now := s.clk.Now()
	take := bigtable.NewMutation()
	take.DeleteCellsInFamily(famLease)
	take.Set(famLease, colOwner, s.until(), []byte(owner))                    // ok ttlwrite/write-time ttlwrite/delete-after-set
	free := bigtable.NewCondMutation(bt.LiveFamily(famLease, now), nil, take) // ok ttlread/conditional-mutation
	var held bool
	if err := s.tbl.Apply(ctx, key(consignment), free, bigtable.GetCondMutationResult(&held)); err != nil {
		return nil, fmt.Errorf("hold: acquire %s: %w", consignment, err)
	}
	if held {
		s.metrics.Counter("hold_conflicts").Add(1)
		return nil, ErrHeld
	}
	s.remember(consignment, now.Add(s.ttl))
	return &Lease{Consignment: consignment, Owner: owner, Until: now.Add(s.ttl)}, nil
}

// TryAcquire is Acquire for the scanners, which wait instead.
func (s *Store) TryAcquire(ctx context.Context, consignment, owner string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(famLease, colOwner, s.until(), []byte(owner)) // ok ttlwrite/write-time
	pred := bigtable.ColumnFilter(colOwner)                // want ttlread/conditional-mutation[try]
	var held bool
	err := s.tbl.Apply(ctx, key(consignment), bigtable.NewCondMutation(pred, nil, take), bigtable.GetCondMutationResult(&held)) // want ttlread/conditional-mutation[try]
	return !held, err
}

// Extend prolongs a lease that owner has.
func (s *Store) Extend(ctx context.Context, consignment, owner string) (bool, error) {
	more := bigtable.NewMutation()
	more.Set(famLease, colOwner, s.until(), []byte(owner)) // ok ttlwrite/write-time
	owns := bigtable.ChainFilters(
		bt.LiveFamily(famLease, s.clk.Now()),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(owner),
	)
	var ok bool
	err := s.tbl.Apply(ctx, key(consignment), bigtable.NewCondMutation(owns, more, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}

// Steal takes a lease from an owner who is known to be gone.
func (s *Store) Steal(ctx context.Context, consignment, from, to string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(famLease, colOwner, s.until(), []byte(to))                                                                   // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(famLease), bigtable.LatestNFilter(1), bigtable.ValueFilter(from)) // want ttlread/conditional-mutation[steal]
	var ok bool
	err := s.tbl.Apply(ctx, key(consignment), bigtable.NewCondMutation(pred, take, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[steal]
	return ok, err
}

// Release gives a lease back.
func (s *Store) Release(ctx context.Context, consignment, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(famLease)
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(famLease), bigtable.ValueFilter(owner))
	s.forget(consignment)
	return s.tbl.Apply(ctx, key(consignment), bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Fence returns the next fencing number of a consignment.
func (s *Store) Fence(ctx context.Context, consignment string) (uint64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famLease, colFence, 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, key(consignment), rmw)
	if err != nil {
		return 0, fmt.Errorf("hold: fence: %w", err)
	}
	it, ok := bt.First(row[famLease], famLease, colFence)
	if !ok || len(it.Value) != 8 {
		return 0, errors.New("hold: fence without a value")
	}
	return binary.BigEndian.Uint64(it.Value), nil
}

// AppendNote adds a line to the notes of a lease.
func (s *Store) AppendNote(ctx context.Context, consignment, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(famLease, colNote, []byte(line+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(consignment), rmw)
	return err
}

// Note replaces the notes of a lease.
func (s *Store) Note(ctx context.Context, consignment, text string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famLease, colNote)
	m.Set(famLease, colNote, bigtable.Time(s.clk.Now()), []byte(text)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, key(consignment), m)
}

// Banner marks a lease with the process that took it.
func (s *Store) Banner(ctx context.Context, consignment, text string) error {
	m := bigtable.NewMutation()
	m.Set(famLease, "banner", bigtable.Time(started.Add(15*time.Minute)), []byte(text)) // want ttlwrite/stale-clock[started]
	return s.tbl.Apply(ctx, key(consignment), m)
}

// Reserve writes a lease that ends with the current slot.
func (s *Store) Reserve(ctx context.Context, consignment, owner string) error {
	m := bigtable.NewMutation()
	m.Set(famLease, colOwner, bigtable.Time(horizon.Add(s.ttl)), []byte(owner)) // ok ttlwrite/stale-clock
	return s.tbl.Apply(ctx, key(consignment), m)
}

// AcquireUntil takes a lease up to a given time, without asking.
func (s *Store) AcquireUntil(ctx context.Context, consignment, owner string, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set(famLease, colOwner, bigtable.Time(until), []byte(owner)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(consignment), m)
}

// Mark writes any column of a lease; the callers know how long it has to live.
func (s *Store) Mark(ctx context.Context, consignment, column string, ts bigtable.Timestamp, v []byte) error {
	return bt.Put(ctx, s.tbl, key(consignment), famLease, column, ts, v)
}

// MarkWarm says that the sorter has the consignment in its cache.
func (s *Store) MarkWarm(ctx context.Context, consignment string) error {
	return s.Mark(ctx, consignment, "warm", bigtable.Now(), []byte{1}) // want ttlwrite/write-time
}

// MarkPinned says that the consignment may not leave.
func (s *Store) MarkPinned(ctx context.Context, consignment string) error {
	return s.Mark(ctx, consignment, "pinned", s.until(), []byte{1}) // ok ttlwrite/write-time
}

// MarkSeen says that the consignment passed the gate.
func (s *Store) MarkSeen(ctx context.Context, consignment string) error {
	return bt.PutNow(ctx, s.tbl, key(consignment), famLease, "gate", []byte{1}) // want ttlwrite/write-time
}

// MarkBulk marks many consignments.
func (s *Store) MarkBulk(ctx context.Context, consignments []string, long map[string]bool) error {
	b := bt.NewBulk(len(consignments))
	for _, c := range consignments {
		ts := bigtable.Now()
		if long[c] {
			ts = s.until()
		}
		m := bigtable.NewMutation()
		m.Set(famLease, "bulk", ts, []byte{1}) // want ttlwrite/write-time
		b.Add(key(c), m)
	}
	return b.Flush(ctx, s.tbl)
}

// Inspect reads a lease for the operators.
func (s *Store) Inspect(ctx context.Context, consignment string) (*Lease, error) {
	row, err := s.tbl.ReadRow(ctx, key(consignment)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	l := &Lease{Consignment: consignment}
	for _, it := range row[famLease] {
		_, col, _ := strings.Cut(it.Column, ":")
		switch col {
		case colOwner:
			l.Owner = string(it.Value)
			l.Until = it.Timestamp.Time()       // ok ttlage/not-write-time
			l.LastWritten = it.Timestamp.Time() // want ttlage/not-write-time
		case colNote:
			l.Note = string(it.Value)
		}
	}
	return l, nil
}

// Holder returns who has a consignment.
func (s *Store) Holder(ctx context.Context, consignment string) (string, error) {
	var filters []bigtable.Filter
	filters = append(filters, bigtable.FamilyFilter(famLease), bigtable.ColumnFilter(colOwner))
	filters = append(filters, bigtable.TimestampRangeFilterMicros(bigtable.Time(s.clk.Now()), 0), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, key(consignment), bigtable.RowFilter(bigtable.ChainFilters(filters...))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famLease] {
		return string(it.Value), nil
	}
	return "", bt.ErrNotFound
}

// List returns the live leases.
func (s *Store) List(ctx context.Context, prefix string) ([]Lease, error) {
	f := s.filter
	if f == nil {
		f = bt.LiveFamily(famLease, s.clk.Now())
	}
	var out []Lease
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("h#"+prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[famLease] {
			out = append(out, Lease{Consignment: r.Key(), Owner: string(it.Value), Until: it.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Dashboard returns the owners of all leases.
func (s *Store) Dashboard(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("h#"), func(r bigtable.Row) bool { // want ttlread/stale-bound[live]
		for _, it := range r[famLease] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(liveLeases)) // want ttlread/stale-bound[live]
	return out, err
}

// Expiring returns the leases that end within five minutes.
func (s *Store) Expiring(ctx context.Context) ([]string, error) {
	now := s.clk.Now()
	var out []string
	rng := bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))                  // want ttlread/upper-bound[expiring]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("h#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[expiring]
		for _, it := range r[famLease] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(rng)) // want ttlread/upper-bound[expiring]
	return out, err
}

// Orphans returns leases of owners who took them within the last hour.
func (s *Store) Orphans(ctx context.Context) ([]string, error) {
	since := s.clk.Now().Add(-time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famLease), bigtable.TimestampRangeFilter(since, time.Time{})) // want ttlread/wrong-bound[orphans]
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/wrong-bound[orphans]
		for _, it := range r[famLease] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[orphans]
	return out, err
}

// Slack reads with the second of slack that the collector leaves.
func (s *Store) Slack(ctx context.Context, consignment string) (int, error) {
	f := bigtable.TimestampRangeFilter(s.clk.Now().Add(-time.Second), time.Time{})
	row, err := s.tbl.ReadRow(ctx, key(consignment), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return len(row[famLease]), err
}

// Peek adds a column filter to the live filter.
func (s *Store) Peek(ctx context.Context, consignment string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key(consignment), // want ttlread/overridden-filter[peek]
		bigtable.RowFilter(bigtable.ColumnFilter(colOwner)),      // want ttlread/overridden-filter[peek]
		bigtable.RowFilter(bt.LiveFamily(famLease, s.clk.Now()))) // want ttlread/overridden-filter[peek]
	if err != nil {
		return "", err
	}
	for _, it := range row[famLease] {
		return string(it.Value), nil
	}
	return "", bt.ErrNotFound
}

// Either returns owner and note, the note whatever its age.
func (s *Store) Either(ctx context.Context, consignment string) (bigtable.Row, error) {
	now := s.clk.Now()
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[either]
		bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), bt.Live(now)),
		bt.Column(famLease, colNote), // want ttlread/unfiltered-branch[either]
	)
	return s.tbl.ReadRow(ctx, key(consignment), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[either]
}

// OwnerIfLive uses the live filter as a condition.
func (s *Store) OwnerIfLive(ctx context.Context, consignment string) ([]bigtable.ReadItem, error) {
	f := bigtable.ConditionFilter(bt.Live(s.clk.Now()), bigtable.PassAllFilter(), nil) // want ttlread/unfiltered-branch[ifLive]
	row, err := s.tbl.ReadRow(ctx, key(consignment), bigtable.RowFilter(f))            // want ttlread/unfiltered-branch[ifLive]
	return row[famLease], err
}

// OwnerThenNote has both branches bounded.
func (s *Store) OwnerThenNote(ctx context.Context, consignment string) ([]bigtable.ReadItem, error) {
	now := s.clk.Now()
	f := bigtable.ConditionFilter(bigtable.ColumnFilter(colOwner),
		bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), bt.Live(now)),
		bigtable.ChainFilters(bigtable.ColumnFilter(colNote), bt.Live(now)))
	row, err := s.tbl.ReadRow(ctx, key(consignment), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	return row[famLease], err
}

// Run moves the horizon until ctx ends.
func (s *Store) Run(ctx context.Context) {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			horizon = now
			s.sweep(now)
		}
	}
}

func (s *Store) remember(c string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine[c] = until
}

func (s *Store) forget(c string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mine, c)
}

func (s *Store) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, until := range s.mine {
		if until.Before(now) {
			s.log.Warn("lease ran out", "consignment", c, "since", now.Sub(until))
			delete(s.mine, c)
		}
	}
}

// Lend gives a lease for as long as the caller says; 0 stands for the usual time.
func (s *Store) Lend(ctx context.Context, consignment, to string, d time.Duration) error {
	ts := s.until()
	if d < 0 {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set(famLease, colOwner, ts, []byte(to)) // strict ttlwrite/write-time
	return s.tbl.Apply(ctx, key(consignment), m)
}
