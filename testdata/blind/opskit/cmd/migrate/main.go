// migrate moves rows between tables and key formats. Every step can be run again.
//
//	migrate v3-keys | archive | split-idem | zero-balances | renumber | tokens | caps MERCHANT
package main

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	checkpoint string
	keepOld    bool
	version    int64
)

type step struct {
	name string
	run  func(ctx context.Context, e *kit.Env, prefix string, w *kit.Writer) error
}

var steps = []step{
	{"v3-keys", v3Keys},
	{"archive", archive},
	{"split-idem", splitIdem},
	{"zero-balances", zeroBalances},
	{"renumber", renumber},
	{"tokens", tokens},
	{"caps", caps},
	{"otp", otp},
	{"curves", curves},
}

func main() {
	kit.Main("migrate", run, func(fs *flag.FlagSet) {
		fs.StringVar(&checkpoint, "checkpoint", "", "file with the last key done")
		fs.BoolVar(&keepOld, "keep", true, "keep the old rows")
		fs.Int64Var(&version, "version", 0, "version of the caps")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("migrate STEP PREFIX")
	}
	for _, s := range steps {
		if s.name != args[0] {
			continue
		}
		start := time.Now()
		w := e.NewWriter(e.Payments, 300)
		if err := s.run(ctx, e, args[1], w); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := w.Flush(ctx); err != nil {
			return err
		}
		e.Log.Info("done", "step", s.name, "took", time.Since(start)) // ok ttlage/not-write-time
		return saveCheckpoint(args[1])
	}
	return kit.Usage("no step %q", args[0])
}

type state struct {
	Prefix string    `json:"prefix"`
	At     time.Time `json:"at"`
}

func saveCheckpoint(prefix string) error {
	if checkpoint == "" {
		return nil
	}
	b, err := json.Marshal(state{Prefix: prefix, At: time.Now()})
	if err != nil {
		return err
	}
	return os.WriteFile(checkpoint, b, 0o644)
}

func newKey(old string) string {
	merchant, id := kit.SplitKey(old)
	sum := sha1.Sum([]byte(id))
	return merchant + "#" + hex.EncodeToString(sum[:4]) + "#" + id
}

// v3Keys copies payments to their new keys.
func v3Keys(ctx context.Context, e *kit.Env, prefix string, w *kit.Writer) error {
	var ferr error
	err := e.Payments.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[v3]
		m := bigtable.NewMutation()
		for fam, items := range r {
			for _, it := range items {
				col := strings.TrimPrefix(it.Column, fam+":")
				m.Set(fam, col, it.Timestamp, it.Value) // ok ttlwrite/write-time
			}
		}
		ferr = w.Add(ctx, newKey(r.Key()), m)
		if ferr == nil && !keepOld {
			del := bigtable.NewMutation()
			del.DeleteRow()
			ferr = w.Add(ctx, r.Key(), del)
		}
		return ferr == nil
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[v3]
	return errors.Join(err, ferr)
}

// archive copies what is older than a year; the archive has real timestamps.
func archive(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	aw := e.NewWriter(e.Archive, 300)
	_, err := kit.Scan(ctx, e.Payments, prefix, kit.PaymentRow(), func(r bigtable.Row) error { // ok ttlread/missing-filter ttlread/unfiltered-branch
		m := bigtable.NewMutation()
		for fam, items := range r {
			for _, it := range items {
				m.Set(fam, strings.TrimPrefix(it.Column, fam+":"), bigtable.Now(), it.Value)
			}
		}
		m.Set("hold", "archived", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
		return aw.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	mark := bigtable.NewMutation()
	mark.Set("hold", "archived_to", bigtable.Now(), []byte(prefix)) // ok ttlwrite/write-time
	if err := e.Archive.Apply(ctx, "~"+prefix, mark); err != nil {
		return err
	}
	row, err := e.Archive.ReadRow(ctx, "~"+prefix) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["hold"] {
		e.Log.Info("archived", "at", it.Timestamp.Time().Format(time.RFC3339), "created", it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return aw.Flush(ctx)
}

// splitIdem moves idempotency keys out of the detail family, where they lived until v2.
func splitIdem(ctx context.Context, e *kit.Env, prefix string, w *kit.Writer) error {
	_, err := kit.Scan(ctx, e.Payments, prefix, kit.Cols(kit.FamDetail, "idem.*"), func(r bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[kit.FamDetail] {
			col := strings.TrimPrefix(it.Column, "detail:idem_")
			written := it.Timestamp.Time()         // ok ttlage/not-write-time
			if time.Since(written) > kit.IdemTTL { // ok ttlage/not-write-time
				continue
			}
			m.Set(kit.FamIdem, col, bigtable.Time(written.Add(kit.IdemTTL)), it.Value) // ok ttlwrite/already-expired
			m.Set(kit.FamIdem, col+"_src", bigtable.Time(time.Now()), []byte("v2"))    // want ttlwrite/write-time
			m.Set(kit.FamIdem, col+"_by", kit.Stamp(), []byte("migrate"))              // want ttlwrite/write-time
		}
		return w.Add(ctx, r.Key(), m)
	})
	return err
}

// zeroBalances brings balances to timestamp zero.
func zeroBalances(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	var ferr error
	err := e.Ledger.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range r[kit.FamBalance] {
			col := strings.TrimPrefix(it.Column, "balance:")
			m.DeleteCellsInColumn(kit.FamBalance, col)
			m.Set(kit.FamBalance, col, 0, it.Value)            // ok ttlwrite/clock-in-zero
			m.Set(kit.FamBalance, col+"_v", 1000, []byte("3")) // want ttlwrite/clock-in-zero
		}
		m.Set(kit.FamMeta, "zeroed", bigtable.Now(), []byte("1")) // ok ttlwrite/clock-in-zero
		ferr = e.Ledger.Apply(ctx, r.Key(), m)
		return ferr == nil
	}, bigtable.RowFilter(kit.Newest(kit.FamBalance, 1))) // ok ttlread/missing-filter
	if err = errors.Join(err, ferr); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(kit.FamMeta, "log", []byte("zeroed;")) // ok ttlwrite/read-modify-write
	rmw.Increment(kit.FamBalance, "migrations", 1)         // want ttlwrite/read-modify-write
	_, err = e.Ledger.ApplyReadModifyWrite(ctx, "~migrations", rmw)
	return err
}

// renumber closes the gaps in the entries of an account.
func renumber(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	total := 0
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.ColumnFilter("amount"))
	var ferr error
	err := e.Ledger.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		items := r[kit.FamEntry]
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(kit.FamEntry, "amount")
		for i := len(items) - 1; i >= 0; i-- {
			n := len(items) - i
			m.Set(kit.FamEntry, "amount", bigtable.Timestamp(n*1000), items[i].Value) // ok ttlwrite/unscaled-sequence
			m.Set(kit.FamEntry, "order", bigtable.Timestamp(n), items[i].Value)       // want ttlwrite/unscaled-sequence
			total++
		}
		m.Set(kit.FamMeta, "renumbered", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
		ferr = e.Ledger.Apply(ctx, r.Key(), m)
		return ferr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(f, bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
	e.Log.Info("renumbered", "entries", total)
	return errors.Join(err, ferr)
}

// tokens gives the sessions of the old login service the new layout.
func tokens(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	sw := e.NewWriter(e.Sessions, 300)
	exp := time.Now().Add(kit.TokenTTL)
	_, err := kit.Scan(ctx, e.Sessions, prefix, kit.Live(), func(r bigtable.Row) error { // ok ttlread/hides-other-families
		m := bigtable.NewMutation()
		for i, it := range r[kit.FamToken] {
			dev := strings.TrimPrefix(it.Column, "token:")
			m.Set(kit.FamToken, fmt.Sprintf("%s.%d", dev, i), bigtable.Time(exp), it.Value) // ok ttlwrite/write-time
		}
		m.Set(kit.FamToken, "layout", bigtable.Time(exp), []byte("2"))  // ok ttlwrite/same-timestamp
		m.Set(kit.FamToken, "layout", bigtable.Time(exp), []byte("2b")) // want ttlwrite/same-timestamp
		m.Set(kit.FamProfile, "layout", bigtable.Now(), []byte("2"))    // ok ttlwrite/write-time
		return sw.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	n := 0
	_, err = kit.Scan(ctx, e.Sessions, prefix, kit.Live(), func(r bigtable.Row) error { // want ttlread/hides-other-families
		if len(r[kit.FamToken]) > 0 && len(r[kit.FamProfile]) == 0 {
			n++
		}
		return nil
	})
	e.Log.Info("sessions without profile", "n", n)
	return errors.Join(err, sw.Flush(ctx))
}

// caps moves limits to the velocity table.
func caps(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	row, err := kit.Get(ctx, e.Payments, prefix, bigtable.RowFilter(kit.Newest(kit.FamDetail, 1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamDetail] {
		if !strings.HasPrefix(it.Column, "detail:cap_") {
			continue
		}
		buf := make([]byte, 8)
		binary.BigEndian.PutUint64(buf, uint64(len(it.Value)))
		m.Set(kit.FamCap, it.Column[11:], 0, it.Value)                              // ok ttlwrite/clock-in-zero
		m.Set(kit.FamCap, it.Column[11:]+"_v", bigtable.ServerTime, buf)            // want ttlwrite/clock-in-zero
		m.Set(kit.FamWindow, it.Column[11:], kit.ExpireIn(kit.WindowTTL), it.Value) // ok ttlwrite/server-timestamp
	}
	m.Set(kit.FamWindow, "migrated", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	return e.Velocity.Apply(ctx, prefix, m)
}

// otp drops what the SMS provider left behind.
func otp(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	keys, err := kit.Keys(ctx, e.Cards, prefix) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteTimestampRange(kit.FamOTP, "code", 0, 999)           // want ttlunit/sub-millisecond
		m.DeleteTimestampRange(kit.FamOTP, "sms", 0, bigtable.Now()) // ok ttlunit/sub-millisecond
		if err := e.Cards.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

// curves numbers the points of the old curves.
func curves(ctx context.Context, e *kit.Env, prefix string, _ *kit.Writer) error {
	row, err := e.Rates.ReadRow(ctx, prefix, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamCurve))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	var n int64
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamCurve] {
		n += 1000
		m.Set(kit.FamCurve, "p", bigtable.Timestamp(n), it.Value) // ok ttlwrite/unscaled-sequence
		m.Set(kit.FamCurve, "q", it.Timestamp+1000, it.Value)     // ok ttlwrite/unscaled-sequence
	}
	if version > 0 {
		m.Set(kit.FamCurve, "version", bigtable.Timestamp(version*1000), nil) // ok ttlwrite/unscaled-sequence
	}
	m.Set(kit.FamCurve, "migrated", kit.Stamp(), nil) // want ttlwrite/clock-in-sequence
	return e.Rates.Apply(ctx, prefix, m)
}
