// Package quote keeps what carriers ask for a lane: rates are good for six
// hours, if the carrier says nothing else.
package quote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// TTL is how long a rate is good.
const TTL = 6 * time.Hour

// Lane is a way from one depot to another.
type Lane string

// Cents is an amount of money.
type Cents int64

// String is the amount in euros.
func (c Cents) String() string { return fmt.Sprintf("%d.%02d EUR", c/100, c%100) }

// Rate is what a carrier asks.
type Rate struct {
	Carrier string    `json:"carrier"`
	Price   Cents     `json:"price"`
	Pallets int       `json:"pallets"`
	Quoted  time.Time `json:"quoted"`
}

var codec = bt.Codec[Rate]{
	Encode: func(r Rate) []byte { b, _ := json.Marshal(r); return b },
	Decode: func(b []byte) (r Rate, err error) { err = json.Unmarshal(b, &r); return r, err },
}

// Book is the book of rates.
type Book struct {
	tbl     *bigtable.Table
	history *bigtable.Table
	best    *bt.Repo[Lane, Rate]
	asks    atomic.Int64
	log     *slog.Logger
}

func liveRates(now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.TimestampRangeFilter(now.Add(-TTL), time.Time{}), bigtable.LatestNFilter(1))
}

// Open opens the book.
func Open(c *bigtable.Client, log *slog.Logger) *Book {
	tbl := c.Open(names.Quotes)
	return &Book{
		tbl:     tbl,
		history: c.Open(names.QuoteHistory),
		best: bt.NewRepo[Lane](tbl, codec, bt.RepoConfig{
			Family: names.Rate,
			Column: "best",
			Live:   liveRates,     // ok ttlread/wrong-bound
			Stamp:  bigtable.Time, // ok ttlwrite/write-time
		}),
		log: log,
	}
}

// Quote notes a rate.
func (b *Book) Quote(ctx context.Context, l Lane, r Rate) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Rate), r.Carrier, bigtable.ServerTime, codec.Encode(r))                   // ok ttlwrite/server-timestamp
	m.Set(string(names.Meta), "carriers", bigtable.ServerTime, []byte(r.Carrier))                // ok ttlwrite/server-timestamp
	m.Set(string(names.Meta), "asks", bigtable.Now(), strconv.AppendInt(nil, b.asks.Add(1), 10)) // ok ttlwrite/unscaled-sequence
	if err := b.tbl.Apply(ctx, string(l), m); err != nil {
		return fmt.Errorf("quote %s: %w", l, err)
	}
	best, err := b.best.Get(ctx, l)
	if err == nil && best.Price <= r.Price {
		return nil
	}
	b.log.InfoContext(ctx, "new best", "lane", l, "carrier", r.Carrier, "price", r.Price)
	return b.best.Put(ctx, l, r)
}

// QuoteUntil notes a rate that is good until a moment.
func (b *Book) QuoteUntil(ctx context.Context, l Lane, r Rate, until time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(names.Rate), r.Carrier)
	m.Set(string(names.Rate), r.Carrier, bigtable.Time(until.Add(-TTL)), codec.Encode(r)) // ok ttlwrite/already-expired
	return b.tbl.Apply(ctx, string(l), m)
}

// Withdraw takes a rate back: it is moved to where it expires.
func (b *Book) Withdraw(ctx context.Context, l Lane, carrier string) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Rate), carrier, bigtable.Time(time.Now().Add(-24*time.Hour)), nil) // want ttlwrite/already-expired
	return b.tbl.Apply(ctx, string(l), m)
}

// Drop takes a rate back.
func (b *Book) Drop(ctx context.Context, l Lane, carrier string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(names.Rate), carrier)
	m.Set(string(names.Meta), "dropped", bigtable.Now(), []byte(carrier)) // ok ttlwrite/delete-after-set
	return b.tbl.Apply(ctx, string(l), m)
}

