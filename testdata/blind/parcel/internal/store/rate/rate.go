// Package rate caches what carriers charge.
//
// Table "rates": "price" lives for a day unless its writer moves the timestamp, "tariff" has one value per column, at timestamp 0.
package rate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/retry"
)

// TableName is the table's name.
const TableName = "rates"

// Families of the table.
const (
	Price  = "price"
	Tariff = "tariff"
)

// Keep is how long the collector leaves a price.
const Keep = 24 * time.Hour

// Quote is a carrier's price.
type Quote struct {
	Carrier   string    `json:"carrier"`
	Service   string    `json:"service"`
	Cents     int64     `json:"cents"`
	UpdatedAt time.Time `json:"updated_at"`
	ValidTo   time.Time `json:"valid_to"`
}

// Cache is the cache of prices.
type Cache struct {
	tbl   *bigtable.Table
	now   func() time.Time
	retry retry.Policy
	log   *slog.Logger
}

// Option configures a Cache.
type Option func(*Cache)

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(c *Cache) { c.now = now } }

// WithRetry replaces the retry policy.
func WithRetry(p retry.Policy) Option { return func(c *Cache) { c.retry = p } }

// NewCache returns a Cache.
func NewCache(client *bigtable.Client, opts ...Option) *Cache {
	c := &Cache{tbl: client.Open(TableName), now: time.Now, retry: retry.Default, log: slog.Default()}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Key is the row key of a relation.
func Key(from, to string) string { return from + ">" + to }

// ts moves a timestamp such that the value lives for life instead of Keep.
func (c *Cache) ts(life time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.now().Add(life - Keep))
}

