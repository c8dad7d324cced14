// Package leases elects one gateway per site. It brings its own table, which nobody
// has entered in ttlvet.yaml yet.
package leases

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/bus"
)

const (
	tableName = "gateway-leases"
	famLease  = "lease"
	famOwner  = "owner"
	term      = 45 * time.Second
)

// ErrHeld is returned when another gateway has the lease.
var ErrHeld = errors.New("leases: held")

// Manager takes and keeps leases.
type Manager struct {
	tbl *bigtable.Table
	id  string
}

// New returns a manager for the gateway id.
func New(c *bigtable.Client, id string) *Manager {
	return &Manager{tbl: c.Open(tableName), id: id}
}

// Setup makes the table.
func Setup(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: tableName,
		ColumnFamilies: map[string]bigtable.Family{
			famLease: {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			famOwner: {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	})
}

// Acquire takes the lease of a site if it is free.
func (m *Manager) Acquire(ctx context.Context, site string) error {
	take := bigtable.NewMutation()
	take.Set(famLease, "holder", bigtable.Time(time.Now().Add(term)), []byte(m.id)) // ok ttlwrite/write-time
	take.Set(famOwner, "holder", bigtable.Now(), []byte(m.id))                      // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(famLease), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	var held bool
	if err := m.tbl.Apply(ctx, site, bigtable.NewCondMutation(free, nil, take), bigtable.GetCondMutationResult(&held)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if held {
		return fmt.Errorf("%w: %s", ErrHeld, site)
	}
	return nil
}

// Keep renews the lease until ctx ends.
func (m *Manager) Keep(ctx context.Context, site string) error {
	for range bus.Tick(ctx, term/3) {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(famLease, "holder")
		mut.Set(famLease, "holder", bigtable.Time(time.Now().Add(term)), []byte(m.id)) // ok ttlwrite/delete-after-set
		mut.Set(famLease, "renewed", bigtable.ServerTime, []byte(m.id))                // want ttlwrite/server-timestamp
		mut.Set(famOwner, "renewed", bigtable.ServerTime, []byte(m.id))                // ok ttlwrite/server-timestamp
		if err := m.tbl.Apply(ctx, site, mut); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Holder tells who has the lease.
func (m *Manager) Holder(ctx context.Context, site string) (string, error) {
	row, err := m.tbl.ReadRow(ctx, site, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famLease), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famLease] {
		return string(it.Value), nil
	}
	return "", nil
}

// Owner tells who had it last.
func (m *Manager) Owner(ctx context.Context, site string) (string, time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, site, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famOwner), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	for _, it := range row[famOwner] {
		return string(it.Value), time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return "", 0, nil
}

// Release gives the lease back.
func (m *Manager) Release(ctx context.Context, site string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(famLease)
	mut.Set(famLease, "released", bigtable.Now(), []byte(m.id)) // want ttlwrite/write-time
	mut.Set(famOwner, "released", bigtable.Now(), []byte(m.id)) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, site, mut)
}
