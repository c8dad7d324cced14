// Package kiosk keeps the PINs of parcel lockers. Nobody has put its table into the registry.
package kiosk

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
)

const (
	table = "kiosks"
	pin   = "pin"
	box   = "box"
)

// Store keeps PINs.
type Store struct {
	tbl *bigtable.Table
}

// New returns a Store.
func New(c *bigtable.Client) *Store { return &Store{tbl: c.Open(table)} }

// EnsureTable creates the table.
func EnsureTable(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: table,
		ColumnFamilies: map[string]bigtable.Family{
			pin: {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			box: {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
		},
	})
}

// Put stores a PIN for three days.
func (s *Store) Put(ctx context.Context, locker, p string) error {
	m := bigtable.NewMutation()
	m.Set(pin, "pin", bigtable.Time(time.Now().Add(72*time.Hour)), []byte(p)) // ok ttlwrite/write-time
	m.Set(box, "box", bigtable.Now(), []byte(locker))                         // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, locker, m)
}

// PutMaster stores the PIN of the technician.
func (s *Store) PutMaster(ctx context.Context, locker, p string) error {
	m := bigtable.NewMutation()
	m.Set(pin, "master", bigtable.ServerTime, []byte(p)) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, locker, m)
}

// Check compares a PIN.
func (s *Store) Check(ctx context.Context, locker, p string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, locker, bigtable.RowFilter(bt.Column(pin, "pin"))) // want ttlread/missing-filter
	for _, it := range row[pin] {
		if string(it.Value) == p {
			return true, nil
		}
	}
	return false, err
}

// CheckLive compares a PIN that has not expired.
func (s *Store) CheckLive(ctx context.Context, locker, p string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, locker, bigtable.RowFilter(bt.LiveFamily(pin, time.Now()))) // ok ttlread/missing-filter
	for _, it := range row[pin] {
		if string(it.Value) == p {
			return true, nil
		}
	}
	return false, err
}
