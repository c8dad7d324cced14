// Package leases gives out short exclusive leases on anything that has a name:
// a flight being loaded, a bag belt, a nightly job.
package leases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

// ErrTaken says that somebody else holds the lease.
var ErrTaken = errors.New("leases: taken")

const (
	colBy    = "by"
	colFence = "fence"
	colBeat  = "beat"
	colNote  = "note"
)

// started is when this process came up.
var started = time.Now() // want ttlread/stale-bound[recent] ttlwrite/stale-clock[mark]

// liveAtStart is what the fast path filters by.
var liveAtStart = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[fast]

// Manager gives out leases.
type Manager struct {
	tbl *bigtable.Table
	clk clock.Clock
	log *slog.Logger

	mu   sync.Mutex
	held map[string]*Lease
}

// Lease is one lease.
type Lease struct {
	Name      string
	Holder    string
	Fence     int64
	Until     time.Time
	CreatedAt time.Time
}

// New makes a manager.
func New(c *bigtable.Client, log *slog.Logger) *Manager {
	return &Manager{tbl: c.Open(names.TableLeases), clk: clock.System{}, log: log, held: map[string]*Lease{}}
}

// free matches rows that have a live lease.
func (m *Manager) alive() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamLease),
		bigtable.ColumnFilter(colBy),
		bigtable.TimestampRangeFilter(m.clk.Now(), time.Time{}),
	)
}

// Acquire takes a lease or says who has it.
func (m *Manager) Acquire(ctx context.Context, name, holder string) (*Lease, error) {
	until := m.clk.Now().Add(names.LeaseFor)
	take := bigtable.NewMutation()
	take.Set(names.FamLease, colBy, bigtable.Time(until), []byte(holder)) // ok ttlwrite/write-time
	take.Set(names.FamOwner, colBy, bigtable.Now(), []byte(holder))       // ok ttlwrite/write-time
	var taken bool
	cond := bigtable.NewCondMutation(m.alive(), nil, take) // ok ttlread/conditional-mutation
	if err := m.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return nil, fmt.Errorf("leases: acquire %s: %w", name, err)
	}
	if taken {
		return nil, ErrTaken
	}
	l := &Lease{Name: name, Holder: holder, Until: until}
	m.mu.Lock()
	m.held[name] = l
	m.mu.Unlock()
	return l, nil
}

// AcquireFast is Acquire without the clock, for the belts.
func (m *Manager) AcquireFast(ctx context.Context, name, holder string) error {
	take := bigtable.NewMutation()
	take.Set(names.FamLease, colBy, bt.Stamp(names.LeaseFor), []byte(holder))                          // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.ColumnFilter(colBy)) // want ttlread/conditional-mutation[acqfast]
	cond := bigtable.NewCondMutation(pred, nil, take)                                                  // want ttlread/conditional-mutation[acqfast]
	return m.tbl.Apply(ctx, name, cond)
}

// Renew moves the end of a lease.
func (m *Manager) Renew(ctx context.Context, l *Lease) error {
	l.Until = m.clk.Now().Add(names.LeaseFor)
	keep := bigtable.NewMutation()
	keep.Set(names.FamLease, colBy, bigtable.Time(l.Until), []byte(l.Holder))  // ok ttlwrite/write-time
	keep.Set(names.FamLease, colBeat, bigtable.Time(m.clk.Now()), []byte("1")) // want ttlwrite/write-time
	return m.tbl.Apply(ctx, l.Name, keep)
}

// Release ends a lease. Deleting is enough.
func (m *Manager) Release(ctx context.Context, l *Lease) error {
	gone := bigtable.NewMutation()
	gone.DeleteCellsInColumn(names.FamLease, colBy)                                                                                           // ok ttlwrite/delete-after-set
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.ValueFilter(l.Holder)), gone, nil) // ok ttlread/conditional-mutation
	m.mu.Lock()
	delete(m.held, l.Name)
	m.mu.Unlock()
	return m.tbl.Apply(ctx, l.Name, cond)
}

