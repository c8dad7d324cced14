// Package lease gives workers the sole right to a device for a while.
package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/clockutil"
	"example.com/fleetio/internal/config"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

const (
	colOwner = "owner"
	colTerm  = "term"
	colNote  = "note"
)

// ErrHeld says that somebody else has the lease.
var ErrHeld = errors.New("lease: held by somebody else")

// Lease is a right.
type Lease struct {
	Key     string        `json:"key"`
	Owner   string        `json:"owner"`
	Until   time.Time     `json:"until"`
	HeldFor time.Duration `json:"held_for"`
}

// Manager gives and takes leases.
type Manager struct {
	tbl *bigtable.Table
	ttl time.Duration
	log *logx.Logger
}

// NewManager opens the table that the configuration names.
func NewManager(c *bigtable.Client, cfg *config.Config, log *logx.Logger) *Manager {
	return &Manager{tbl: c.Open(cfg.LeaseTable), ttl: time.Duration(cfg.LeaseTTL), log: log}
}

// until is when a lease that is taken now ends.
func (m *Manager) until() bigtable.Timestamp { return bigtable.Time(clockutil.Deadline(m.ttl)) }

// Acquire takes a lease that nobody has.
func (m *Manager) Acquire(ctx context.Context, key, owner string) error {
	take := bigtable.NewMutation()
	take.Set(keys.FamLease, colOwner, m.until(), []byte(owner)) // ok ttlwrite/write-time
	held := bigtable.ChainFilters(
		bigtable.FamilyFilter(keys.FamLease),
		bigtable.ColumnFilter(colOwner),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	var taken bool
	err := m.tbl.Apply(ctx, key, bigtable.NewCondMutation(held, nil, take), bigtable.GetCondMutationResult(&taken)) // ok ttlread/conditional-mutation
	if err == nil && taken {
		err = ErrHeld
	}
	return err
}

// AcquireFast is the old way, for workers of the first generation.
func (m *Manager) AcquireFast(ctx context.Context, key, owner string) error {
	take := bigtable.NewMutation()
	take.Set(keys.FamLease, colOwner, bigtable.Now(), []byte(owner)) // want ttlwrite/write-time
	var taken bool
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter(colOwner), nil, take) // want ttlread/conditional-mutation[fast]
	err := m.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken))   // want ttlread/conditional-mutation[fast]
	if err == nil && taken {
		err = ErrHeld
	}
	return err
}

// Renew prolongs a lease that owner has.
func (m *Manager) Renew(ctx context.Context, key, owner string) error {
	more := bigtable.NewMutation()
	more.Set(keys.FamLease, colOwner, m.until(), []byte(owner))              // ok ttlwrite/write-time
	more.Set(keys.FamLease, colNote, bigtable.ServerTime, []byte("renewed")) // want ttlwrite/server-timestamp
	mine := bigtable.ChainFilters(                                           // want ttlread/conditional-mutation[renew]
		bigtable.FamilyFilter(keys.FamLease),
		bigtable.ColumnFilter(colOwner),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(owner),
	)
	var ok bool
	err := m.tbl.Apply(ctx, key, bigtable.NewCondMutation(mine, more, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[renew]
	if err == nil && !ok {
		err = ErrHeld
	}
	return err
}

// Release gives a lease back.
func (m *Manager) Release(ctx context.Context, key, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(keys.FamLease)
	mine := bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), bigtable.ValueFilter(owner))
	return m.tbl.Apply(ctx, key, bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Tombstone ends a lease for everybody.
func (m *Manager) Tombstone(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(keys.FamLease, colOwner, bigtable.Time(time.Now().Add(-time.Hour)), nil) // want ttlwrite/already-expired
	return m.tbl.Apply(ctx, key, mut)
}

// Term counts the terms of a lease.
func (m *Manager) Term(ctx context.Context, key string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamLease, colTerm, 1) // want ttlwrite/read-modify-write
	row, err := m.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, err
	}
	return btutil.IntOf(btutil.Value(row, keys.FamLease, colTerm)), nil
}

