// Package offersvc has the offer books: bids and asks with sequence numbers, one book a region.
package offersvc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// ErrStale is returned when somebody else was faster.
var ErrStale = errors.New("offersvc: the offer has changed")

// tick is what a number is apart from the next.
const tick = 1000

// Offer is an offer as the API shows it.
type Offer struct {
	Cents     int64     `json:"cents"`
	Number    int64     `json:"number"`
	WrittenAt time.Time `json:"written_at,omitzero"`
	Age       string    `json:"age,omitempty"`
}

// Book is the offers of a region.
type Book struct {
	tbl     *bigtable.Table
	scratch *bigtable.Table
	bids    *mapper.Repo[*model.Bid]
	asks    *mapper.Repo[*model.Ask]
	answers *mapper.Repo[*model.Counter]
	notes   *mapper.Repo[*model.OfferNote]
	log     *slog.Logger

	seq  atomic.Int64
	mu   sync.Mutex
	next map[string]int64
	step int64
}

// Open opens the book of a region.
func Open(client *bigtable.Client, region string, log *slog.Logger) *Book {
	b := &Book{
		tbl:     client.Open(schema.OffersTable(region)),
		scratch: client.Open(schema.TableScratch),
		log:     log.With("region", region),
		next:    map[string]int64{},
	}
	b.bids = mapper.NewRepo[*model.Bid](b.tbl, mapper.WithLog(b.log)) // want ttlread/version-limit[eachbid]
	b.asks = mapper.NewRepo[*model.Ask](b.tbl)                        // want ttlread/missing-filter[getask]
	b.answers = mapper.NewRepo[*model.Counter](b.tbl)
	b.notes = mapper.NewRepo[*model.OfferNote](b.tbl)
	return b
}

// number is the timestamp of a sequence number.
func number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * tick) }

func (b *Book) take(listing string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next[listing]++
	return b.next[listing]
}