// Expel ends somebody else's lease by letting it lapse a minute ago.
func (m *Manager) Expel(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, colBy, bigtable.Time(m.clk.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return m.tbl.Apply(ctx, name, mut)
}

// Fence numbers the holders of a lease.
func (m *Manager) Fence(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamLease, colFence, 1) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamOwner, colFence, 1) // ok ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	return err
}

// Who says who has a lease.
func (m *Manager) Who(ctx context.Context, name string) (string, error) {
	row, err := m.tbl.ReadRow(ctx, name, bigtable.RowFilter(m.alive())) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamLease, colBy)
	return string(v), nil
}

// WhoFast is Who for the belts.
func (m *Manager) WhoFast(ctx context.Context, name string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), liveAtStart) // want ttlread/stale-bound[fast]
	row, err := m.tbl.ReadRow(ctx, name, bigtable.RowFilter(f))                    // want ttlread/stale-bound[fast]
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamLease, colBy)
	return string(v), nil
}

// Inspect tells all about a lease.
func (m *Manager) Inspect(ctx context.Context, name string) (*Lease, error) {
	row, err := m.tbl.ReadRow(ctx, name) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	l := &Lease{Name: name}
	for _, it := range row[names.FamLease] {
		switch it.Column {
		case names.FamLease + ":" + colBy:
			l.Holder = string(it.Value)
			l.Until = it.Timestamp.Time() // ok ttlage/not-write-time
		case names.FamLease + ":" + colNote:
			l.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return l, nil
}

// History tells who had it, by the owner family.
func (m *Manager) History(ctx context.Context, name string) ([]Lease, error) {
	row, err := m.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtable.FamilyFilter(names.FamOwner))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Lease
	for _, it := range row[names.FamOwner] {
		out = append(out, Lease{Name: name, Holder: string(it.Value), CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// All lists the leases that are alive, checked by hand.
func (m *Manager) All(ctx context.Context, prefix string) (map[string]string, error) {
	now := m.clk.Now()
	out := map[string]string{}
	err := m.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamLease] {
			if it.Timestamp.Time().Before(now) {
				continue
			}
			out[r.Key()] = string(it.Value)
		}
		return true
	})
	return out, err
}

// AllHolders lists the holders, for the dashboard.
func (m *Manager) AllHolders(ctx context.Context, prefix string) (map[string]int, error) {
	out := map[string]int{}
	err := m.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[holders]
		for _, it := range r[names.FamLease] {
			out[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[holders]
	return out, err
}

// Count counts rows, live or not; the nightly report wants both.
func (m *Manager) Count(ctx context.Context) (int, error) {
	n := 0
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Sweep deletes the rows whose leases have lapsed.
func (m *Manager) Sweep(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.TimestampRangeFilter(time.Time{}, m.clk.Now()))
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(names.FamLease)
		keys = append(keys, r.Key())
		muts = append(muts, mut)
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	_, err = m.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Lapsed was meant to be the opposite of Sweep: the leases that still run.
func (m *Manager) Running(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now())) // want ttlread/expired-only[running]
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                            // want ttlread/expired-only[running]
		for _, it := range r[names.FamLease] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[running]
	return out, err
}

// Recent reads a lease by the time since the start of the process.
func (m *Manager) Recent(ctx context.Context, name string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.TimestampRangeFilter(started, time.Time{})) // want ttlread/stale-bound[recent]
	row, err := m.tbl.ReadRow(ctx, name, bigtable.RowFilter(f))                                                            // want ttlread/stale-bound[recent]
	return len(row) > 0, err
}

// Uptime is for the health page.
func Uptime() time.Duration { return time.Since(started) } // ok ttlage/not-write-time

// Mark leaves a note that must survive for one lease.
func (m *Manager) Mark(ctx context.Context, name, note string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, colNote, bigtable.Time(started.Add(names.LeaseFor)), []byte(note)) // want ttlwrite/stale-clock[mark]
	return m.tbl.Apply(ctx, name, mut)
}
