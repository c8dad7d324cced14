// Package cache is a read-through cache in Bigtable, for answers of other
// systems that are expensive to get.
package cache

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Source gets what is not in the cache.
type Source[K ~string, V any] interface {
	Get(ctx context.Context, key K) (V, error)
}

// SourceFunc makes a function a Source.
type SourceFunc[K ~string, V any] func(ctx context.Context, key K) (V, error)

// Get implements Source.
func (f SourceFunc[K, V]) Get(ctx context.Context, key K) (V, error) { return f(ctx, key) }

// settings are what options change.
type settings struct {
	ttl    time.Duration
	column string
	clock  bt.Clock
	log    *slog.Logger
	live   func() bigtable.Filter
}

// Option configures a Cache.
type Option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// TTL sets how long answers are kept.
func TTL(d time.Duration) Option { return optionFunc(func(s *settings) { s.ttl = d }) }

// Column sets the column of the answers.
func Column(name string) Option { return optionFunc(func(s *settings) { s.column = name }) }

// Clock sets the clock.
func Clock(c bt.Clock) Option { return optionFunc(func(s *settings) { s.clock = c }) }

// Cache caches a source in the access family of the token table.
type Cache[K ~string, V any] struct {
	src Source[K, V]
	tbl bt.Table
	settings
}

// New makes a Cache.
func New[K ~string, V any](tbl bt.Table, src Source[K, V], opts ...Option) *Cache[K, V] {
	c := &Cache[K, V]{src: src, tbl: tbl, settings: settings{
		ttl: schema.AccessTTL, column: "cached", clock: time.Now, log: slog.Default(), live: bt.Live,
	}}
	for _, o := range opts {
		o.apply(&c.settings)
	}
	return c
}

// filter is what every read of a cache is filtered with.
func (c *Cache[K, V]) filter() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(string(schema.Access)),
		bigtable.ColumnFilter(c.column),
		c.live(),
	)
}

// Get reads an answer, from the cache if it is there.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	var v V
	row, err := c.tbl.ReadRow(ctx, "cache#"+string(key), bigtable.RowFilter(c.filter())) // ok ttlread/missing-filter
	if err == nil {
		for it := range bt.Cells(row, schema.Access) {
			return v, json.Unmarshal(it.Value, &v)
		}
	}
	if v, err = c.src.Get(ctx, key); err != nil {
		return v, err
	}
	if err := c.put(ctx, key, v); err != nil {
		c.log.WarnContext(ctx, "cache", "key", key, "err", err)
	}
	return v, nil
}

func (c *Cache[K, V]) put(ctx context.Context, key K, v V) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(schema.Access), c.column)
	m.Set(string(schema.Access), c.column, c.clock.In(c.ttl), b)                  // ok ttlwrite/write-time
	m.Set(string(schema.Access), c.column+".src", c.clock.TS(), []byte("source")) // want ttlwrite/write-time
	m.Set(string(schema.Audit), "cached", c.clock.TS(), nil)                      // ok ttlwrite/write-time
	return c.tbl.Apply(ctx, "cache#"+string(key), m)
}

// Fill puts answers into the cache that are known already.
func (c *Cache[K, V]) Fill(ctx context.Context, all iter.Seq2[K, V]) error {
	var errs []error
	expiry := bigtable.Time(c.clock().Add(c.ttl))
	for k, v := range all {
		b, err := json.Marshal(v)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		m := bigtable.NewMutation()
		m.Set(string(schema.Access), c.column, expiry, b) // ok ttlwrite/write-time
		errs = append(errs, c.tbl.Apply(ctx, "cache#"+string(k), m))
	}
	return errors.Join(errs...)
}

// Stale reads an answer even if it has run out, for when the source is down.
func (c *Cache[K, V]) Stale(ctx context.Context, key K) (v V, err error) {
	row, err := c.tbl.ReadRow(ctx, "cache#"+string(key), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(string(schema.Access)), bigtable.ColumnFilter(c.column), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return v, err
	}
	for it := range bt.Cells(row, schema.Access) {
		return v, json.Unmarshal(it.Value, &v)
	}
	return v, bt.ErrNotFound
}

// StaleFor is Stale for answers that ran out at most slack ago.
func (c *Cache[K, V]) StaleFor(ctx context.Context, key K, slack time.Duration) (v V, err error) {
	row, err := c.tbl.ReadRow(ctx, "cache#"+string(key), bigtable.RowFilter(bt.In(schema.Access, bigtable.ColumnFilter(c.column)))) // ok ttlread/missing-filter
	if err != nil {
		return v, err
	}
	for it := range bt.Cells(row, schema.Access) {
		if c.clock().Sub(it.Timestamp.Time()) < slack { // maybe ttlage/not-write-time
			return v, json.Unmarshal(it.Value, &v)
		}
	}
	return v, bt.ErrNotFound
}

// Sizes counts the live answers by column.
func (c *Cache[K, V]) Sizes(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	for row, err := range bt.Rows(ctx, c.tbl, bigtable.PrefixRange("cache#"), bigtable.RowFilter(bt.In(schema.Access, c.live()))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for it := range bt.Cells(row, schema.Access) {
			out[it.Column] += len(it.Value)
		}
	}
	return out, nil
}

// bootTime is when this process began; caches of older processes are not
// trusted.
var bootTime = sync.OnceValue(time.Now)

// Own lists the keys that this process has cached. The expiry of a cell of
// another process is at most a TTL after its boot.
func (c *Cache[K, V]) Own(ctx context.Context) ([]string, error) {
	keys := map[string]int{}
	own := bt.In(schema.Access, bigtable.TimestampRangeFilter(bootTime(), time.Time{}))    // want ttlread/stale-bound[own]
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange("cache#"), func(r bigtable.Row) bool { // want ttlread/stale-bound[own]
		for it := range bt.Cells(r, schema.Access) {
			keys[r.Key()] += len(it.Value)
		}
		return true
	}, bigtable.RowFilter(own))
	return slices.Sorted(maps.Keys(keys)), err
}

// Mark notes when this process began.
func (c *Cache[K, V]) Mark(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(string(schema.Access), "boot", bigtable.Time(bootTime().Add(c.ttl)), nil) // want ttlwrite/stale-clock
	m.Set(string(schema.Audit), "boot", bigtable.Time(bootTime()), nil)             // ok ttlwrite/stale-clock
	return c.tbl.Apply(ctx, "cache#boot", m)
}
