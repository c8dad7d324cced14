// Package fxrate keeps exchange rates: quotes are good for an hour unless they
// say otherwise, spot rates have a single version at timestamp zero.
package fxrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

const _rateTTL = time.Hour

// ErrNoRate means that there is no rate that is still good.
var ErrNoRate = errors.New("no rate")

// Quote is a rate of a provider.
type Quote struct {
	Pair      string    `json:"pair"`
	Provider  string    `json:"provider"`
	Micros    int64     `json:"micros"`
	WrittenAt time.Time `json:"-"`
	GoodUntil time.Time `json:"-"`
}

// provider delivers quotes.
type provider interface {
	Name() string
	Quotes(ctx context.Context, pairs []string) ([]Quote, error)
}

type rates interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// cell is what goes into a column of a row.
type cell struct {
	family schema.Family
	column schema.Column
	ts     bigtable.Timestamp
	value  []byte
}

// Params is what New needs.
type Params struct {
	Conn      *btx.Conn
	Clock     clock.Clock
	Providers []provider
}

// Result is what New provides.
type Result struct {
	Board *Board
}

// New provides the board.
func New(p Params) (Result, error) {
	return Result{Board: &Board{
		tbl:       p.Conn.Table(schema.TableFXRates),
		clock:     p.Clock,
		providers: p.Providers,
	}}, nil
}

// Board keeps rates in Bigtable.
type Board struct {
	tbl       rates
	clock     clock.Clock
	providers []provider

	once    sync.Once
	horizon bigtable.Timestamp
	mu      sync.RWMutex
	cache   map[string]Quote
}

// write applies cells to a row.
func (b *Board) write(ctx context.Context, pair string, cells ...cell) error {
	mut := bigtable.NewMutation()
	for _, c := range cells {
		mut.Set(c.family.String(), c.column.String(), c.ts, c.value)
	}
	if err := b.tbl.Apply(ctx, pair, mut); err != nil {
		return fmt.Errorf("write %s: %w", pair, err)
	}
	return nil
}

// Publish writes a quote and the spot rate it makes.
func (b *Board) Publish(ctx context.Context, q Quote) error {
	doc, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return b.write(ctx, q.Pair,
		cell{schema.FamilyRate, schema.Column(q.Provider), bigtable.ServerTime, doc}, // ok ttlwrite/server-timestamp
		cell{schema.FamilySpot, "mid", btx.Zero, doc},                                // ok ttlwrite/clock-in-zero
	)
}

// PublishFast writes a quote that is good for a minute.
func (b *Board) PublishFast(ctx context.Context, q Quote) error {
	doc, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return b.write(ctx, q.Pair, // want ttlwrite/clock-in-zero[publishfast]
		cell{schema.FamilyRate, schema.Column(q.Provider), btx.Shifted(b.clock, time.Minute, _rateTTL), doc}, // ok ttlwrite/already-expired
		cell{schema.FamilySpot, "mid", btx.Stamp(b.clock), doc},                                              // want ttlwrite/clock-in-zero[publishfast]
	)
}

// PublishAll writes the quotes of all providers.
func (b *Board) PublishAll(ctx context.Context, pairs []string) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range b.providers {
		g.Go(func() error {
			quotes, err := p.Quotes(ctx, pairs)
			if err != nil {
				return fmt.Errorf("provider %s: %w", p.Name(), err)
			}
			keys := make([]string, 0, len(quotes))
			muts := make([]*bigtable.Mutation, 0, len(quotes))
			for _, q := range quotes {
				mut := bigtable.NewMutation()
				mut.Set(schema.FamilyRate.String(), q.Provider, bigtable.Now(), nil)                         // ok ttlwrite/write-time
				mut.Set(schema.FamilySpot.String(), "mid", bigtable.Now(), fmt.Appendf(nil, "%d", q.Micros)) // want ttlwrite/clock-in-zero
				keys = append(keys, q.Pair)
				muts = append(muts, mut)
			}
			_, err = b.tbl.ApplyBulk(ctx, keys, muts)
			return err
		})
	}
	return g.Wait()
}

// Withdraw makes a quote as old as quotes get.
func (b *Board) Withdraw(ctx context.Context, q Quote) error {
	return b.write(ctx, q.Pair, // want ttlwrite/already-expired[withdraw]
		cell{schema.FamilyRate, schema.Column(q.Provider), bigtable.Time(b.clock.Now().Add(-2 * time.Hour)), nil}, // want ttlwrite/already-expired[withdraw]
	)
}

// Correct replaces a spot rate.
func (b *Board) Correct(ctx context.Context, pair string, micros int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilySpot.String(), "mid", 0, fmt.Appendf(nil, "%d", micros)) // ok ttlwrite/clock-in-zero
	mut.DeleteCellsInColumn(schema.FamilyRate.String(), "manual")                 // ok ttlwrite/delete-after-set
	return b.tbl.Apply(ctx, pair, mut)
}

