// Package store is the Bigtable adapter of the pricing service.
package store

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/pricing"
)

var (
	colTariff = dal.JSON[pricing.Tariff](dal.FamRate, "t")
	colBase   = dal.Float(dal.FamRate, "base")
	colChange = dal.JSON[pricing.Change](dal.FamChange, "c")
)

// Tariffs implements pricing.Tariffs.
type Tariffs struct {
	tbl   dal.Table
	clock dal.Clock
}

var _ pricing.Tariffs = (*Tariffs)(nil)

// NewTariffs returns the adapter over the table "tariffs".
func NewTariffs(c *dal.Client) *Tariffs { return &Tariffs{tbl: c.Tariffs(), clock: c.Clock()} }

// Tariff reads a tariff; there is one version of it.
func (s *Tariffs) Tariff(ctx context.Context, zone string) (pricing.Tariff, error) {
	return dal.Load(ctx, s.tbl, zone, colTariff) // ok ttlread/missing-filter
}

// SaveTariff writes a tariff and the line of its history.
func (s *Tariffs) SaveTariff(ctx context.Context, t pricing.Tariff, c pricing.Change) error {
	m := bigtable.NewMutation()
	if err := colTariff.Set(m, 0, t); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := colBase.Set(m, dal.Unversioned(), t.Rates["base"]); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := colChange.Set(m, dal.NowTS(s.clock), c); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return s.tbl.Apply(ctx, t.Zone, m)
}

// Override writes a base rate until the next tariff comes.
func (s *Tariffs) Override(ctx context.Context, zone string, base float64) error {
	return dal.Store(ctx, s.tbl, zone, colBase, dal.NowTS(s.clock), base) // want ttlwrite/clock-in-zero
}

// OverrideServer leaves it to the server.
func (s *Tariffs) OverrideServer(ctx context.Context, zone string, base float64) error {
	return dal.Store(ctx, s.tbl, zone, colBase, bigtable.ServerTime, base) // want ttlwrite/clock-in-zero
}

// OverrideNumbered writes a version.
func (s *Tariffs) OverrideNumbered(ctx context.Context, zone string, base float64) error {
	return dal.Store(ctx, s.tbl, zone, colBase, dal.Seq(1), base) // want ttlwrite/clock-in-zero
}

// OverrideRight replaces the base rate.
func (s *Tariffs) OverrideRight(ctx context.Context, zone string, base float64) error {
	return dal.Store(ctx, s.tbl, zone, colBase, 0, base) // ok ttlwrite/clock-in-zero
}

// Hits counts in the wrong family.
func (s *Tariffs) Hits(ctx context.Context, zone string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamRate, "hits", 1)   // want ttlwrite/read-modify-write
	rmw.Increment(dal.FamChange, "hits", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, zone, rmw)
	return err
}

// Clean writes a tariff without its extras; the second Set wins.
func (s *Tariffs) Clean(ctx context.Context, zone string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(dal.FamRate, "extra")         // ok ttlwrite/delete-after-set
	m.Set(dal.FamRate, "extra", 0, nil)                 // ok ttlwrite/delete-after-set
	m.Set(dal.FamChange, "extra", 0, []byte("cleared")) // ok ttlwrite/already-expired
	m.Set(dal.FamRate, "extra2", 0, nil)                // ok ttlwrite/same-timestamp
	m.Set(dal.FamRate, "extra2", 0, []byte("-"))        // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, zone, m)
}

// SaveAll writes the rates of a tariff, all into one column.
func (s *Tariffs) SaveAll(ctx context.Context, t pricing.Tariff) error {
	m := bigtable.NewMutation()
	for kind, r := range t.Rates {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		m.Set(dal.FamRate, "rate", 0, b)    // want ttlwrite/same-timestamp
		m.Set(dal.FamRate, "r:"+kind, 0, b) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, t.Zone, m)
}

// Changed tells when a tariff was changed, from the tariff itself.
func (s *Tariffs) Changed(ctx context.Context, zone string) (updatedAt time.Time, err error) {
	row, err := s.tbl.ReadRow(ctx, zone)
	if err != nil {
		return updatedAt, err
	}
	it, ok := colTariff.Item(row)
	if !ok {
		return updatedAt, dal.ErrNotFound
	}
	updatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	return updatedAt, nil
}

// ChangedRight tells it from the history.
func (s *Tariffs) ChangedRight(ctx context.Context, zone string) (updatedAt time.Time, err error) {
	row, err := s.tbl.ReadRow(ctx, zone)
	if err != nil {
		return updatedAt, err
	}
	it, ok := colChange.Item(row)
	if !ok {
		return updatedAt, dal.ErrNotFound
	}
	updatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	return updatedAt, nil
}

// Since reads the changes of a year.
func (s *Tariffs) Since(ctx context.Context, zone string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, zone, dal.With(bigtable.FamilyFilter(dal.FamChange), dal.Younger(s.clock, 8760*time.Hour))) // ok ttlread/wrong-bound
	return row[dal.FamChange], err
}

