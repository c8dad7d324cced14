// Package qcache keeps the results of queries for a few minutes.
package qcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

const (
	colResult = "r"
	colETag   = "etag"
	colHits   = "hits"
	colOwner  = "owner"
)

// boot is taken when it is first needed.
var boot = sync.OnceValue(time.Now) // want ttlwrite/stale-clock[boot]

// Options of a cache.
type Options struct {
	TTL    time.Duration
	Prefix string
	Now    func() time.Time
}

func (o *Options) fill() {
	if o.TTL <= 0 {
		o.TTL = names.ResultTTL
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Cache holds values of one type.
type Cache[T any] struct {
	tbl bt.Table
	opt Options
}

func New[T any](c *bigtable.Client, o Options) *Cache[T] {
	o.fill()
	return &Cache[T]{tbl: c.Open(names.TableQueryCache), opt: o}
}

func (c *Cache[T]) Key(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%v\x00", p)
	}
	return c.opt.Prefix + hex.EncodeToString(h.Sum(nil)[:12])
}

func (c *Cache[T]) encode(v T) ([]byte, error) { return json.Marshal(v) }

func (c *Cache[T]) decode(body []byte) (v T, err error) {
	err = json.Unmarshal(body, &v)
	return v, err
}

func (c *Cache[T]) expiry() bigtable.Timestamp {
	return bigtable.Time(c.opt.Now().Add(c.opt.TTL))
}

func (c *Cache[T]) live() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamResult),
		bigtable.TimestampRangeFilter(c.opt.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

func (c *Cache[T]) Put(ctx context.Context, key string, v T) error {
	body, err := c.encode(v)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamResult)                  // ok ttlwrite/delete-after-set
	mut.Set(names.FamResult, colResult, c.expiry(), body)     // ok ttlwrite/write-time
	mut.Set(names.FamStat, colOwner, 0, []byte(c.opt.Prefix)) // ok ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) PutTag(ctx context.Context, key, tag string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamResult, colETag, bigtable.ServerTime, []byte(tag)) // want ttlwrite/server-timestamp
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) PutStarted(ctx context.Context, key string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamResult, colResult, bigtable.Time(boot().Add(names.ResultTTL)), body) // want ttlwrite/stale-clock[boot]
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) PutSecs(ctx context.Context, key string, body []byte, expires time.Time) error {
	mut := bigtable.NewMutation()
	secs := expires.Unix()
	mut.Set(names.FamResult, colResult, bigtable.Timestamp(secs), body) // want ttlunit/wrong-unit
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) PutUntil(ctx context.Context, key string, body []byte, expires time.Time) error {
	mut := bigtable.NewMutation()
	secs := expires.Unix()
	mut.Set(names.FamResult, colResult, bigtable.Timestamp(secs*1_000_000), body) // ok ttlunit/wrong-unit
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) PutNeg(ctx context.Context, key string) error {
	return bt.Put(ctx, c.tbl, key, names.FamResult, "neg", bt.ExpiresIn(0), nil) // want ttlwrite/write-time
}

func (c *Cache[T]) PutNegFor(ctx context.Context, key string) error {
	return bt.Put(ctx, c.tbl, key, names.FamResult, "neg", bt.ExpiresIn(10*time.Second), nil) // ok ttlwrite/write-time
}

func (c *Cache[T]) Hit(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamStat, colHits, 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

func (c *Cache[T]) HitResult(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamResult, colHits, 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

func (c *Cache[T]) Stat(ctx context.Context, key, name string, n int) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamStat, name, bigtable.Time(c.opt.Now()), fmt.Append(nil, n)) // want ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, key, mut)
}

func (c *Cache[T]) Get(ctx context.Context, key string) (v T, ok bool, err error) {
	row, err := c.tbl.ReadRow(ctx, key, bigtable.RowFilter(c.live())) // ok ttlread/missing-filter
	if err != nil {
		return v, false, err
	}
	it, ok := bt.Cell(row, names.FamResult, colResult)
	if !ok {
		return v, false, nil
	}
	v, err = c.decode(it.Value)
	return v, err == nil, err
}

func (c *Cache[T]) GetStale(ctx context.Context, key string) (v T, err error) {
	row, err := c.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(names.FamResult))) // want ttlread/missing-filter
	if err != nil {
		return v, err
	}
	it, ok := bt.Cell(row, names.FamResult, colResult)
	if !ok {
		return v, bt.ErrNoRow
	}
	return c.decode(it.Value)
}

func (c *Cache[T]) GetGrace(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamResult), bigtable.TimestampRangeFilter(time.Now().Add(-time.Second), time.Time{})) // want ttlread/wrong-bound[grace]
	return c.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                                        // want ttlread/wrong-bound[grace]
}

func (c *Cache[T]) GetAll(ctx context.Context, keys []string) (map[string]T, error) {
	out := make(map[string]T, len(keys))
	var bad error
	err := c.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := bt.Cell(r, names.FamResult, colResult)
		if !ok {
			return true
		}
		v, err := c.decode(it.Value)
		if err != nil {
			bad = errors.Join(bad, err)
			return true
		}
		out[r.Key()] = v
		return true
	}, bigtable.RowFilter(c.live()))
	return out, errors.Join(err, bad)
}

func (c *Cache[T]) Dump(ctx context.Context, w io.Writer, prefix string) error {
	return c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for fam, items := range r {
			for _, it := range items {
				fmt.Fprintf(w, "%s %s %s %d\n", r.Key(), fam, it.Column, len(it.Value))
			}
		}
		return true
	})
}

func (c *Cache[T]) DumpLive(ctx context.Context, w io.Writer, prefix string) error {
	f := bigtable.InterleaveFilters(c.live(), bigtable.FamilyFilter(names.FamStat))
	return c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/unfiltered-branch
		for fam, items := range r {
			for _, it := range items {
				fmt.Fprintf(w, "%s %s %s %d\n", r.Key(), fam, it.Column, len(it.Value))
			}
		}
		return true
	}, bigtable.RowFilter(f))
}

func (c *Cache[T]) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := c.tbl.ReadRow(ctx, key, bigtable.RowFilter(c.live())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamResult, colResult)
	if !ok {
		return 0, bt.ErrNoRow
	}
	return c.opt.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (c *Cache[T]) MaxAge(ctx context.Context, key string) (time.Duration, error) {
	row, err := c.tbl.ReadRow(ctx, key, bigtable.RowFilter(c.live()))
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamResult, colResult)
	if !ok {
		return 0, bt.ErrNoRow
	}
	return it.Timestamp.Time().Sub(c.opt.Now()), nil // ok ttlage/not-write-time
}
