// Package app is the application layer of the pricing service.
package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/dal/query"
	"tramline.example/pricing"
)

// Cache keeps what was loaded for a while.
type Cache[K comparable, V any] struct {
	mu   sync.Mutex
	ttl  time.Duration
	now  func() time.Time
	load func(context.Context, K) (V, error)
	m    map[K]cached[V]
}

type cached[V any] struct {
	v     V
	until time.Time
}

// NewCache returns a Cache.
func NewCache[K comparable, V any](ttl time.Duration, now func() time.Time, load func(context.Context, K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, now: now, load: load, m: map[K]cached[V]{}}
}

// Get returns what is in the cache, or loads it.
func (c *Cache[K, V]) Get(ctx context.Context, k K) (V, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.m[k]; ok && c.now().Before(e.until) {
		return e.v, nil
	}
	v, err := c.load(ctx, k)
	if err != nil {
		return v, err
	}
	c.m[k] = cached[V]{v, c.now().Add(c.ttl)}
	return v, nil
}

// Drop forgets a key.
func (c *Cache[K, V]) Drop(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, k)
}

// Service is the use cases.
type Service struct {
	tariffs pricing.Tariffs
	quotes  pricing.Quotes
	cache   *Cache[string, pricing.Tariff]
	clock   dal.Clock
	n       int64
}

// New wires the use cases.
func New(t pricing.Tariffs, q pricing.Quotes, clock dal.Clock) *Service {
	s := &Service{tariffs: t, quotes: q, clock: clock}
	s.cache = NewCache(time.Minute, clock.Now, t.Tariff)
	return s
}

// Ask makes an offer.
func (s *Service) Ask(ctx context.Context, zone, kind string, km float64) (pricing.Quote, error) {
	t, err := s.cache.Get(ctx, zone)
	if err != nil {
		return pricing.Quote{}, fmt.Errorf("ask %s: %w", zone, err)
	}
	rate, ok := t.Rates[kind]
	if !ok {
		return pricing.Quote{}, errors.New("no such kind of ticket: " + kind)
	}
	s.n++
	q := pricing.Quote{
		ID:    fmt.Sprintf("%s#%d", zone, s.n),
		Zone:  zone,
		Price: math.Round(100*(t.Rates["base"]+rate*km)) / 100,
	}
	life := dal.QuoteTTL
	if km > 100 {
		life = time.Hour
	}
	return q, s.quotes.Offer(ctx, q, life)
}

// Change replaces a tariff.
func (s *Service) Change(ctx context.Context, t pricing.Tariff, who, what string) error {
	defer s.cache.Drop(t.Zone)
	return s.tariffs.SaveTariff(ctx, t, pricing.Change{Who: who, What: what, At: s.clock.Now()})
}

// Reports reads for the controllers, past the ports.
type Reports struct {
	quotes    dal.Table
	tariffs   dal.Table
	positions dal.Table
	holds     dal.Table
	journal   dal.Table
	clock     dal.Clock
}

// NewReports opens the tables.
func NewReports(c *dal.Client) *Reports {
	return &Reports{
		quotes:    c.Quotes(),
		tariffs:   c.Tariffs(),
		positions: c.Positions(),
		holds:     c.Holds(),
		journal:   c.Journal("north"),
		clock:     c.Clock(),
	}
}

// Quotes counts the quotes of a zone by hour, of all that are stored.
func (r *Reports) Quotes(ctx context.Context, zone string) (map[int]int, error) {
	out := map[int]int{}
	err := query.From(r.quotes, r.clock).Family(dal.FamQuote).Each(ctx, zone, func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[dal.FamQuote] {
			out[len(it.Value)]++
		}
		return true
	})
	return out, err
}

// QuotesRight counts those that hold.
func (r *Reports) QuotesRight(ctx context.Context, zone string) (map[int]int, error) {
	out := map[int]int{}
	err := query.From(r.quotes, r.clock).Family(dal.FamQuote).Within(dal.QuoteTTL).Each(ctx, zone, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[dal.FamQuote] {
			out[len(it.Value)]++
		}
		return true
	})
	return out, err
}

// QuoteNow has the bound of another strategy.
func (r *Reports) QuoteNow(ctx context.Context, id string) ([]byte, error) {
	row, err := query.From(r.quotes, r.clock).Family(dal.FamQuote).Alive().One(ctx, id) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamQuote)
}

// Hold reads a hold that lives.
func (r *Reports) Hold(ctx context.Context, id string) ([]byte, error) {
	row, err := query.From(r.holds, r.clock).Family(dal.FamHold).Alive().Newest(1).One(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamHold)
}