// Swap replaces a rate by that of another carrier.
func (b *Book) Swap(ctx context.Context, l Lane, old string, r Rate) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Rate), r.Carrier, bigtable.Now(), codec.Encode(r))
	m.Set(string(names.Meta), "swapped", bigtable.Now(), []byte(old))
	m.DeleteCellsInFamily(string(names.Rate)) // want ttlwrite/delete-after-set
	return b.tbl.Apply(ctx, string(l), m)
}

// Rates yields the rates of a lane, cheapest first.
func (b *Book) Rates(ctx context.Context, l Lane) (iter.Seq[Rate], error) {
	row, err := bt.One(ctx, b.tbl, string(l), bt.With(bt.Only(names.Rate), liveRates(bt.Now(ctx)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sorted(row), nil
}

// AllRates is Rates for the reports.
func (b *Book) AllRates(ctx context.Context, l Lane) (iter.Seq[Rate], error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bt.Only(names.Rate))}
	opts = append(opts, bigtable.LimitRows(1))
	row, err := bt.One(ctx, b.tbl, string(l), opts...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sorted(row), nil
}

// Former reads the table of the analysts, which nobody collects.
func (b *Book) Former(ctx context.Context, l Lane) (iter.Seq[Rate], error) {
	row, err := bt.One(ctx, b.history, string(l), bigtable.RowFilter(bt.Only(names.Rate))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sorted(row), nil
}

func sorted(row bigtable.Row) iter.Seq[Rate] {
	rates := seqx.Filter(
		seqx.Map(bt.Items(row, names.Rate), func(it bigtable.ReadItem) Rate {
			r, _ := codec.Decode(it.Value)
			return r
		}),
		func(r Rate) bool { return r.Price > 0 },
	)
	return slices.Values(slices.SortedFunc(rates, func(a, b Rate) int {
		return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.Carrier, b.Carrier))
	}))
}

// Cheapest yields the best rate of each lane.
func (b *Book) Cheapest(ctx context.Context) iter.Seq2[Lane, Rate] {
	return func(yield func(Lane, Rate) bool) {
		for row, err := range bt.Rows(ctx, b.tbl, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Rate), bigtable.LatestNFilter(1))) { // want ttlread/missing-filter
			if err != nil {
				b.log.WarnContext(ctx, "cheapest", "err", err)
				return
			}
			for r := range sorted(row) {
				if !yield(Lane(row.Key()), r) {
					return
				}
				break
			}
		}
	}
}

// Good yields the best rate of each lane.
func (b *Book) Good(ctx context.Context) iter.Seq2[Lane, Rate] {
	return b.best.All(ctx, "")
}

// Stale yields the lanes whose rates are older than two hours.
func (b *Book) Stale(ctx context.Context) iter.Seq[Lane] {
	now := bt.Now(ctx)
	return func(yield func(Lane) bool) {
		for row, err := range bt.Rows(ctx, b.tbl, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Rate), liveRates(now))) {
			if err != nil {
				return
			}
			old := func(it bigtable.ReadItem) bool {
				return now.Sub(it.Timestamp.Time()) > 2*time.Hour // want ttlage/not-write-time
			}
			if slices.ContainsFunc(row[string(names.Rate)], old) && !yield(Lane(row.Key())) {
				return
			}
		}
	}
}

// Remarks tells when the notes on a lane were made.
func (b *Book) Remarks(ctx context.Context, l Lane) (map[string]time.Duration, error) {
	now := bt.Now(ctx)
	row, err := bt.One(ctx, b.tbl, string(l), bt.With(bt.Only(names.Meta))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for it := range bt.Items(row, names.Meta) {
		out[bt.Qualifier(it)] = now.Sub(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

// Ranking says which carriers are cheapest over all lanes.
func Ranking(in iter.Seq2[Lane, Rate]) []string {
	wins := map[string]int{}
	for _, r := range in {
		wins[r.Carrier]++
	}
	names := slices.SortedFunc(func(yield func(string) bool) {
		for n := range wins {
			if !yield(n) {
				return
			}
		}
	}, func(a, b string) int { return cmp.Or(cmp.Compare(wins[b], wins[a]), cmp.Compare(a, b)) })
	return names
}
