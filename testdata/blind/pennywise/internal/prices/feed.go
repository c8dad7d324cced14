// Package prices takes the market feed and serves prices.
//
// Table prices: tick has the feed's sequence number * 1000 as timestamp and
// keeps five versions, so that a late message never wins over a newer one. last
// is one cell at timestamp 0. src says where a price came from: ordinary, GC
// after 30 days.
package prices

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
)

// keep is how many ticks a row has.
const keep = 5

// Tick is a message of the feed.
type Tick struct {
	Market string    `json:"market"`
	SKU    string    `json:"sku"`
	Price  int64     `json:"price"`
	Seq    int64     `json:"seq"`
	Sent   time.Time `json:"sent"`
}

var (
	feedSeq  atomic.Int64 // for messages without a number
	received atomic.Int64
	feedPath = os.Getenv("PRICE_FEED")
)

// seqTS is the timestamp of a sequence number.
func seqTS(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n) * 1000 // ok ttlwrite/unscaled-sequence
}

// Handle stores one message.
func Handle(ctx context.Context, t Tick) error {
	key := keys.Price(t.Market, t.SKU)
	raw, err := json.Marshal(t)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", seqTS(t.Seq), raw)                         // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamLast, "p", 0, []byte(strconv.FormatInt(t.Price, 10))) // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamSrc, "feed", bigtable.Time(t.Sent), []byte(feedPath)) // ok ttlwrite/clock-in-sequence
	mut.Set(bt.FamSrc, "received", bigtable.Now(), nil)                 // ok ttlwrite/clock-in-sequence
	received.Add(1)
	return bt.Prices.Apply(ctx, key, mut)
}

// HandleUnnumbered stores a message of the markets that do not number theirs.
func HandleUnnumbered(ctx context.Context, t Tick) error {
	key := keys.Price(t.Market, t.SKU)
	raw, err := json.Marshal(t)
	if err != nil {
		return err
	}
	n := feedSeq.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", bigtable.Timestamp(n), raw)                                  // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "local", bigtable.Timestamp(feedSeq.Load()*1000), raw)            // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamLast, "p", bigtable.ServerTime, []byte(strconv.FormatInt(t.Price, 10))) // want ttlwrite/clock-in-zero
	return bt.Prices.Apply(ctx, key, mut)
}

// HandleManual stores a price that somebody typed in.
func HandleManual(ctx context.Context, t Tick, who string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", bigtable.Now(), []byte(strconv.FormatInt(t.Price, 10))) // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamLast, "p", 0, []byte(strconv.FormatInt(t.Price, 10)))              // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamSrc, "manual", bigtable.Now(), []byte(who))                        // ok ttlwrite/clock-in-sequence
	return bt.Prices.Apply(ctx, keys.Price(t.Market, t.SKU), mut)
}

// HandleSent stores the messages of the Polish market, which has times instead
// of numbers.
func HandleSent(ctx context.Context, t Tick) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", bigtable.Time(t.Sent), []byte(strconv.FormatInt(t.Price, 10))) // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamSrc, "pl", bigtable.Time(t.Sent), nil)                                    // ok ttlwrite/clock-in-sequence
	return bt.Prices.Apply(ctx, keys.Price("pl", t.SKU), mut)
}

// Follow reads the feed until it ends. Lines that cannot be read are logged.
func Follow(ctx context.Context) error {
	f, err := os.Open(feedPath)
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	bad := 0
	for sc.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var t Tick
		if err := json.Unmarshal(sc.Bytes(), &t); err != nil {
			bad++
			log.Printf("feed: line %d: %v", bad, err)
			continue
		}
		switch {
		case t.Market == "pl":
			err = HandleSent(ctx, t)
		case t.Seq == 0:
			err = HandleUnnumbered(ctx, t)
		default:
			err = Handle(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("feed: %s: %w", t.SKU, err)
		}
	}
	return sc.Err()
}

// Snapshot loads a full snapshot, a line per SKU with all its prices, oldest
// first.
func Snapshot(ctx context.Context, market string, r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.Split(sc.Text(), ";")
		if len(f) < 2 {
			continue
		}
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(bt.FamTick, "p")
		for i, p := range f[1:] {
			mut.Set(bt.FamTick, "p", bigtable.Timestamp(i), []byte(p)) // want ttlwrite/unscaled-sequence
		}
		mut.Set(bt.FamLast, "p", 0, []byte(f[len(f)-1])) // ok ttlwrite/clock-in-zero
		if err := bt.Prices.Apply(ctx, keys.Price(market, f[0]), mut); err != nil {
			return err
		}
	}
	return sc.Err()
}