// Note appends to a lease's note.
func (m *Manager) Note(ctx context.Context, key, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(keys.FamLease, colNote, []byte(text)) // want ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Holder says who has a lease.
func (m *Manager) Holder(ctx context.Context, key string) (string, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(btutil.Value(row, keys.FamLease, colOwner)), nil
}

// Get reads a lease.
func (m *Manager) Get(ctx context.Context, key string) (*Lease, error) {
	now := time.Now()
	f := bigtable.ChainFilters(btutil.Live(now), bigtable.LatestNFilter(1))
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	it, ok := btutil.Find(row, keys.FamLease, colOwner)
	if !ok {
		return nil, nil
	}
	return &Lease{
		Key:     key,
		Owner:   string(it.Value),
		Until:   it.Timestamp.Time(),             // ok ttlage/not-write-time
		HeldFor: time.Since(it.Timestamp.Time()), // want ttlage/not-write-time
	}, nil
}

// All lists the leases under a prefix.
func (m *Manager) All(ctx context.Context, prefix string) ([]Lease, error) {
	var out []Lease
	err := m.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[keys.FamLease] {
			out = append(out, Lease{Key: r.Key(), Owner: string(it.Value), Until: it.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		return true
	})
	return out, err
}

// Held lists those that somebody has now.
func (m *Manager) Held(ctx context.Context, prefix string) ([]Lease, error) {
	var out []Lease
	now := time.Now()
	err := m.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[keys.FamLease] {
			until := it.Timestamp.Time()
			if until.Before(now) {
				continue
			}
			out = append(out, Lease{Key: r.Key(), Owner: string(it.Value), Until: until})
		}
		return true
	})
	return out, err
}

// Slack is Held with a second's grace.
func (m *Manager) Slack(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	f := btutil.Within(time.Now(), time.Second)
	err := btutil.Scan(ctx, m.tbl, prefix, f, func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		out = append(out, string(btutil.Value(r, keys.FamLease, colOwner)))
		return true
	})
	return out, err
}

// Grace is the same with more of it.
func (m *Manager) Grace(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	f := btutil.Within(time.Now(), 30*time.Second)                        // want ttlread/wrong-bound[grace]
	err := btutil.Scan(ctx, m.tbl, prefix, f, func(r bigtable.Row) bool { // want ttlread/wrong-bound[grace]
		out = append(out, string(btutil.Value(r, keys.FamLease, colOwner)))
		return true
	})
	return out, err
}

// Steal takes leases over from a worker that is gone.
func (m *Manager) Steal(ctx context.Context, prefix, from, to string) (int, error) {
	buf := btutil.NewBuffer(m.tbl, 100)
	n := 0
	var aerr error
	f := bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), btutil.Live(time.Now()), bigtable.LatestNFilter(1), bigtable.ValueFilter(from))
	err := btutil.Scan(ctx, m.tbl, prefix, f, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.Set(keys.FamLease, colOwner, m.until(), []byte(to)) // ok ttlwrite/write-time
		if b, err := json.Marshal(map[string]string{"from": from}); err == nil {
			mut.Set(keys.FamLease, colNote, bigtable.Time(time.Now()), b) // want ttlwrite/write-time
		}
		aerr = buf.Add(ctx, r.Key(), mut)
		n++
		return aerr == nil
	})
	if err == nil {
		err = aerr
	}
	if err == nil {
		err = buf.Flush(ctx)
	}
	if err != nil {
		return n, fmt.Errorf("steal from %s: %w", from, err)
	}
	return n, nil
}

// Keep renews a lease until ctx ends.
func (m *Manager) Keep(ctx context.Context, key, owner string) error {
	t := time.NewTicker(m.ttl / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return m.Release(context.WithoutCancel(ctx), key, owner)
		case <-t.C:
			if err := m.Renew(ctx, key, owner); err != nil {
				m.log.Error("renew", err, logx.KV{"key": key})
				return err
			}
		}
	}
}