// Put stores a price for a day.
func (c *Cache) Put(ctx context.Context, from, to string, q Quote) error {
	m := bigtable.NewMutation()
	m.Set(Price, q.Carrier+"/"+q.Service, bigtable.Now(), cents(q.Cents)) // ok ttlwrite/write-time
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// PutDefault stores a price with the server's clock.
func (c *Cache) PutDefault(ctx context.Context, from, to string, q Quote) error {
	m := bigtable.NewMutation()
	m.Set(Price, q.Carrier+"/"+q.Service, bigtable.ServerTime, cents(q.Cents)) // ok ttlwrite/server-timestamp
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// PutSpot stores a spot price, which is good for an hour.
func (c *Cache) PutSpot(ctx context.Context, from, to string, q Quote) error {
	m := bigtable.NewMutation()
	m.Set(Price, q.Carrier+"/spot", c.ts(time.Hour), cents(q.Cents)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// PutWeek stores a price that was agreed for a week.
func (c *Cache) PutWeek(ctx context.Context, from, to string, q Quote) error {
	m := bigtable.NewMutation()
	m.Set(Price, q.Carrier+"/week", c.ts(7*24*time.Hour), cents(q.Cents)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// Spoil makes a price go at the next collection, as it was before the change of Keep.
func (c *Cache) Spoil(ctx context.Context, from, to, carrier string) error {
	m := bigtable.NewMutation()
	m.Set(Price, carrier+"/spot", bigtable.Time(c.now().Add(-25*time.Hour)), nil) // want ttlwrite/already-expired
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// Fade leaves a price for another hour.
func (c *Cache) Fade(ctx context.Context, from, to, carrier string, v []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(Price, carrier+"/spot")
	m.Set(Price, carrier+"/spot", bigtable.Time(c.now().Add(-23*time.Hour)), v) // ok ttlwrite/already-expired ttlwrite/delete-after-set
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// SetTariff stores a carrier's tariff; there is only one.
func (c *Cache) SetTariff(ctx context.Context, from, to, carrier string, table any) error {
	raw, err := json.Marshal(table)
	if err != nil {
		return fmt.Errorf("rate: tariff: %w", err)
	}
	m := bigtable.NewMutation()
	m.Set(Tariff, carrier, 0, raw) // ok ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// AmendTariff stores a surcharge next to the tariff.
func (c *Cache) AmendTariff(ctx context.Context, from, to, carrier string, surcharge int64) error {
	m := bigtable.NewMutation()
	m.Set(Tariff, carrier+"/surcharge", bigtable.Now(), cents(surcharge)) // want ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// SyncTariff copies what a carrier publishes.
func (c *Cache) SyncTariff(ctx context.Context, from, to, carrier string, raw []byte) error {
	ts := bigtable.ServerTime
	m := bigtable.NewMutation()
	m.Set(Price, carrier+"/list", ts, raw) // ok ttlwrite/server-timestamp
	m.Set(Tariff, carrier, ts, raw)        // want ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// CountTariff counts how often a tariff was used.
func (c *Cache) CountTariff(ctx context.Context, from, to, carrier string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(Tariff, carrier+"/uses", 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, Key(from, to), rmw)
	return err
}

// CountQuotes counts the quotes of a day.
func (c *Cache) CountQuotes(ctx context.Context, from, to string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(Price, "quotes", 1) // ok ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, Key(from, to), rmw)
	return err
}

// Quotes returns the prices of a relation.
func (c *Cache) Quotes(ctx context.Context, from, to string) ([]Quote, error) {
	f := bigtable.ChainFilters(bt.WithinFamily(Price, c.now(), Keep), bigtable.LatestNFilter(1))
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Quote
	for _, it := range row[Price] {
		out = append(out, Quote{
			Carrier: it.Column,
			Cents:   parse(it.Value),
			ValidTo: it.Timestamp.Time().Add(Keep), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// Latest returns the last price of a carrier.
func (c *Cache) Latest(ctx context.Context, from, to, carrier string) (*Quote, error) {
	f := bigtable.ChainFilters(bt.Column(Price, carrier+"/.*"), bigtable.LatestNFilter(1))
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(f)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[Price] {
		return &Quote{Carrier: carrier, Cents: parse(it.Value), UpdatedAt: it.Timestamp.Time()}, nil // want ttlage/not-write-time
	}
	return nil, bt.ErrNotFound
}

// All returns everything that a relation has, tariffs included.
func (c *Cache) All(ctx context.Context, from, to string) (bigtable.Row, error) {
	return c.tbl.ReadRow(ctx, Key(from, to)) // want ttlread/missing-filter
}

// Current reads the prices that are still good.
func (c *Cache) Current(ctx context.Context, from, to string) ([]int64, error) {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bt.LiveFamily(Price, c.now()))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[Price] {
		out = append(out, parse(it.Value))
	}
	return out, nil
}

// HalfDay reads with the limit that Keep once was.
func (c *Cache) HalfDay(ctx context.Context, from, to string) ([]int64, error) {
	cut := bt.Within(c.now(), 12*time.Hour) // want ttlread/wrong-bound[half]
	var row bigtable.Row
	err := c.retry.Do(ctx, func(ctx context.Context) (err error) {
		row, err = c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(Price), cut))) // want ttlread/wrong-bound[half]
		return err
	})
	var out []int64
	for _, it := range row[Price] {
		out = append(out, parse(it.Value))
	}
	return out, err
}

// Today reads the prices between yesterday and now.
func (c *Cache) Today(ctx context.Context, prefix string) (map[string][]int64, error) {
	now := c.now()
	out := map[string][]int64{}
	day := bigtable.ChainFilters(bigtable.FamilyFilter(Price), bigtable.TimestampRangeFilter(now.Add(-Keep), now)) // want ttlread/upper-bound[today]
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {                           // want ttlread/upper-bound[today]
		for _, it := range r[Price] {
			out[r.Key()] = append(out[r.Key()], parse(it.Value))
		}
		return true
	}, bigtable.RowFilter(day)) // want ttlread/upper-bound[today]
	return out, err
}

// Stale reads the prices that are about to be collected.
func (c *Cache) Stale(ctx context.Context, prefix string) ([]string, error) {
	end := c.now().Add(-Keep)
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(Price), bigtable.TimestampRangeFilter(time.Time{}, end)) // want ttlread/expired-only[stale]
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {                      // want ttlread/expired-only[stale]
		for _, it := range r[Price] {
			out = append(out, it.Column)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return out, err
}

// Both returns prices and tariffs, each as it should be.
func (c *Cache) Both(ctx context.Context, from, to string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(bt.WithinFamily(Price, c.now(), Keep), bigtable.FamilyFilter(Tariff))
	return c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch ttlread/missing-filter
}

// Bare returns prices and tariffs with one range for both.
func (c *Cache) Bare(ctx context.Context, from, to string) (prices, tariffs int, err error) {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bt.Within(c.now(), Keep))) // want ttlread/hides-other-families
	if err != nil {
		return 0, 0, err
	}
	for range row[Price] {
		prices++
	}
	for range row[Tariff] {
		tariffs++
	}
	return prices, tariffs, nil
}

// TariffOf returns a carrier's tariff.
func (c *Cache) TariffOf(ctx context.Context, from, to, carrier string) (json.RawMessage, error) {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bt.Column(Tariff, carrier))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[Tariff] {
		return it.Value, nil
	}
	return nil, bt.ErrNotFound
}

// ByHand leaves out old prices itself.
func (c *Cache) ByHand(ctx context.Context, from, to string) (int64, error) {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bigtable.FamilyFilter(Price))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	best := int64(-1)
	limit := bigtable.Time(c.now().Add(-Keep))
	for _, it := range row[Price] {
		if it.Timestamp < limit {
			continue
		}
		if v := parse(it.Value); best < 0 || v < best {
			best = v
		}
	}
	return best, nil
}

// Newest compares prices with each other.
func (c *Cache) Newest(ctx context.Context, from, to string) (int64, error) {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bigtable.FamilyFilter(Price))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var top bigtable.ReadItem
	for _, it := range row[Price] {
		if it.Timestamp > top.Timestamp {
			top = it
		}
	}
	if top.Value == nil {
		return 0, bt.ErrNotFound
	}
	return parse(top.Value), nil
}

// Known says whether there is any price for a relation.
func (c *Cache) Known(ctx context.Context, from, to string) bool {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(Price), bigtable.CellsPerRowLimitFilter(1)))) // want ttlread/missing-filter
	return err == nil && len(row) > 0
}

// LockTariff writes a tariff where there is a price.
func (c *Cache) LockTariff(ctx context.Context, from, to, carrier string, raw []byte) error {
	set := bigtable.NewMutation()
	set.Set(Tariff, carrier, bigtable.Timestamp(0), raw)                     // ok ttlwrite/clock-in-zero
	m := bigtable.NewCondMutation(bt.Column(Price, carrier+"/.*"), set, nil) // want ttlread/conditional-mutation
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// LockTariffLive writes a tariff where there is a price that is still good.
func (c *Cache) LockTariffLive(ctx context.Context, from, to, carrier string, raw []byte) error {
	set := bigtable.NewMutation()
	set.Set(Tariff, carrier, 0, raw)                                               // ok ttlwrite/clock-in-zero
	m := bigtable.NewCondMutation(bt.WithinFamily(Price, c.now(), Keep), set, nil) // ok ttlread/conditional-mutation
	return c.tbl.Apply(ctx, Key(from, to), m)
}

// Report logs how old the prices are.
func (c *Cache) Report(ctx context.Context, from, to string) error {
	row, err := c.tbl.ReadRow(ctx, Key(from, to), bigtable.RowFilter(bt.WithinFamily(Price, c.now(), Keep))) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, it := range row[Price] {
		c.log.Info("price", "column", it.Column, "age", time.Since(it.Timestamp.Time()).String()) // want ttlage/not-write-time
		c.log.Info("price", "column", it.Column, "ts", int64(it.Timestamp))                       // ok ttlage/not-write-time
	}
	return nil
}

// Dated says which prices have no timestamp of their own.
func Dated(row bigtable.Row) (n int) {
	for _, it := range row[Price] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
	}
	return n
}

func cents(v int64) []byte { return strconv.AppendInt(nil, v, 10) }

func parse(b []byte) int64 {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// Validate checks a quote.
func (q Quote) Validate() error {
	switch {
	case q.Carrier == "":
		return errors.New("rate: no carrier")
	case q.Cents < 0:
		return errors.New("rate: negative price")
	}
	return nil
}