// Era reads the changes of an era that nobody has data of.
func (s *Tariffs) Era(ctx context.Context, zone string) ([]bigtable.ReadItem, error) {
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)
	f := bigtable.TimestampRangeFilter(from, to)                                            // want ttlunit/empty-range[era]
	row, err := s.tbl.ReadRow(ctx, zone, dal.With(bigtable.FamilyFilter(dal.FamChange), f)) // want ttlunit/empty-range[era]
	return row[dal.FamChange], err
}

// Years reads the changes of a year.
func (s *Tariffs) Years(ctx context.Context, zone string) ([]bigtable.ReadItem, error) {
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	f := bigtable.TimestampRangeFilter(from, from.AddDate(1, 0, 0)) // ok ttlunit/empty-range
	row, err := s.tbl.ReadRow(ctx, zone, dal.With(bigtable.FamilyFilter(dal.FamChange), f))
	return row[dal.FamChange], err
}

// Import writes changes with the times of the old system.
func (s *Tariffs) Import(ctx context.Context, zone string, cs []pricing.Change) error {
	m := bigtable.NewMutation()
	for _, c := range cs {
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		m.Set(dal.FamChange, "unix", bigtable.Timestamp(c.At.Unix()), b)           // want ttlunit/wrong-unit
		m.Set(dal.FamChange, "milli", bigtable.Timestamp(c.At.UnixMilli()), b)     // want ttlunit/wrong-unit
		m.Set(dal.FamChange, "nano", bigtable.Timestamp(c.At.UnixNano()), b)       // want ttlunit/wrong-unit
		m.Set(dal.FamChange, "micro", bigtable.Timestamp(c.At.UnixMicro()), b)     // ok ttlunit/wrong-unit
		m.Set(dal.FamChange, "micro2", bigtable.Timestamp(c.At.Unix()*1e6), b)     // ok ttlunit/wrong-unit
		m.Set(dal.FamChange, "micro3", bigtable.Timestamp(c.At.UnixNano()/1e3), b) // ok ttlunit/wrong-unit
		m.Set(dal.FamChange, "milli2", bigtable.Timestamp(c.At.Unix()*1000), b)    // want ttlunit/wrong-unit
		m.Set(dal.FamChange, "old", dal.EpochMillis(c.At.UnixMilli()), b)          // ok ttlunit/wrong-unit
		m.Set(dal.FamChange, "time", bigtable.Time(c.At), b)                       // ok ttlunit/out-of-range
	}
	m.Set(dal.FamChange, "begin", bigtable.Time(time.Time{}), nil)                               // want ttlunit/out-of-range
	m.Set(dal.FamChange, "end", bigtable.Time(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	m.Set(dal.FamChange, "neg", -2000, nil)                                                      // want ttlunit/out-of-range
	m.Set(dal.FamChange, "one", 1500, nil)                                                       // want ttlunit/sub-millisecond
	m.Set(dal.FamChange, "two", 2000, nil)                                                       // ok ttlunit/sub-millisecond
	m.Set(dal.FamChange, "epoch", bigtable.Time(time.Unix(0, 0)), nil)                           // ok ttlunit/out-of-range
	m.DeleteTimestampRange(dal.FamChange, "tmp", 0, 999)                                         // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(dal.FamChange, "tmp2", 0, 5000)                                       // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, zone, m)
}

// Shift moves a change by a day.
func (s *Tariffs) Shift(m *bigtable.Mutation, at time.Time, b []byte) {
	ts := bigtable.Time(at)
	m.Set(dal.FamChange, "a", ts+bigtable.Timestamp(24*time.Hour), b)                  // want ttlunit/wrong-unit
	m.Set(dal.FamChange, "b", ts+bigtable.Timestamp(24*time.Hour/time.Microsecond), b) // ok ttlunit/wrong-unit
	m.Set(dal.FamChange, "c", ts+bigtable.Timestamp((24*time.Hour).Microseconds()), b) // ok ttlunit/wrong-unit
}

// Filters that the console offers.
var (
	FilterNone  = bigtable.LatestNFilter(0)                                 // want ttlunit/invalid-filter
	FilterOne   = bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamRate)) // want ttlunit/invalid-filter
	FilterFew   = bigtable.LatestNFilter(5)                                 // ok ttlunit/invalid-filter
	FilterTwo   = bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamRate), bigtable.LatestNFilter(1))
	FilterMicro = bigtable.TimestampRangeFilterMicros(0, 999) // want ttlunit/sub-millisecond
)

// Row reads a row for the console, with two options that should add up.
func (s *Tariffs) Row(ctx context.Context, zone string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, zone, bigtable.RowFilter(FilterTwo), bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/overridden-filter
}

// RowOne reads with one option.
func (s *Tariffs) RowOne(ctx context.Context, zone string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, zone, bigtable.RowFilter(FilterTwo), bigtable.LimitRows(1)) // ok ttlread/overridden-filter
}