func cents(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// Bid adds a bid.
func (b *Book) Bid(ctx context.Context, listing, buyer string, c int64) error {
	n := b.seq.Add(1)
	return b.bids.Save(ctx, &model.Bid{Listing: listing, Buyer: buyer, Cents: c, Number: n}) // ok ttlwrite/unscaled-sequence
}

// Ask changes the seller's price.
func (b *Book) Ask(ctx context.Context, listing string, c int64) error {
	n := b.seq.Add(1)
	return b.asks.Save(ctx, &model.Ask{Listing: listing, Cents: c, Number: n}) // want ttlwrite/unscaled-sequence[ask]
}

// Answer answers a bid.
func (b *Book) Answer(ctx context.Context, listing, text string, c int64) error {
	v := &model.Counter{Message: text}
	v.Listing, v.Cents, v.Number = listing, c, b.take(listing)
	return b.answers.Save(ctx, v) // want ttlwrite/clock-in-sequence[counter]
}

// Note adds a remark.
func (b *Book) Note(ctx context.Context, listing, author, text string) error {
	return b.notes.Save(ctx, &model.OfferNote{Listing: listing, Author: author, Text: text}) // ok ttlwrite/clock-in-sequence
}

// Place adds a bid without the mapper.
func (b *Book) Place(ctx context.Context, listing, buyer string, c int64) error {
	ts := number(b.take(listing))
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBid, "buyer", ts, []byte(buyer))           // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamBid, "cents", ts, cents(c))                // ok ttlwrite/same-timestamp
	mut.Set(schema.FamNote, "by", bigtable.Now(), []byte(buyer)) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// PlaceFast is Place for the auction's last minute.
func (b *Book) PlaceFast(ctx context.Context, listing, buyer string, c int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBid, "buyer", bigtable.ServerTime, []byte(buyer)) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamBid, "cents", bigtable.ServerTime, cents(c))      // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Reprice sets the ask to what the market says.
func (b *Book) Reprice(ctx context.Context, listing string, c int64) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", ts, cents(c))           // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamNote, "repriced", ts, []byte("auto")) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Schedule sets an ask from a time on.
func (b *Book) Schedule(ctx context.Context, listing string, c int64, from time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", bigtable.Time(from), cents(c)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Micro sets an ask; whoever comes later wins.
func (b *Book) Micro(ctx context.Context, listing string, c int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", bigtable.Timestamp(time.Now().UnixMicro()), cents(c)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Numbered sets an ask whose number came as a time from the old book.
func (b *Book) Numbered(ctx context.Context, listing string, c, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", bigtable.Time(time.UnixMilli(n)), cents(c)) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Withdraw writes an empty bid over the last.
func (b *Book) Withdraw(ctx context.Context, listing string) error {
	b.mu.Lock()
	b.next[listing]++
	n := b.next[listing]
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBid, "cents", bigtable.Timestamp(n), nil) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Resume writes the bids of a stopped auction again.
func (b *Book) Resume(ctx context.Context, listing string, bids []Offer) error {
	mut := bigtable.NewMutation()
	for i, o := range bids {
		mut.Set(schema.FamBid, "cents", bigtable.Timestamp(i+1), cents(o.Cents)) // want ttlwrite/unscaled-sequence
	}
	return b.tbl.Apply(ctx, listing, mut)
}

// ResumeAll writes the bids of a stopped auction again.
func (b *Book) ResumeAll(ctx context.Context, listing string, bids []Offer) error {
	mut := bigtable.NewMutation()
	for i, o := range bids {
		mut.Set(schema.FamBid, "cents", bigtable.Timestamp((i+1)*tick), cents(o.Cents)) // ok ttlwrite/unscaled-sequence
	}
	return b.tbl.Apply(ctx, listing, mut)
}

// Append adds to the history that the auctioneer has in memory.
func (b *Book) Append(ctx context.Context, listing string, history []Offer, o Offer) error {
	history = append(history, o)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBid, "cents", bigtable.Timestamp(len(history)), cents(o.Cents))                  // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamBid, "count", bigtable.Timestamp(len(history)*1000), cents(int64(len(history)))) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Step takes numbers in steps.
func (b *Book) Step(ctx context.Context, listing string, c int64) error {
	b.mu.Lock()
	b.step += 1000
	ts := bigtable.Timestamp(b.step)
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", ts, cents(c)) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Atomic takes the next number of all.
func (b *Book) Atomic(ctx context.Context, listing string, c int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", bigtable.Timestamp(b.seq.Add(1)), cents(c)) // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamBid, "floor", number(b.seq.Load()), cents(c))             // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// First opens a listing's book.
func (b *Book) First(ctx context.Context, listing string, c int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", 1, cents(c))    // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamBid, "cents", 1000, cents(0)) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamBid, "buyer", 0, nil)         // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, mut)
}

// Seed writes a first ask and thinks better of it.
func (b *Book) Seed(ctx context.Context, listing string, low, high int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAsk, "cents", tick, cents(low))
	mut.Set(schema.FamAsk, "cents", tick, cents(high)) // want ttlwrite/same-timestamp
	return b.tbl.Apply(ctx, listing, mut)
}

// Raise adds to the last bid.
func (b *Book) Raise(ctx context.Context, listing string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamBid, "cents", by)  // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamNote, "raises", 1) // ok ttlwrite/read-modify-write
	_, err := b.tbl.ApplyReadModifyWrite(ctx, listing, rmw)
	return err
}

// RaiseAsk adds to the ask.
func (b *Book) RaiseAsk(ctx context.Context, listing string, by int64) (int64, error) {
	return b.asks.Bump(ctx, &model.Ask{Listing: listing}, "cents", by) // want ttlwrite/read-modify-write[raiseask]
}

// Scratch copies a bid to where data science looks.
func (b *Book) Scratch(ctx context.Context, listing string, c int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBid, "cents", bigtable.Now(), cents(c)) // ok ttlwrite/clock-in-sequence
	return b.scratch.Apply(ctx, listing, mut)
}

// AskOf is the seller's price.
func (b *Book) AskOf(ctx context.Context, listing string) (*model.Ask, error) {
	a := &model.Ask{Listing: listing}
	return a, b.asks.Get(ctx, listing, a) // want ttlread/missing-filter[getask]
}

// LastAsk is the seller's price.
func (b *Book) LastAsk(ctx context.Context, listing string) (*model.Ask, error) {
	a := &model.Ask{Listing: listing}
	return a, b.asks.Get(ctx, listing, a, bigtable.FamilyFilter(schema.FamAsk), bigtable.LatestNFilter(1)) // ok ttlread/missing-filter
}

// EachBid goes over the bids of a prefix.
func (b *Book) EachBid(ctx context.Context, prefix string, fn func(*model.Bid) bool) error {
	q := mapper.Where().Family(schema.FamBid).Column("cents")                           // want ttlread/version-limit[eachbid]
	return b.bids.Each(ctx, prefix, func() *model.Bid { return new(model.Bid) }, q, fn) // want ttlread/version-limit[eachbid]
}

// EachLast goes over the last bids of a prefix.
func (b *Book) EachLast(ctx context.Context, prefix string, fn func(*model.Bid) bool) error {
	q := mapper.Where().Family(schema.FamBid).Latest(1).Column("cents")
	return b.bids.Each(ctx, prefix, func() *model.Bid { return new(model.Bid) }, q, fn) // ok ttlread/version-limit
}

// Bids are the bids on a listing.
func (b *Book) Bids(ctx context.Context, listing string) ([]Offer, error) {
	row, err := b.tbl.ReadRow(ctx, listing) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("bids on %s: %w", listing, err)
	}
	return offers(row[schema.FamBid]), nil
}

// offers reads cells.
func offers(items []bigtable.ReadItem) []Offer {
	var out []Offer
	for _, it := range items {
		if len(it.Value) != 8 {
			continue
		}
		out = append(out, Offer{
			Cents:  int64(binary.BigEndian.Uint64(it.Value)),
			Number: int64(it.Timestamp) / tick, // ok ttlage/not-write-time
		})
	}
	return out
}

// LastBids are the last bids on a listing, as many as are kept.
func (b *Book) LastBids(ctx context.Context, listing string) ([]Offer, error) {
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.LatestNFilter(schema.BidVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return offers(row[schema.FamBid]), nil
}

// ManyBids are the last ten bids on a listing.
func (b *Book) ManyBids(ctx context.Context, listing string) ([]Offer, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.LatestNFilter(10)) // want ttlread/version-limit[manybids]
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(f))                               // want ttlread/version-limit[manybids]
	if err != nil {
		return nil, err
	}
	return offers(row[schema.FamBid]), nil
}

