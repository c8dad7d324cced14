// Package lease elects workers.
package lease

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// ErrHeld is returned for leases that somebody else holds.
var ErrHeld = errors.New("lease: held")

// table is the part of bt.Table that leases use.
type table interface {
	bt.Reader
	bt.Applier
}

// Manager hands out leases.
type Manager struct {
	tbl   table
	owner string
	ttl   time.Duration
	log   *slog.Logger
}

// NewManager makes a Manager for one process.
func NewManager(tbl table, owner string, log *slog.Logger) *Manager {
	return &Manager{tbl: tbl, owner: owner, ttl: schema.LeaseTTL, log: log}
}

// held matches a lease that has not run out.
func held(now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamLease),
		bigtable.ColumnFilter(schema.ColHolder),
		bigtable.TimestampRangeFilter(now, time.Time{}),
	)
}

// Acquire takes a lease unless it is held.
func (m *Manager) Acquire(ctx context.Context, name string) error {
	now := time.Now()
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn(schema.FamLease, schema.ColHolder)
	take.Set(schema.FamLease, schema.ColHolder, bigtable.Time(now.Add(m.ttl)), []byte(m.owner)) // ok ttlwrite/write-time
	var was bool
	cond := bigtable.NewCondMutation(held(now), nil, take) // ok ttlread/conditional-mutation
	if err := m.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&was)); err != nil {
		return err
	}
	if was {
		return ErrHeld
	}
	return nil
}

// Renew extends a lease that this process holds.
func (m *Manager) Renew(ctx context.Context, name string) error {
	mine := bigtable.ChainFilters( // want ttlread/conditional-mutation[renew]
		bigtable.FamilyFilter(schema.FamLease),
		bigtable.ColumnFilter(schema.ColHolder),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(m.owner),
	)
	extend := bigtable.NewMutation()
	extend.Set(schema.FamLease, schema.ColHolder, bigtable.Time(time.Now().Add(m.ttl)), []byte(m.owner)) // ok ttlwrite/write-time
	var ok bool
	cond := bigtable.NewCondMutation(mine, extend, nil) // want ttlread/conditional-mutation[renew]
	if err := m.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&ok)); err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	return nil
}

// Resign gives a lease up.
func (m *Manager) Resign(ctx context.Context, name string) error {
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.ValueFilter(m.owner))
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn(schema.FamLease, schema.ColHolder)
	return m.tbl.Apply(ctx, name, bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
}

// Steal takes a lease whoever has it.
func (m *Manager) Steal(ctx context.Context, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, schema.ColHolder, bigtable.Time(time.Now()), []byte(m.owner)) // want ttlwrite/write-time
	mut.Set(schema.FamLease, "stolen", bigtable.Time(time.Now().Add(m.ttl)), []byte("1"))  // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, name, mut)
}

// Holder tells who holds a lease.
func (m *Manager) Holder(ctx context.Context, name string) (string, time.Time, error) {
	row, err := m.tbl.ReadRow(ctx, name, bigtable.RowFilter(held(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for it := range bt.Cells(row, schema.FamLease) {
		return string(it.Value), it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return "", time.Time{}, bt.ErrNotFound
}

// Status is a lease as the operators' page shows it.
type Status struct {
	Name      string
	Holder    string
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// List lists all leases.
func (m *Manager) List(ctx context.Context) ([]Status, error) {
	var out []Status
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[schema.FamLease] {
			out = append(out, Status{
				Name:      r.Key(),
				Holder:    string(it.Value),
				UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
				ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
			})
		}
		return true
	})
	return out, err
}

// Held lists the live leases.
func (m *Manager) Held(ctx context.Context) (names []string, err error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1000)}
	opts = append(opts, bigtable.RowFilter(held(time.Now())))
	err = m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		names = append(names, r.Key()+"="+string(r[schema.FamLease][0].Value))
		return true
	}, opts...)
	return names, err
}

// Stale lists holders that let their lease run out without resigning.
func (m *Manager) Stale(ctx context.Context) (names []string, err error) {
	err = m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.FamLease] {
			if it.Timestamp < bigtable.Now() {
				names = append(names, string(it.Value))
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return names, err
}

// Run holds a lease while f runs.
func (m *Manager) Run(ctx context.Context, name string, f func(context.Context) error) error {
	if err := m.Acquire(ctx, name); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer cancel()
		return f(ctx)
	})
	g.Go(func() error {
		tick := time.NewTicker(m.ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
				if err := m.Renew(ctx, name); err != nil {
					return err
				}
			}
		}
	})
	err := g.Wait()
	if rerr := m.Resign(context.WithoutCancel(ctx), name); rerr != nil {
		m.log.WarnContext(ctx, "resign", "lease", name, "err", rerr)
	}
	return err
}

// started is when this process came up; heartbeats carry it.
var started = time.Now()

// Heartbeat says that this process is alive.
func (m *Manager) Heartbeat(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "beat", bigtable.Time(started.Add(m.ttl)), []byte(m.owner))                          // want ttlwrite/stale-clock
	mut.Set(schema.FamLease, "since", bigtable.Time(time.Now().Add(m.ttl)), []byte(started.Format(time.RFC3339))) // ok ttlwrite/stale-clock
	return m.tbl.Apply(ctx, "proc#"+m.owner, mut)
}
