// Package billing counts what customers use. Its table has families that are called
// like the state table's and mean something else; it is not in the registry.
package billing

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/keys"
)

// Ledger is the table.
type Ledger struct{ tbl *bigtable.Table }

// Open opens it.
func Open(c *bigtable.Client) *Ledger { return &Ledger{c.Open(keys.TableBilling)} }

// Charge notes a beat of a customer's device.
func (l *Ledger) Charge(ctx context.Context, customer, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, dev, bigtable.ServerTime, []byte{1})  // ok ttlwrite/server-timestamp
	m.Set(keys.FamLease, dev, bigtable.Now(), []byte{1})    // ok ttlwrite/write-time
	m.Set(keys.FamShadow, dev, bigtable.Now(), []byte{1})   // ok ttlwrite/clock-in-zero
	m.Set(keys.FamVer, dev, bigtable.ServerTime, []byte{1}) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, customer, m)
}

// Correct takes a charge back. The order is wrong in any table.
func (l *Ledger) Correct(ctx context.Context, customer, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, dev, bigtable.ServerTime, []byte{0}) // want ttlwrite/delete-after-set[correct]
	m.DeleteRow()                                          // want ttlwrite/delete-after-set[correct]
	return l.tbl.Apply(ctx, customer, m)
}

// Usage counts a customer's beats.
func (l *Ledger) Usage(ctx context.Context, customer string) (int, time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, customer) // ok ttlread/missing-filter
	if err != nil {
		return 0, 0, err
	}
	var longest time.Duration
	for _, it := range row[keys.FamHB] {
		if d := time.Since(it.Timestamp.Time()); d > longest { // ok ttlage/not-write-time
			longest = d
		}
	}
	return len(row[keys.FamHB]), longest, nil
}

// Add counts minutes.
func (l *Ledger) Add(ctx context.Context, customer string, minutes int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamLease, "minutes", minutes) // ok ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, customer, rmw)
	return err
}

// Fixed reads the window of the pilot.
func (l *Ledger) Fixed(ctx context.Context, customer string) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(5000, 5000)            // want ttlunit/empty-range[fixed]
	row, err := l.tbl.ReadRow(ctx, customer, bigtable.RowFilter(f)) // want ttlunit/empty-range[fixed]
	if err != nil || len(row) > 0 {
		return row, err
	}
	return l.tbl.ReadRow(ctx, customer, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
}

// Adjust books at the beginning of time, or at the end.
func (l *Ledger) Adjust(ctx context.Context, customer string, never bool) error {
	m := bigtable.NewMutation()
	if never {
		m.Set("adj", "end", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	} else {
		m.Set("adj", "begin", bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range
	}
	m.Set("adj", "mid", bigtable.Time(time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // ok ttlunit/out-of-range
	m.Set("adj", "seq", bigtable.Timestamp(1500), nil)                                   // want ttlunit/sub-millisecond
	return l.tbl.Apply(ctx, customer, m)
}