// Asks are the asks of a prefix.
func (b *Book) Asks(ctx context.Context, prefix string) (map[string][]Offer, error) {
	out := map[string][]Offer{}
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/version-limit[r5]
		out[row.Key()] = offers(row[schema.FamAsk])
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAsk))) // want ttlread/version-limit[r5]
	return out, err
}

// RecentBids are the bids of the last hour.
func (b *Book) RecentBids(ctx context.Context, listing string) ([]Offer, error) {
	hour := time.Now().Add(-time.Hour)
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.TimestampRangeFilter(hour, time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return offers(row[schema.FamBid]), nil
}

// BidNumber is one bid by its number.
func (b *Book) BidNumber(ctx context.Context, listing string, n int64) ([]Offer, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamBid),
		bigtable.TimestampRangeFilterMicros(number(n), number(n+1)),
		bigtable.LatestNFilter(1),
	)
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return offers(row[schema.FamBid]), nil
}

// RecentNotes are the remarks of the last hour.
func (b *Book) RecentNotes(ctx context.Context, listing string) ([]string, error) {
	hour := time.Now().Add(-time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamNote), bigtable.TimestampRangeFilter(hour, time.Time{}))
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamNote] {
		out = append(out, it.Timestamp.Time().Format(time.Kitchen)+" "+string(it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// By are the listings that a buyer leads.
func (b *Book) By(ctx context.Context, buyer string) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.ColumnFilter("buyer"), bigtable.ValueFilter(buyer), bigtable.LatestNFilter(1)) // want ttlread/version-limit[by]
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                                                     // want ttlread/version-limit[by]
		if len(row[schema.FamBid]) > 0 {
			out = append(out, string(row[schema.FamBid][0].Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[by]
	return out, err
}

// Leads are the listings that a buyer leads.
func (b *Book) Leads(ctx context.Context, buyer string) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.ColumnFilter("buyer"), bigtable.LatestNFilter(1), bigtable.ValueFilter(buyer))
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if len(row[schema.FamBid]) > 0 {
			out = append(out, string(row[schema.FamBid][0].Value))
		}
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return out, err
}

// Accept closes a listing if the last bid is what the seller saw.
func (b *Book) Accept(ctx context.Context, listing, buyer string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamNote, "accepted", bigtable.Now(), []byte(buyer)) // ok ttlwrite/clock-in-sequence
	var ok bool
	saw := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.ColumnFilter("buyer"), bigtable.ValueFilter(buyer)) // want ttlread/conditional-mutation[accept]
	if err := b.tbl.Apply(ctx, listing, bigtable.NewCondMutation(saw, set, nil), bigtable.GetCondMutationResult(&ok)); err != nil { // want ttlread/conditional-mutation[accept]
		return err
	}
	if !ok {
		return ErrStale
	}
	return nil
}

// AcceptLast closes a listing if the last bid is the buyer's.
func (b *Book) AcceptLast(ctx context.Context, listing, buyer string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamNote, "accepted", bigtable.Now(), []byte(buyer)) // ok ttlwrite/clock-in-sequence
	saw := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBid), bigtable.ColumnFilter("buyer"), bigtable.LatestNFilter(1), bigtable.ValueFilter(buyer))
	return b.tbl.Apply(ctx, listing, bigtable.NewCondMutation(saw, set, nil)) // ok ttlread/conditional-mutation
}

// OpenOnce writes a first ask unless there is one.
func (b *Book) OpenOnce(ctx context.Context, listing string, c int64) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamAsk, "cents", number(1), cents(c))                                                       // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, listing, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamAsk), nil, set)) // ok ttlread/conditional-mutation
}

// Ages shows how old the last bids are.
func (b *Book) Ages(ctx context.Context, listing string) ([]Offer, error) {
	row, err := b.tbl.ReadRow(ctx, listing, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Offer
	for _, it := range row[schema.FamBid] {
		out = append(out, Offer{
			Number:    int64(it.Timestamp / tick), // ok ttlage/not-write-time
			WrittenAt: it.Timestamp.Time(),        // want ttlage/not-write-time
		})
	}
	for _, it := range row[schema.FamAsk] {
		out = append(out, Offer{Age: time.Since(it.Timestamp.Time()).Round(time.Second).String()}) // want ttlage/not-write-time
	}
	for _, it := range row[schema.FamNote] {
		out = append(out, Offer{Age: time.Since(it.Timestamp.Time()).String()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// ScratchBids are what data science has of bids.
func (b *Book) ScratchBids(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := b.scratch.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamBid] {
			out[row.Key()] = strconv.Itoa(len(it.Value)) + " written " + it.Timestamp.Time().String() // ok ttlage/not-write-time
		}
		return true
	}) // ok ttlread/missing-filter
	return out, err
}
