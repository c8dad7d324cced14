// backfill fills families from CSV files.
//
//	backfill idem FILE | ledger FILE | balances FILE | curve FILE | attempts FILE | quotes FILE | vault FILE
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	startedAt = bigtable.Now() // want ttlwrite/stale-clock[started1] ttlwrite/stale-clock[started2]
	batch     int
	workers   int
	shift     time.Duration
	from      int64
)

func main() {
	kit.Main("backfill", run, func(fs *flag.FlagSet) {
		fs.IntVar(&batch, "batch", 500, "rows per request")
		fs.IntVar(&workers, "workers", 4, "for attempts")
		fs.DurationVar(&shift, "shift", 0, "lifetime of the quotes")
		fs.Int64Var(&from, "from", 1, "first sequence number")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("backfill WHAT FILE")
	}
	recs, err := load(args[1])
	if err != nil {
		return err
	}
	e.Log.Info("loaded", "records", len(recs), "file", args[1])
	switch args[0] {
	case "idem":
		return idem(ctx, e, recs)
	case "ledger":
		return ledger(ctx, e, recs)
	case "ledger-bulk":
		return ledgerBulk(ctx, e, recs)
	case "balances":
		return balances(ctx, e, recs)
	case "curve":
		return curve(ctx, e, recs)
	case "attempts":
		return attempts(ctx, e, recs)
	case "quotes":
		return quotes(ctx, e, recs)
	case "vault":
		return vault(ctx, e, recs)
	case "disputes":
		return disputes(ctx, e, recs)
	case "windows":
		return windows(ctx, e, recs)
	}
	return kit.Usage("what is %q", args[0])
}

type rec struct {
	key  string
	col  string
	val  string
	seq  int64
	when time.Time
}

func load(path string) ([]rec, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	var out []rec
	for line := 1; ; line++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(row) < 3 {
			slog.Warn("short line", "line", line)
			continue
		}
		x := rec{key: row[0], col: row[1], val: row[2]}
		if len(row) > 3 {
			x.seq, _ = strconv.ParseInt(row[3], 10, 64)
		}
		if len(row) > 4 {
			x.when, _ = time.Parse(time.RFC3339, row[4])
		}
		out = append(out, x)
	}
}