// Snapshot2 is Snapshot with the format of 2023.
func Snapshot2(ctx context.Context, market string, r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) < 2 {
			continue
		}
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(bt.FamTick, "p")
		for i, p := range f[1:] {
			mut.Set(bt.FamTick, "p", bigtable.Timestamp((i+1)*1000), []byte(p)) // ok ttlwrite/unscaled-sequence
		}
		ts := bigtable.Timestamp(0)
		for _, p := range f[1:] {
			mut.Set(bt.FamTick, "copy", ts, []byte(p)) // ok ttlwrite/unscaled-sequence
			ts += 1000
		}
		if err := bt.Prices.Apply(ctx, keys.Price(market, f[0]), mut); err != nil {
			return err
		}
	}
	return sc.Err()
}

// Correct writes corrections. Their numbers are in the file, as text.
func Correct(ctx context.Context, market string, lines [][]string) error {
	for _, l := range lines {
		if len(l) != 3 {
			return errors.New("want sku, number, price")
		}
		n, err := strconv.ParseInt(l[1], 10, 64)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamTick, "p", clock.Seq(n), []byte(l[2]))          // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamTick, "fix", clock.Seq(n), []byte(l[2]))        // ok ttlwrite/same-timestamp
		mut.Set(bt.FamTick, "n", bigtable.Timestamp(len(lines)), nil) // want ttlwrite/unscaled-sequence
		if err := bt.Prices.Apply(ctx, keys.Price(market, l[0]), mut); err != nil {
			return err
		}
	}
	return nil
}

// Seed writes the prices of a new SKU: list price first, then the sale price,
// which has to win.
func Seed(ctx context.Context, market, sku string, list, sale int64) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", 1, []byte(strconv.FormatInt(list, 10)))    // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "p", 2, []byte(strconv.FormatInt(sale, 10)))    // want ttlwrite/unscaled-sequence // maybe ttlwrite/same-timestamp
	mut.Set(bt.FamTick, "q", 1000, []byte(strconv.FormatInt(list, 10))) // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "q", 2000, []byte(strconv.FormatInt(sale, 10))) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
	mut.Set(bt.FamLast, "p", 0, []byte(strconv.FormatInt(list, 10)))
	mut.Set(bt.FamLast, "p", 0, []byte(strconv.FormatInt(sale, 10)))    // want ttlwrite/same-timestamp
	mut.Set(bt.FamLast, "list", 0, []byte(strconv.FormatInt(list, 10))) // ok ttlwrite/same-timestamp
	return bt.Prices.Apply(ctx, keys.Price(market, sku), mut)
}

// NextSeq takes the next number of a row: one more than the newest tick's.
func NextSeq(ctx context.Context, key string) (int64, error) {
	row, err := bt.Prices.ReadRow(ctx, key, bigtable.RowFilter(bt.Latest(bt.FamTick, 1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it := bt.Cell(row, bt.FamTick, "p")
	if it == nil {
		return 1, nil
	}
	return int64(it.Timestamp)/1000 + 1, nil // ok ttlage/not-write-time
}

// PutNext writes a price with the row's next number.
func PutNext(ctx context.Context, market, sku string, price int64) error {
	key := keys.Price(market, sku)
	n, err := NextSeq(ctx, key)
	if err != nil {
		return err
	}
	return bt.Put(ctx, bt.Prices, key, bt.FamTick, "p", seqTS(n), []byte(strconv.FormatInt(price, 10))) // ok ttlwrite/unscaled-sequence
}

// Bump is PutNext without the read, by an increment.
func Bump(ctx context.Context, market, sku string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamTick, "bumps", by) // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamLast, "bumps", by) // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamSrc, "bumps", by)  // ok ttlwrite/read-modify-write
	_, err := bt.Prices.ApplyReadModifyWrite(ctx, keys.Price(market, sku), rmw)
	return err
}

// Stamp marks rows as checked by the nightly comparison.
func Stamp(ctx context.Context, list []string) error {
	at := clock.Now()
	muts := make([]*bigtable.Mutation, 0, len(list))
	for range list {
		m := bigtable.NewMutation()
		m.Set(bt.FamLast, "checked", bigtable.Time(at), nil)                // want ttlwrite/clock-in-zero
		m.Set(bt.FamLast, "checked_at", 0, []byte(at.Format(time.RFC3339))) // ok ttlwrite/clock-in-zero
		m.Set(bt.FamSrc, "checked", bigtable.Time(at), nil)                 // ok ttlwrite/clock-in-zero
		muts = append(muts, m)
	}
	errs, err := bt.Prices.ApplyBulk(ctx, list, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
