// Package bidder is the part of the bidder that talks to Bigtable: cached bids, pacing, creatives.
package bidder

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/core"
)

const (
	bidTable  = "bidcache"
	bidFamily = "bid"
	bidTTL    = 10 * time.Minute
)

// Bid is an answer that may be given again.
type Bid struct {
	Slot     string
	Campaign string
	Price    float64
	Until    time.Time
	Cached   time.Time
	Age      time.Duration
}

// Cache of bids.
type Cache struct {
	tbl    bigtable.TableAPI
	mode   Mode
	ttl    time.Duration
	hits   atomic.Int64
	misses atomic.Int64
	mu     sync.Mutex
	local  map[string]Bid
	warm   bigtable.Timestamp
	stats  func(name string, d time.Duration)
}

// Mode of the cache.
type Mode int

// Modes. ModeShadow writes and never reads, ModeOff does nothing.
const (
	ModeOn Mode = iota
	ModeShadow
	ModeOff
	ModeCompat
)

// NewCache makes a cache. ttl 0 means the usual ten minutes.
func NewCache(c *bigtable.Client, mode Mode, ttl time.Duration) *Cache {
	if ttl == 0 {
		ttl = bidTTL
	}
	return &Cache{tbl: c.OpenTable(bidTable), mode: mode, ttl: ttl, local: map[string]Bid{}, stats: func(string, time.Duration) {}}
}

func slotKey(slot string, floor float64) string {
	h := fnv.New32a()
	h.Write([]byte(slot))
	return fmt.Sprintf("%04x#%s#%d", h.Sum32()&0xffff, slot, int(floor*100))
}

func price(p float64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, math.Float64bits(p))
	return b
}

func unprice(b []byte) float64 {
	if len(b) != 8 {
		return 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

// Put caches a bid.
func (c *Cache) Put(ctx context.Context, slot string, floor float64, b Bid, nobid, debug bool) error {
	if c.mode == ModeOff {
		return nil
	}
	t0 := time.Now()
	defer func() { c.stats("put", time.Since(t0)) }()
	m := bigtable.NewMutation()
	end := t0.Add(c.ttl)
	if !b.Until.IsZero() && b.Until.Before(end) {
		end = b.Until
	}
	switch c.mode {
	case ModeCompat:
		// the C++ bidder reads "p" with the server's time
		m.Set(bidFamily, "p", bigtable.ServerTime, price(b.Price))    // want ttlwrite/server-timestamp
		m.Set(bidFamily, "c", bigtable.Time(end), []byte(b.Campaign)) // ok ttlwrite/write-time
	default:
		m.Set(bidFamily, "price", bigtable.Time(end), price(b.Price))        // ok ttlwrite/write-time
		m.Set(bidFamily, "campaign", bigtable.Time(end), []byte(b.Campaign)) // ok ttlwrite/same-timestamp
	}
	if nobid {
		m.Set(bidFamily, "nobid", bigtable.Time(t0), nil) // want ttlwrite/write-time
	}
	if debug {
		m.Set(bidFamily, "dbg", bigtable.Time(t0)+bigtable.Timestamp(time.Minute), []byte(slot))                   // want ttlunit/wrong-unit
		m.Set(bidFamily, "dbg2", bigtable.Time(t0)+bigtable.Timestamp(time.Minute/time.Microsecond), []byte(slot)) // ok ttlunit/wrong-unit
		m.Set(bidFamily, "dbg3", bigtable.Time(t0)+bigtable.Timestamp(time.Minute.Microseconds()), []byte(slot))   // ok ttlunit/wrong-unit
	}
	return c.tbl.Apply(ctx, slotKey(slot, floor), m)
}

// PutMany caches many; the warmer calls it.
func (c *Cache) PutMany(ctx context.Context, bids []Bid) error {
	var keys []string
	var muts []*bigtable.Mutation
	c.mu.Lock()
	for _, b := range bids {
		c.local[b.Slot] = b
	}
	c.mu.Unlock()
	ts := bigtable.Now()
	ts += bigtable.Timestamp(c.ttl / time.Microsecond)
	for _, b := range bids {
		m := bigtable.NewMutation()
		m.Set(bidFamily, "price", ts, price(b.Price)) // ok ttlwrite/write-time
		m.Set(bidFamily, "campaign", ts, []byte(b.Campaign))
		keys = append(keys, slotKey(b.Slot, 0))
		muts = append(muts, m)
	}
	errs, err := c.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Warm remembers when the cache was filled. A field, since one process has many caches.
func (c *Cache) Warm(ctx context.Context, bids []Bid) error {
	c.warm = bigtable.Time(time.Now().Add(c.ttl))
	for _, b := range bids {
		m := bigtable.NewMutation()
		m.Set(bidFamily, "warm", c.warm, []byte(b.Campaign)) // ok ttlwrite/stale-clock
		if err := c.tbl.Apply(ctx, slotKey(b.Slot, 0), m); err != nil {
			return err
		}
	}
	return nil
}

// Get finds a bid.
func (c *Cache) Get(ctx context.Context, slot string, floor float64) (Bid, bool, error) {
	if c.mode == ModeOff || c.mode == ModeShadow {
		return Bid{}, false, nil
	}
	t0 := time.Now()
	row, err := c.tbl.ReadRow(ctx, slotKey(slot, floor), bigtable.RowFilter(bigtable.ChainFilters(bigtable.TimestampRangeFilter(t0, time.Time{}), bigtable.LatestNFilter(1)))) // ok ttlread/hides-other-families
	if err != nil {
		return Bid{}, false, err
	}
	c.stats("get", time.Since(t0))
	return c.decode(slot, row)
}

// GetV1 is from before the filters. The comparison runs it in 1 % of the requests.
func (c *Cache) GetV1(ctx context.Context, slot string, floor float64) (Bid, bool, error) {
	row, err := c.tbl.ReadRow(ctx, slotKey(slot, floor), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return Bid{}, false, err
	}
	return c.decode(slot, row)
}

// GetExact ends the range where the usual lifetime ends, nothing is kept longer in this table.
func (c *Cache) GetExact(ctx context.Context, slot string, floor float64) (Bid, bool, error) {
	now := time.Now()
	row, err := c.tbl.ReadRow(ctx, slotKey(slot, floor), bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(2*bidTTL)))) // ok ttlread/upper-bound
	if err != nil {
		return Bid{}, false, err
	}
	return c.decode(slot, row)
}

// GetSoon ends it earlier.
func (c *Cache) GetSoon(ctx context.Context, slot string, floor float64) (Bid, bool, error) {
	now := time.Now()
	row, err := c.tbl.ReadRow(ctx, slotKey(slot, floor), bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(bidTTL/2)))) // want ttlread/upper-bound
	if err != nil {
		return Bid{}, false, err
	}
	return c.decode(slot, row)
}