// Clear empties a pair but for its last spot rate.
func (b *Board) Clear(ctx context.Context, pair string, micros int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilySpot.String(), "mid", 0, fmt.Appendf(nil, "%d", micros))
	mut.DeleteRow() // want ttlwrite/delete-after-set
	return b.tbl.Apply(ctx, pair, mut)
}

// CountQuote counts quotes beside them.
func (b *Board) CountQuote(ctx context.Context, pair string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyRate.String(), "n", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamilySpot.String(), "n", 1) // want ttlwrite/read-modify-write
	_, err := b.tbl.ApplyReadModifyWrite(ctx, pair, rmw)
	return err
}

// Hold writes quotes that are good until the market closes, which is found out
// once.
func (b *Board) Hold(ctx context.Context, q Quote) error {
	b.once.Do(func() {
		b.horizon = bigtable.Time(b.clock.Now()) // want ttlwrite/stale-clock[hold]
	})
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyRate.String(), "held_"+q.Provider, b.horizon, nil) // want ttlwrite/stale-clock[hold]
	return b.tbl.Apply(ctx, q.Pair, mut)
}

// Rate returns the newest good quote of a provider.
func (b *Board) Rate(ctx context.Context, pair, prov string) (*Quote, error) {
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		btx.Cell(schema.FamilyRate, schema.Column(prov)),
		btx.Since(b.clock.Now(), _rateTTL),
	)))
	if err != nil {
		return nil, err
	}
	return decodeQuote(row)
}

func decodeQuote(row bigtable.Row) (*Quote, error) {
	for _, item := range row[schema.FamilyRate.String()] {
		var q Quote
		if err := json.Unmarshal(item.Value, &q); err != nil {
			return nil, err
		}
		q.GoodUntil = item.Timestamp.Time().Add(_rateTTL) // ok ttlage/not-write-time
		q.WrittenAt = item.Timestamp.Time()               // want ttlage/not-write-time
		return &q, nil
	}
	return nil, ErrNoRate
}

// RateOld returns a quote however old.
func (b *Board) RateOld(ctx context.Context, pair, prov string) (*Quote, error) {
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(btx.Cell(schema.FamilyRate, schema.Column(prov)))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeQuote(row)
}

// RateStrict returns a quote that is good for another while.
func (b *Board) RateStrict(ctx context.Context, pair string) (*Quote, error) {
	filter := btx.Only(schema.FamilyRate, btx.Since(b.clock.Now(), 24*time.Hour)) // want ttlread/wrong-bound[ratestrict]
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(filter))              // want ttlread/wrong-bound[ratestrict]
	if err != nil {
		return nil, err
	}
	return decodeQuote(row)
}

// Spot returns the spot rate.
func (b *Board) Spot(ctx context.Context, pair string) ([]byte, error) {
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(btx.Only(schema.FamilySpot))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btx.Value(row, schema.FamilySpot, "mid")
	if !ok {
		return nil, ErrNoRate
	}
	return v, nil
}

// Load fills the cache.
func (b *Board) Load(ctx context.Context, prefix string) error {
	cache := make(map[string]Quote)
	var readErr error
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		q, err := decodeQuote(row)
		if err != nil {
			readErr = err
			return false
		}
		cache[row.Key()] = *q
		return true
	})
	if err := errors.Join(err, readErr); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cache = cache
	return nil
}

// Pairs returns what the cache knows.
func (b *Board) Pairs() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Sorted(maps.Keys(b.cache))
}

// Quotes returns the quotes and the spot rate of a pair.
func (b *Board) Quotes(ctx context.Context, pair string) (map[string][]byte, error) {
	filter := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[quotes]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamilyRate.String()), btx.Since(b.clock.Now(), _rateTTL)),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[quotes]
		btx.Only(schema.FamilySpot),
	)
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(filter)) // want ttlread/unfiltered-branch[quotes]
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	for _, item := range row[schema.FamilyRate.String()] {
		out[item.Column] = item.Value
	}
	for _, item := range row[schema.FamilySpot.String()] {
		out[item.Column] = item.Value
	}
	return out, nil
}

// QuotesOrSpot returns live quotes, or the spot rate where there are none.
func (b *Board) QuotesOrSpot(ctx context.Context, pair string) (map[string][]byte, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamilyRate.String()), btx.Since(b.clock.Now(), _rateTTL))
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(bigtable.ConditionFilter(live, live, btx.Only(schema.FamilySpot)))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	for _, family := range []schema.Family{schema.FamilyRate, schema.FamilySpot} {
		for _, item := range row[family.String()] {
			out[item.Column] = item.Value
		}
	}
	return out, nil
}

// Lag says how long ago a provider last delivered.
func (b *Board) Lag(ctx context.Context, pair, prov string) (time.Duration, error) {
	row, err := b.tbl.ReadRow(ctx, pair, bigtable.RowFilter(btx.Only(schema.FamilyRate, btx.Since(b.clock.Now(), _rateTTL))))
	if err != nil {
		return 0, err
	}
	newest := time.Duration(1<<63 - 1)
	for _, item := range row[schema.FamilyRate.String()] {
		newest = min(newest, time.Since(item.Timestamp.Time())) // want ttlage/not-write-time
	}
	return newest, nil
}