// idem brings back the idempotency keys that the June incident lost.
func idem(ctx context.Context, e *kit.Env, recs []rec) error {
	w := e.NewWriter(e.Payments, batch)
	for _, r := range recs {
		m := bigtable.NewMutation()
		m.Set(kit.FamIdem, r.col, bigtable.Time(r.when.Add(kit.IdemTTL)), []byte(r.val)) // ok ttlwrite/already-expired
		m.Set(kit.FamIdem, "backfilled", startedAt, []byte("1"))                         // want ttlwrite/stale-clock[started1]
		m.Set(kit.FamDetail, "backfilled", startedAt, []byte("1"))                       // ok ttlwrite/stale-clock
		if r.val == "" {
			m.Set(kit.FamHold, "state", startedAt, []byte("unknown")) // want ttlwrite/stale-clock[started2]
		}
		if err := w.Add(ctx, r.key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// ledger writes entries one account after the other.
func ledger(ctx context.Context, e *kit.Env, recs []rec) error {
	byKey := map[string][]rec{}
	for _, r := range recs {
		byKey[r.key] = append(byKey[r.key], r)
	}
	p := &kit.Progress{Log: e.Log, Every: 1000, What: "accounts"}
	next := map[string]int64{}
	for key, rs := range byKey {
		m := bigtable.NewMutation()
		for i, r := range rs {
			m.Set(kit.FamEntry, "amount", kit.Seq(from+int64(i)), []byte(r.val)) // ok ttlwrite/unscaled-sequence
			m.Set(kit.FamEntry, "ref", kit.SeqTS(i), []byte(r.col))              // want ttlwrite/unscaled-sequence[seqts_backfill]
			next[key]++
			m.Set(kit.FamEntry, "ordinal", bigtable.Timestamp(next[key]), []byte(r.col))       // want ttlwrite/unscaled-sequence
			m.Set(kit.FamEntry, "position", bigtable.Timestamp(next[key]*1000), []byte(r.col)) // ok ttlwrite/unscaled-sequence
			m.Set(kit.FamEntry, "imported", bigtable.Timestamp(r.seq*1000), []byte(r.val))     // ok ttlwrite/unscaled-sequence
			m.Set(kit.FamEntry, "booked", bigtable.Time(r.when), []byte(r.val))                // want ttlwrite/clock-in-sequence
		}
		m.Set(kit.FamEntry, "count", bigtable.Timestamp(len(rs)), []byte(strconv.Itoa(len(rs)))) // want ttlwrite/unscaled-sequence
		m.Set(kit.FamMeta, "backfilled", bigtable.Now(), []byte(strconv.Itoa(len(rs))))          // ok ttlwrite/clock-in-sequence
		m.Set(kit.FamBalance, "entries", 0, []byte(strconv.Itoa(len(rs))))                       // ok ttlwrite/clock-in-zero
		if err := kit.Retry(ctx, 4, func() error { return e.Ledger.Apply(ctx, key, m) }); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		p.Tick()
	}
	return nil
}

// ledgerBulk is ledger without the niceties.
func ledgerBulk(ctx context.Context, e *kit.Env, recs []rec) error {
	var (
		keys []string
		muts []*bigtable.Mutation
		ts   bigtable.Timestamp = 1000
		n    int64
	)
	for _, r := range recs {
		m := bigtable.NewMutation()
		m.Set(kit.FamEntry, r.col, ts, []byte(r.val)) // ok ttlwrite/unscaled-sequence
		ts += 1000
		n++
		m.Set(kit.FamEntry, "n", bigtable.Timestamp(n), []byte(r.val)) // want ttlwrite/unscaled-sequence
		m.Set(kit.FamMeta, "at", bigtable.ServerTime, nil)             // ok ttlwrite/server-timestamp
		keys = append(keys, r.key)
		muts = append(muts, m)
	}
	errs, err := e.Ledger.ApplyBulk(ctx, keys, muts)
	return errors.Join(err, errors.Join(errs...))
}

func balances(ctx context.Context, e *kit.Env, recs []rec) error {
	w := e.NewWriter(e.Ledger, batch)
	for _, r := range recs {
		m := bigtable.NewMutation()
		m.Set(kit.FamBalance, "cents", 0, []byte(r.val))                      // ok ttlwrite/clock-in-zero
		m.Set(kit.FamBalance, "asof", bigtable.Now(), []byte(r.col))          // want ttlwrite/clock-in-zero
		m.Set(kit.FamBalance, "source", bigtable.Timestamp(0), []byte("csv")) // ok ttlwrite/clock-in-zero
		m.Set(kit.FamMeta, "asof", bigtable.Now(), []byte(r.col))             // ok ttlwrite/clock-in-zero
		kit.Touch(m, kit.FamBalance, "backfill")                              // want ttlwrite/clock-in-zero
		kit.Touch(m, kit.FamMeta, "backfill")                                 // ok ttlwrite/clock-in-zero
		if err := w.Add(ctx, r.key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// curve writes the points of yield curves; the file is ordered.
func curve(ctx context.Context, e *kit.Env, recs []rec) error {
	for i, r := range recs {
		m := bigtable.NewMutation()
		m.Set(kit.FamCurve, r.col, kit.Seq(int64(i)+from), []byte(r.val))            // ok ttlwrite/unscaled-sequence
		m.Set(kit.FamCurve, "loaded", bigtable.Now(), []byte(r.val))                 // want ttlwrite/clock-in-sequence
		m.Set(kit.FamCurve, "rank", bigtable.Timestamp(len(recs)-i), nil)            // want ttlwrite/unscaled-sequence
		m.Set(kit.FamCurve, "order", bigtable.Timestamp((len(recs)-i)*1000), nil)    // ok ttlwrite/unscaled-sequence
		m.Set(kit.FamCurve, "stamp", bigtable.Timestamp(time.Now().UnixNano()), nil) // want ttlwrite/clock-in-sequence
		m.Set(kit.FamQuote, "mid", bigtable.Now(), []byte(r.val))                    // ok ttlwrite/clock-in-sequence
		if err := e.Rates.Apply(ctx, r.key, m); err != nil {
			return err
		}
	}
	return nil
}

// attempts replays the delivery log into the attempt family.
func attempts(ctx context.Context, e *kit.Env, recs []rec) error {
	var (
		seq  atomic.Int64
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
		ch   = make(chan rec)
	)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r := range ch {
				m := bigtable.NewMutation()
				m.Set(kit.FamAttempt, "status", bigtable.Timestamp(seq.Add(1)), []byte(r.val))    // want ttlwrite/unscaled-sequence
				m.Set(kit.FamAttempt, "body", kit.Seq(seq.Add(1)), []byte(r.col))                 // ok ttlwrite/unscaled-sequence
				m.Set(kit.FamAttempt, "at", bigtable.ServerTime, []byte(r.when.String()))         // want ttlwrite/clock-in-sequence
				m.Set(kit.FamDelivery, "at", bigtable.ServerTime, []byte(r.when.String()))        // ok ttlwrite/server-timestamp
				m.Set(kit.FamAttempt, "src", bigtable.Time(time.UnixMilli(r.seq)), []byte(r.col)) // ok ttlwrite/clock-in-sequence
				if err := e.Webhooks.Apply(ctx, r.key, m); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		}()
	}
	for _, r := range recs {
		ch <- r
	}
	close(ch)
	wg.Wait()
	return errors.Join(errs...)
}

// quotes loads FX quotes. -shift makes them live longer or shorter than the six hours.
func quotes(ctx context.Context, e *kit.Env, recs []rec) error {
	w := e.NewWriter(e.Rates, batch)
	defer w.Flush(ctx)
	for _, r := range recs {
		m := bigtable.NewMutation()
		ts := bigtable.Now()
		if shift > 0 {
			ts = kit.Shifted(kit.QuoteTTL, shift)
		}
		m.Set(kit.FamQuote, r.col, ts, []byte(r.val))                                          // ok ttlwrite/already-expired
		m.Set(kit.FamQuote, "old", bigtable.Time(time.Now().Add(-8*time.Hour)), []byte(r.val)) // want ttlwrite/already-expired
		m.Set(kit.FamQuote, "short", kit.Shifted(kit.QuoteTTL, time.Hour), []byte(r.val))      // ok ttlwrite/already-expired
		m.Set(kit.FamQuote, "base", 0, []byte("EUR"))                                          // want ttlwrite/already-expired
		if err := w.Add(ctx, r.key, m); err != nil {
			return err
		}
	}
	return nil
}

func vault(ctx context.Context, e *kit.Env, recs []rec) error {
	for _, r := range recs {
		if err := kit.Put(ctx, e.Cards, r.key, kit.FamVault, r.col, 0, []byte(r.val)); err != nil { // ok ttlwrite/clock-in-zero
			return err
		}
		if err := kit.Put(ctx, e.Cards, r.key, kit.FamVault, "rotated", kit.Stamp(), []byte(r.col)); err != nil { // want ttlwrite/clock-in-zero
			return err
		}
		if err := kit.Put(ctx, e.Cards, r.key, kit.FamAudit, "vault", kit.Stamp(), []byte(r.col)); err != nil { // ok ttlwrite/clock-in-zero
			return err
		}
	}
	return nil
}

// disputes has an entry family too, but that one is a log.
func disputes(ctx context.Context, e *kit.Env, recs []rec) error {
	for i, r := range recs {
		m := bigtable.NewMutation()
		m.Set(kit.FamEntry, r.col, bigtable.Time(r.when), []byte(r.val))                       // ok ttlwrite/clock-in-sequence
		m.Set(kit.FamEntry, "import", bigtable.Now(), []byte(r.val))                           // ok ttlwrite/clock-in-sequence
		m.Set(kit.FamNote, "line", bigtable.Timestamp(int64(i)*1000), []byte(strconv.Itoa(i))) // ok ttlwrite/unscaled-sequence
		if err := e.Disputes.Apply(ctx, r.key, m); err != nil {
			return err
		}
	}
	return nil
}

// windows seeds the velocity windows after a flush.
func windows(ctx context.Context, e *kit.Env, recs []rec) error {
	exp := kit.ExpireIn(kit.WindowTTL)
	m := bigtable.NewMutation()
	for _, r := range recs {
		m.Set(kit.FamWindow, "seed", exp, []byte(r.val)) // want ttlwrite/same-timestamp
		m.Set(kit.FamWindow, r.col, exp, []byte(r.val))  // ok ttlwrite/same-timestamp
		m.Set(kit.FamCap, r.col, 0, []byte(r.val))       // ok ttlwrite/same-timestamp
	}
	return e.Velocity.Apply(ctx, "seed", m)
}