// HoldAny reads a hold.
func (r *Reports) HoldAny(ctx context.Context, id string) ([]byte, error) {
	row, err := query.From(r.holds, r.clock).Family(dal.FamHold).Newest(1).One(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamHold)
}

// Rider reads the ordinary family beside it.
func (r *Reports) Rider(ctx context.Context, id string) ([]byte, error) {
	row, err := query.From(r.holds, r.clock).Family(dal.FamRider).Newest(1).One(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamRider)
}

// Journal reads the newest entry.
func (r *Reports) Journal(ctx context.Context, vehicle string) ([]byte, error) {
	row, err := query.From(r.journal, r.clock).Newest(1).One(ctx, vehicle) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamEntry)
}

// JournalDay bounds numbers by the clock.
func (r *Reports) JournalDay(ctx context.Context, vehicle string) ([]byte, error) {
	row, err := query.From(r.journal, r.clock).Within(24*time.Hour).One(ctx, vehicle) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamEntry)
}

// Tariff reads what has one version.
func (r *Reports) Tariff(ctx context.Context, zone string) ([]byte, error) {
	row, err := query.From(r.tariffs, r.clock).Family(dal.FamRate).One(ctx, zone) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return first(row, dal.FamRate)
}

func first(row bigtable.Row, family string) ([]byte, error) {
	for _, it := range row[family] {
		return it.Value, nil
	}
	return nil, dal.ErrNotFound
}

// Line is a line of the export.
type Line struct {
	Key        string
	CreatedAt  time.Time
	LastUpdate time.Time
	ValidUntil time.Time
	Bytes      int
}

// Export lists the holds of a trip for the auditors.
func (r *Reports) Export(ctx context.Context, trip string) ([]Line, error) {
	return dal.Collect(ctx, r.holds, trip, func(row bigtable.Row) (Line, bool) {
		for _, it := range row[dal.FamHold] {
			return Line{
				Key:        it.Row,
				CreatedAt:  it.Timestamp.Time(), // want ttlage/not-write-time
				ValidUntil: it.Timestamp.Time(), // ok ttlage/not-write-time
				Bytes:      len(it.Value),
			}, true
		}
		return Line{}, false
	}, dal.With(bigtable.FamilyFilter(dal.FamHold), dal.Live(r.clock))) // ok ttlread/missing-filter
}

// ExportRiders lists the riders.
func (r *Reports) ExportRiders(ctx context.Context, prefix string) ([]Line, error) {
	return dal.Collect(ctx, r.holds, prefix, func(row bigtable.Row) (Line, bool) {
		for _, it := range row[dal.FamRider] {
			return Line{Key: it.Row, CreatedAt: it.Timestamp.Time(), Bytes: len(it.Value)}, true // ok ttlage/not-write-time
		}
		return Line{}, false
	}) // ok ttlread/missing-filter
}

// ExportQuotes lists quotes; nobody thought of those that are over.
func (r *Reports) ExportQuotes(ctx context.Context, prefix string) ([]Line, error) {
	return dal.Collect(ctx, r.quotes, prefix, func(row bigtable.Row) (Line, bool) { // want ttlread/missing-filter[exportquotes]
		for _, it := range row[dal.FamQuote] {
			return Line{Key: it.Row, LastUpdate: it.Timestamp.Time(), Bytes: len(it.Value)}, true // want ttlage/not-write-time
		}
		return Line{}, false
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[exportquotes]
}

// Fleet lists positions, with a bound that is too wide.
func (r *Reports) Fleet(ctx context.Context, prefix string) ([]Line, error) {
	return dal.Collect(ctx, r.positions, prefix, func(row bigtable.Row) (Line, bool) { // want ttlread/wrong-bound[fleet]
		for _, it := range row[dal.FamPos] {
			return Line{Key: it.Row, Bytes: len(it.Value)}, true
		}
		return Line{}, false
	}, dal.With(bigtable.FamilyFilter(dal.FamPos), dal.Younger(r.clock, 168*time.Hour))) // want ttlread/wrong-bound[fleet]
}

// FleetRight has the right one.
func (r *Reports) FleetRight(ctx context.Context, prefix string) ([]Line, error) {
	return dal.Collect(ctx, r.positions, prefix, func(row bigtable.Row) (Line, bool) {
		for _, it := range row[dal.FamPos] {
			return Line{Key: it.Row, Bytes: len(it.Value)}, true
		}
		return Line{}, false
	}, dal.With(bigtable.FamilyFilter(dal.FamPos), dal.Younger(r.clock, 3*24*time.Hour))) // ok ttlread/wrong-bound
}
