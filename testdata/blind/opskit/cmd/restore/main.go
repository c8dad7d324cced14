// restore writes what dump wrote, one JSON object per line.
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

// line is what dump writes. TS is in microseconds.
type line struct {
	Key    string    `json:"key"`
	Family string    `json:"family"`
	Column string    `json:"column"`
	TS     int64     `json:"ts"`
	At     time.Time `json:"at"`
	Value  []byte    `json:"value"`
}

var (
	table   string
	mode    string
	ttl     time.Duration
	keepTS  bool
	skipped int
)

func main() {
	kit.Main("restore", run, func(fs *flag.FlagSet) {
		fs.StringVar(&table, "table", kit.TablePayments, "table to write")
		fs.StringVar(&mode, "mode", "exact", "exact, fresh or merge")
		fs.DurationVar(&ttl, "ttl", time.Hour, "lifetime with -mode fresh")
		fs.BoolVar(&keepTS, "keep-ts", true, "keep timestamps of sequences")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) == 0 {
		return kit.Usage("restore [-table T] FILE...")
	}
	for _, path := range args {
		if err := restoreFile(ctx, e, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if skipped > 0 {
		e.Log.Warn("skipped", "lines", skipped)
	}
	return nil
}

func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

func restoreFile(ctx context.Context, e *kit.Env, path string) error {
	r, err := open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 1<<24)
	var lines []line
	for sc.Scan() {
		var l line
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			skipped++
			continue
		}
		lines = append(lines, l)
	}
	if err := sc.Err(); err != nil {
		return err
	}
	e.Log.Info("restoring", "table", table, "lines", len(lines), "mode", mode)
	switch table {
	case kit.TablePayments:
		return payments(ctx, e, lines)
	case kit.TableSessions:
		return sessions(ctx, e, lines)
	case kit.TableRates:
		return rates(ctx, e, lines)
	case kit.TableWebhooks:
		return webhooks(ctx, e, lines)
	case "ledger":
		return ledger(ctx, e, lines)
	case kit.TableCards:
		return cards(ctx, e, lines)
	case kit.TableDisputes:
		return disputes(ctx, e, lines)
	default:
		return generic(ctx, e.NewWriter(e.Client.Open(table), 500), lines)
	}
}

// generic writes back exactly what was read.
func generic(ctx context.Context, w *kit.Writer, lines []line) error {
	for _, l := range lines {
		m := bigtable.NewMutation()
		m.Set(l.Family, l.Column, bigtable.Timestamp(l.TS), l.Value) // ok ttlwrite/unscaled-sequence
		if err := w.Add(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// payments restores holds and idempotency keys. With -mode fresh they start again.
func payments(ctx context.Context, e *kit.Env, lines []line) error {
	w := e.NewWriter(e.Payments, 500)
	for _, l := range lines {
		m := bigtable.NewMutation()
		switch l.Family {
		case kit.FamHold:
			ts := bigtable.Timestamp(l.TS)
			switch mode {
			case "fresh":
				ts = kit.ExpireIn(ttl)
			case "merge":
				ts = bigtable.Now()
			}
			m.Set(kit.FamHold, l.Column, ts, l.Value) // want ttlwrite/write-time
		case kit.FamIdem:
			ts := bigtable.Timestamp(l.TS)
			if mode != "exact" {
				ts = bigtable.Time(time.Now().Add(kit.IdemTTL))
			}
			m.Set(kit.FamIdem, l.Column, ts, l.Value) // ok ttlwrite/write-time
		case kit.FamDetail:
			m.Set(kit.FamDetail, l.Column, bigtable.ServerTime, l.Value) // ok ttlwrite/server-timestamp
		default:
			skipped++
			continue
		}
		m.Set(kit.FamIdem, "restored", bigtable.ServerTime, []byte(mode))       // want ttlwrite/server-timestamp
		m.Set(kit.FamDetail, "restored_by", bigtable.ServerTime, []byte("ops")) // ok ttlwrite/server-timestamp
		if err := w.Add(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// sessions restores tokens that are not expired yet.
func sessions(ctx context.Context, e *kit.Env, lines []line) error {
	const grace = 10 * time.Minute
	now := time.Now()
	for _, l := range lines {
		m := bigtable.NewMutation()
		if l.Family == kit.FamToken {
			exp := bigtable.Timestamp(l.TS).Time()
			if exp.Before(now) {
				exp = now
			}
			m.Set(kit.FamToken, l.Column, bigtable.Time(exp.Add(grace)), l.Value)                       // ok ttlwrite/write-time
			m.Set(kit.FamToken, "restored", bigtable.Time(now), []byte("1"))                            // want ttlwrite/write-time
			m.Set(kit.FamToken, "grace", bigtable.Timestamp(now.Add(grace).UnixNano()), []byte("1"))    // want ttlunit/wrong-unit
			m.Set(kit.FamToken, "gr2", bigtable.Timestamp(now.Add(grace).UnixNano()/1000), []byte("1")) // ok ttlunit/wrong-unit
		} else {
			m.Set(kit.FamProfile, l.Column, bigtable.Timestamp(l.At.Unix()), l.Value)        // want ttlunit/wrong-unit
			m.Set(kit.FamProfile, "src", bigtable.Timestamp(l.At.UnixMilli()*1000), l.Value) // ok ttlunit/wrong-unit
		}
		if err := e.Sessions.Apply(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return nil
}

// rates restores quotes with what is left of their six hours.
func rates(ctx context.Context, e *kit.Env, lines []line) error {
	for i, l := range lines {
		m := bigtable.NewMutation()
		switch l.Family {
		case kit.FamQuote:
			m.Set(kit.FamQuote, l.Column, bigtable.Timestamp(l.TS), l.Value) // ok ttlwrite/already-expired
			m.Set(kit.FamQuote, "restored", bigtable.Now(), []byte("1"))     // ok ttlwrite/write-time
		case kit.FamCurve:
			ts := bigtable.Timestamp(l.TS)
			if !keepTS {
				ts = bigtable.Timestamp(i)
			}
			m.Set(kit.FamCurve, l.Column, ts, l.Value) // want ttlwrite/unscaled-sequence
		}
		if err := e.Rates.Apply(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return nil
}

func webhooks(ctx context.Context, e *kit.Env, lines []line) error {
	w := e.NewWriter(e.Webhooks, 200)
	last := map[string]int64{}
	for _, l := range lines {
		m := bigtable.NewMutation()
		switch l.Family {
		case kit.FamDelivery:
			m.Set(kit.FamDelivery, l.Column, bigtable.Time(l.At), l.Value)                                  // ok ttlwrite/already-expired
			m.Set(kit.FamDelivery, "late", bigtable.Time(time.Now().Add(-kit.DeliverBy)), l.Value)          // want ttlwrite/already-expired
			m.Set(kit.FamDelivery, "soon", bigtable.Time(time.Now().Add(time.Hour-kit.DeliverBy)), l.Value) // ok ttlwrite/already-expired
		case kit.FamAttempt:
			last[l.Key]++
			m.Set(kit.FamAttempt, l.Column, kit.Seq(last[l.Key]), l.Value) // ok ttlwrite/unscaled-sequence
			m.Set(kit.FamAttempt, "restored", kit.Stamp(), nil)            // want ttlwrite/clock-in-sequence
			m.Set(kit.FamAttempt, "line", bigtable.Time(l.At), nil)        // want ttlwrite/clock-in-sequence
		case kit.FamTarget:
			m.Set(kit.FamTarget, l.Column, bigtable.Now(), l.Value) // ok ttlwrite/clock-in-sequence
			m.Set(kit.FamTarget, "cut", 1500, l.Value)              // want ttlunit/sub-millisecond
			m.Set(kit.FamTarget, "v", 2000, l.Value)                // ok ttlunit/sub-millisecond
		}
		if err := w.Add(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// ledger keeps the numbers, they are scaled in the dump.
func ledger(ctx context.Context, e *kit.Env, lines []line) error {
	var errs []error
	for _, l := range lines {
		m := bigtable.NewMutation()
		switch l.Family {
		case kit.FamEntry:
			ts := bigtable.Timestamp(l.TS)
			if ts == 0 {
				ts = bigtable.Now()
			}
			m.Set(kit.FamEntry, l.Column, ts, l.Value) // want ttlwrite/clock-in-sequence
		case kit.FamBalance:
			m.Set(kit.FamBalance, l.Column, 0, l.Value)                   // ok ttlwrite/clock-in-zero
			m.Set(kit.FamBalance, l.Column, bigtable.ServerTime, l.Value) // want ttlwrite/clock-in-zero
		case kit.FamMeta:
			m.Set(kit.FamMeta, l.Column, bigtable.Timestamp(l.TS), l.Value) // ok ttlwrite/clock-in-zero
		}
		errs = append(errs, e.Ledger.Apply(ctx, l.Key, m))
	}
	return errors.Join(errs...)
}

func cards(ctx context.Context, e *kit.Env, lines []line) error {
	for _, l := range lines {
		m := bigtable.NewMutation()
		switch l.Family {
		case kit.FamVault:
			m.DeleteCellsInColumn(kit.FamVault, l.Column)
			m.Set(kit.FamVault, l.Column, 0, l.Value) // ok ttlwrite/clock-in-zero
		case kit.FamOTP:
			// not worth it, they are dead by now
			skipped++
			continue
		case kit.FamAudit:
			m.Set(kit.FamAudit, l.Column, bigtable.Time(time.Time{}), l.Value) // want ttlunit/out-of-range
			m.Set(kit.FamAudit, "restored", bigtable.Now(), nil)               // ok ttlunit/out-of-range
		}
		m.Set(kit.FamOTP, "restored", kit.ExpireIn(kit.OTPTTL), []byte("1")) // ok ttlwrite/write-time
		m.Set(kit.FamOTP, "tries", 0, []byte("0"))                           // want ttlwrite/already-expired
		m.DeleteCellsInColumn(kit.FamOTP, "tries")                           // want ttlwrite/delete-after-set
		m.Set(kit.FamOTP, "code", kit.ExpireIn(-time.Second), nil)           // want ttlwrite/already-expired
		if err := e.Cards.Apply(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return nil
}

func disputes(ctx context.Context, e *kit.Env, lines []line) error {
	w := e.NewWriter(e.Disputes, 500)
	for _, l := range lines {
		m := bigtable.NewMutation()
		m.DeleteRow()
		m.Set(kit.FamEntry, l.Column, bigtable.Time(l.At), l.Value) // ok ttlwrite/clock-in-sequence
		m.Set(kit.FamNote, "restored", bigtable.Now(), nil)         // ok ttlwrite/delete-after-set
		if err := w.Add(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}