func (c *Cache) decode(slot string, row bigtable.Row) (Bid, bool, error) {
	b := Bid{Slot: slot}
	for _, it := range row[bidFamily] {
		switch it.Column {
		case "bid:price", "bid:p":
			b.Price = unprice(it.Value)
			b.Until = it.Timestamp.Time() // ok ttlage/not-write-time
		case "bid:campaign", "bid:c":
			b.Campaign = string(it.Value)
			b.Age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		case "bid:nobid":
			c.misses.Add(1)
			return b, false, nil
		}
	}
	if b.Campaign == "" {
		c.misses.Add(1)
		return b, false, nil
	}
	c.hits.Add(1)
	return b, true, nil
}

// Reserve takes a slot for a campaign, if nobody else has.
func (c *Cache) Reserve(ctx context.Context, slot, campaign string, d time.Duration) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(bidFamily, "resv", bigtable.Time(time.Now().Add(d)), []byte(campaign)) // ok ttlwrite/write-time
	var taken bool
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter("resv"), nil, take) // want ttlread/conditional-mutation
	err := c.tbl.Apply(ctx, slot, cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Release gives it back.
func (c *Cache) Release(ctx context.Context, slot, campaign string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn(bidFamily, "resv")
	return c.tbl.Apply(ctx, slot, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("resv"), bigtable.ValueFilter(campaign)), drop, nil)) // ok ttlread/conditional-mutation
}

// Spend books what was won.
func Spend(ctx context.Context, b Bid, by string) error {
	return core.LedgerOf(b.Campaign).Book(ctx, core.Booking{
		Campaign: b.Campaign,
		Micros:   int64(b.Price * 1e6),
		Kind:     "spend",
		By:       by,
		At:       time.Now(),
	}, false, false)
}

// Evict removes the dead; the GC is too slow for the nightly report.
func (c *Cache) Evict(ctx context.Context, prefix string) (int, error) {
	n := 0
	var failed error
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteRow()
		if failed = c.tbl.Apply(ctx, r.Key(), m); failed != nil {
			return false
		}
		n++
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // ok ttlread/expired-only
	return n, errors.Join(err, failed)
}
