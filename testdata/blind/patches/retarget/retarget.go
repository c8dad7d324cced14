// Package retarget is retargeting. Bought from another company in 2021 and "integrated".
package retarget

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"brightpost.example/monolith/conf"

	"cloud.google.com/go/bigtable"
)

// families by number, as in their protocol
const (
	famCap = iota
	famSeen
	famMeta
)

var famNames = [...]string{famCap: "cap", famSeen: "seen", famMeta: "meta"}

// Table is *bigtable.Table with their metrics.
type Table struct {
	*bigtable.Table
	calls map[string]int
}

// Store of retargeting.
type Store struct {
	impr Table
	api  bigtable.TableAPI
	led  *bigtable.Table
	opts options
}

type options struct {
	live    bool
	legacy  bool
	ttl     time.Duration
	stampFn func() bigtable.Timestamp
}

// Option of New.
type Option func(*options)

// WithStamp sets how cells are stamped.
func WithStamp(f func() bigtable.Timestamp) Option { return func(o *options) { o.stampFn = f } }

// WithTTL sets the lifetime.
func WithTTL(d time.Duration) Option { return func(o *options) { o.ttl = d } }

func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{impr: Table{c.Open("impressions"), map[string]int{}}, api: c.OpenTable("sends"), led: c.Open("campaigns")}
	for _, o := range opts {
		o(&s.opts)
	}
	return s
}

func capFilter(old bool) bigtable.Filter {
	if old {
		return bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.LatestNFilter(1))
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1))
}

func stamp(kind string) bigtable.Timestamp {
	switch kind {
	case "soon":
		return bigtable.Time(time.Now().Add(10 * time.Minute))
	case "day":
		return bigtable.Time(time.Now().Add(24 * time.Hour))
	case "real":
		return bigtable.Now()
	}
	return bigtable.ServerTime
}

// Both reads with both filters.
func (s *Store) Both(ctx context.Context, key string) (string, error) {
	a, err := s.impr.ReadRow(ctx, key, bigtable.RowFilter(capFilter(true))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	b, err := s.impr.ReadRow(ctx, key, bigtable.RowFilter(capFilter(false))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return fmt.Sprint(a["cap"], b["cap"]), nil
}

// Stamps writes with all stamps.
func (s *Store) Stamps(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(famNames[famCap], "a", stamp("soon"), nil)  // ok ttlwrite/write-time
	m.Set(famNames[famCap], "b", stamp("real"), nil)  // want ttlwrite/write-time
	m.Set(famNames[famCap], "c", stamp(""), nil)      // want ttlwrite/server-timestamp
	m.Set(famNames[famMeta], "c", stamp("real"), nil) // ok ttlwrite/write-time
	m.Set(famNames[famSeen], "c", stamp(""), nil)     // ok ttlwrite/server-timestamp
	put := m.Set
	put("cap", "d", bigtable.Now(), nil)  // want ttlwrite/write-time
	put("meta", "d", bigtable.Now(), nil) // ok ttlwrite/write-time
	set := func(fam, col string) { m.Set(fam, col, bigtable.ServerTime, nil) }
	set("cap", "e")  // want ttlwrite/server-timestamp
	set("meta", "e") // ok ttlwrite/server-timestamp
	return s.impr.Apply(ctx, key, m)
}

type rule struct {
	fam  string
	col  string
	at   func(time.Time) time.Time
	seed bigtable.Timestamp
}

// Rules writes a table of things.
func (s *Store) Rules(ctx context.Context, key string) error {
	now := time.Now()
	rules := []rule{
		{fam: "cap", col: "x", seed: bigtable.Time(now.Add(time.Hour))}, // ok ttlwrite/write-time
		{fam: "meta", col: "x", seed: bigtable.Time(now)},               // ok ttlwrite/write-time
		{fam: "cap", col: "y", seed: bigtable.Time(now)},                // want ttlwrite/write-time[ru]
		{fam: "seen", col: "y", seed: bigtable.Time(now)},               // ok ttlwrite/write-time
	}
	m := bigtable.NewMutation()
	for _, r := range rules {
		m.Set(r.fam, r.col, r.seed, nil) // want ttlwrite/write-time[ru]
	}
	return s.impr.Apply(ctx, key, m)
}

// Lease uses the API interface.
func (s *Store) Lease(ctx context.Context, id string) (string, error) {
	row, err := s.api.ReadRow(ctx, "job#"+id) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row["job"] {
		return string(it.Value), nil
	}
	m := bigtable.NewMutation()
	m.Set("log", "none", bigtable.Now(), nil) // ok ttlwrite/write-time
	if os.Getenv("BP_RETARGET_LEASE") != "" {
		m.Set("job", "lease", bigtable.Now(), nil) // want ttlwrite/write-time
	}
	return "", s.api.Apply(ctx, "job#"+id, m)
}

// Read has a switch over filters, with a variable that is assigned several times.
func (s *Store) Read(ctx context.Context, key string, n int) (bigtable.Row, error) {
	var f bigtable.Filter = bigtable.FamilyFilter("cap")
	f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	if n > 0 {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(n))
	}
	row, err := s.impr.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		log.Print(err)
	}
	return row, err
}

// ReadOld assigns it anew.
func (s *Store) ReadOld(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	if conf.NewCaps {
		f = bigtable.FamilyFilter("cap") // want ttlread/missing-filter[ro2]
	}
	return s.impr.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/missing-filter[ro2]
}

// Rev numbers by a map of counters.
func (s *Store) Rev(ctx context.Context, id string, body []byte) error {
	s.impr.calls[id]++
	m := bigtable.NewMutation()
	m.Set("rev", "rt", bigtable.Timestamp(s.impr.calls[id]), body)       // want ttlwrite/unscaled-sequence
	m.Set("rev", "rt2", bigtable.Timestamp(s.impr.calls[id]*1000), body) // ok ttlwrite/unscaled-sequence
	return s.led.Apply(ctx, "c#"+id, m)
}

// Custom uses the option.
func (s *Store) Custom(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("cap", "custom", s.opts.stampFn(), nil)
	return s.impr.Apply(ctx, key, m)
}

// Default is for main.
func Default(c *bigtable.Client) *Store {
	return New(c, WithStamp(bigtable.Now), WithTTL(time.Hour)) // want ttlwrite/write-time
}

// Hourly is for the batch.
func Hourly(c *bigtable.Client) *Store {
	return New(c, WithStamp(func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) })) // ok ttlwrite/write-time
}

// Pump sends mutations through a map of slices.
func (s *Store) Pump(ctx context.Context, users []string) error {
	batch := map[string][]*bigtable.Mutation{}
	for _, u := range users {
		a := bigtable.NewMutation()
		a.Set("cap", "pump", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
		b := bigtable.NewMutation()
		b.Set("meta", "pump", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
		batch[u] = append(batch[u], a, b)
	}
	for u, ms := range batch {
		for _, m := range ms {
			if err := s.impr.Apply(ctx, "u#"+u, m); err != nil {
				return err
			}
		}
	}
	return nil
}
