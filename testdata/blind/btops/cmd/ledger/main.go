// ledger replays, renumbers and checks tenants' ledgers.
//
//	ledger replay FILE        entries from a dump, with their numbers
//	ledger renumber ACCOUNT   number the entries anew
//	ledger check              totals against entries
//	ledger close ACCOUNT
//	ledger merge FROM INTO
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

// step is how far sequence numbers are apart as timestamps.
const step = 1000

const (
	entryFamily = "entry"
	totalFamily = "total"
	column      = "e"
)

// env is what the subcommands share.
type env struct {
	opts   btx.Options
	config string
	id     string
	from   int64

	client *bigtable.Client
	ledger *bigtable.Table
	cfg    *tenant.Config
	seq    atomic.Int64
	seen   map[string]int64
}

func main() {
	e := &env{seen: map[string]int64{}}
	e.opts.Register(flag.CommandLine)
	flag.StringVar(&e.config, "config", "tenants.json", "tenants")
	flag.StringVar(&e.id, "tenant", "", "tenant")
	flag.Int64Var(&e.from, "from", 1, "first number")
	flag.Parse()
	ctx, cancel := e.opts.Context()
	defer cancel()
	btx.Fatal(e.open(ctx))
	defer e.client.Close()
	var err error
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "replay":
		err = e.replay(ctx, args[1])
	case len(args) == 2 && args[0] == "replay-old":
		err = e.replayOld(ctx, args[1])
	case len(args) == 2 && args[0] == "renumber":
		err = e.renumber(ctx, args[1])
	case len(args) == 1 && args[0] == "check":
		err = e.check(ctx)
	case len(args) == 2 && args[0] == "close":
		err = e.close(ctx, args[1])
	case len(args) == 3 && args[0] == "merge":
		err = e.merge(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "correct":
		cents, perr := strconv.ParseInt(args[2], 10, 64)
		btx.Fatal(perr)
		err = e.correct(ctx, args[1], cents)
	case len(args) == 1 && args[0] == "opening":
		err = e.opening(ctx)
	default:
		err = errors.New("replay, replay-old, renumber, check, close, merge, correct or opening?")
	}
	btx.Fatal(err)
}

func (e *env) open(ctx context.Context) error {
	cfg, err := tenant.Load(e.config)
	if err != nil {
		return err
	}
	t, ok := cfg.Get(e.id)
	if !ok {
		return fmt.Errorf("no tenant %q", e.id)
	}
	e.cfg = cfg
	if e.client, err = e.opts.Client(ctx); err != nil {
		return err
	}
	e.ledger = e.client.Open(cfg.TableName(t, "ledger"))
	e.seq.Store(e.from - 1)
	return nil
}

type dumped struct {
	Account string          `json:"account"`
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Entry   json.RawMessage `json:"entry"`
}

// lines calls f for each entry of a dump.
func lines(file string, f func(n int, d dumped) error) error {
	fh, err := os.Open(file)
	if err != nil {
		return err
	}
	defer fh.Close()
	sc := bufio.NewScanner(fh)
	for n := 1; sc.Scan(); n++ {
		var d dumped
		if err := json.Unmarshal(sc.Bytes(), &d); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if err := f(n, d); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return sc.Err()
}

func (e *env) replay(ctx context.Context, file string) error {
	meter := progress.New(os.Stderr, "entries")
	bulk := btx.NewBulk(e.ledger, 0, e.opts.DryRun)
	err := lines(file, func(n int, d dumped) error {
		m := bigtable.NewMutation()
		btx.PutSeq(m, entryFamily, column, d.Seq, d.Entry)                                 // ok ttlwrite/unscaled-sequence
		m.Set(entryFamily, "copy", bigtable.Timestamp(d.Seq*step), d.Entry)                // ok ttlwrite/unscaled-sequence
		m.Set(totalFamily, "last", 0, []byte(strconv.FormatInt(d.Seq, 10)))                // ok ttlwrite/clock-in-zero
		m.Set(totalFamily, "replayed", bigtable.Now(), []byte(strconv.Itoa(n)))            // want ttlwrite/clock-in-zero
		m.Set(totalFamily, "at", bigtable.Timestamp(0), []byte(d.At.Format(time.Kitchen))) // ok ttlwrite/clock-in-zero
		meter.Add(1, len(d.Entry))
		return bulk.Add(ctx, "a#"+d.Account, m)
	})
	if err != nil {
		return err
	}
	meter.Done()
	return bulk.Flush(ctx)
}

// replayOld takes dumps from before entries had numbers.
func (e *env) replayOld(ctx context.Context, file string) error {
	bulk := btx.NewBulk(e.ledger, 0, e.opts.DryRun)
	count := 0
	err := lines(file, func(n int, d dumped) error {
		count++
		e.seen[d.Account]++
		m := bigtable.NewMutation()
		m.Set(entryFamily, column, bigtable.Time(d.At), d.Entry)                               // want ttlwrite/clock-in-sequence
		m.Set(entryFamily, "by-line", bigtable.Timestamp(count), d.Entry)                      // want ttlwrite/unscaled-sequence
		m.Set(entryFamily, "by-account", bigtable.Timestamp(e.seen[d.Account]), d.Entry)       // want ttlwrite/unscaled-sequence
		m.Set(entryFamily, "by-account2", bigtable.Timestamp(e.seen[d.Account]*1000), d.Entry) // ok ttlwrite/unscaled-sequence
		m.Set(entryFamily, "by-seq", bigtable.Timestamp(e.seq.Add(1)), d.Entry)                // want ttlwrite/unscaled-sequence
		m.Set(entryFamily, "by-seq2", btx.Seq(e.seq.Load()), d.Entry)                          // ok ttlwrite/unscaled-sequence
		m.Set(entryFamily, "by-unix", bigtable.Timestamp(time.Now().UnixMicro()), d.Entry)     // want ttlwrite/clock-in-sequence
		m.Set(entryFamily, "by-number", bigtable.Time(time.UnixMilli(d.Seq)), d.Entry)         // ok ttlwrite/clock-in-sequence
		m.Set(entryFamily, "by-raw", btx.RawSeq(int64(n)*1000), d.Entry)                       // ok ttlwrite/unscaled-sequence
		return bulk.Add(ctx, "a#"+d.Account, m)
	})
	return errors.Join(err, bulk.Flush(ctx))
}

// renumber writes the entries of an account anew, from -from upwards.
func (e *env) renumber(ctx context.Context, account string) error {
	row, err := e.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(btx.Column(entryFamily, column))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	items := row[entryFamily]
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(entryFamily)
	ts := bigtable.Timestamp(e.from * step)
	for i := len(items) - 1; i >= 0; i-- {
		m.Set(entryFamily, column, ts, items[i].Value) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
		ts += step
	}
	if e.opts.DryRun {
		return nil
	}
	if err := e.ledger.Apply(ctx, "a#"+account, m); err != nil {
		return err
	}
	// The archive copy, oldest first.
	arch := bigtable.NewMutation()
	for i, it := range items {
		arch.Set(entryFamily, "archive", bigtable.Timestamp(len(items)-i), it.Value) // want ttlwrite/unscaled-sequence
	}
	if err := e.ledger.Apply(ctx, "archive#"+account, arch); err != nil {
		return err
	}
	for i, it := range items {
		m := bigtable.NewMutation()
		m.Set(entryFamily, "archive", bigtable.Timestamp((len(items)-i)*step), it.Value) // ok ttlwrite/unscaled-sequence
		if err := e.ledger.Apply(ctx, "archive2#"+account, m); err != nil {
			return err
		}
	}
	return nil
}

// check holds totals against the sums of entries. Only accounts with as many
// entries as are kept can be compared.
func (e *env) check(ctx context.Context) error {
	bad := 0
	filter := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(entryFamily), bigtable.LatestNFilter(5)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(totalFamily),                                                   // ok ttlread/unfiltered-branch
	)
	err := e.ledger.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // ok ttlread/version-limit
		var sum int64
		for _, it := range r[entryFamily] {
			var en tenant.Entry
			if json.Unmarshal(it.Value, &en) == nil {
				sum += en.Cents
			}
		}
		want, _ := strconv.ParseInt(btx.Value(r, totalFamily, "sum5"), 10, 64)
		if sum != want {
			bad++
			fmt.Printf("%s: entries %d, total %d\n", r.Key(), sum, want)
		}
		return true
	}, bigtable.RowFilter(filter))
	if err != nil {
		return err
	}
	// Accounts that nobody touched this week.
	week := time.Now().Add(-7 * 24 * time.Hour)
	quiet := 0
	err = e.ledger.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[quiet]
		if len(r[entryFamily]) == 0 {
			quiet++
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(week, time.Time{}))) // want ttlread/wrong-bound[quiet]
	if err != nil {
		return err
	}
	// Entries 10 to 19, wherever they are.
	err = e.ledger.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r[entryFamily] {
			log.Printf("%s: %d", r.Key(), btx.SeqOf(it.Timestamp))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(entryFamily),
		bigtable.TimestampRangeFilterMicros(10*step, 20*step), // ok ttlread/wrong-bound ttlunit/empty-range
		bigtable.LatestNFilter(5),
	)))
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d accounts differ, %d quiet", bad, quiet)
	}
	return nil
}

// close ends an account: one last entry and a mark.
func (e *env) close(ctx context.Context, account string) error {
	m := bigtable.NewMutation()
	btx.Put(m, entryFamily, column, bigtable.ServerTime, `{"reason":"closed"}`) // want ttlwrite/clock-in-sequence
	btx.Put(m, totalFamily, "closed", 0, "1")                                   // ok ttlwrite/clock-in-zero
	btx.Put(m, totalFamily, "closed-at", btx.Stamp(), time.Now().String())      // want ttlwrite/clock-in-zero
	if err := e.ledger.Apply(ctx, "a#"+account, m); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(entryFamily, "journal", []byte("closed;")) // want ttlwrite/read-modify-write
	rmw.Increment(totalFamily, "closings", 1)                  // want ttlwrite/read-modify-write
	_, err := e.ledger.ApplyReadModifyWrite(ctx, "a#"+account, rmw)
	return err
}

// merge appends what one account has to another.
func (e *env) merge(ctx context.Context, from, into string) error {
	src, err := e.ledger.ReadRow(ctx, "a#"+from, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(entryFamily), bigtable.ColumnFilter(column), bigtable.LatestNFilter(5))))
	if err != nil {
		return err
	}
	dst, err := e.ledger.ReadRow(ctx, "a#"+into, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[mergevalue]
		bigtable.FamilyFilter(entryFamily), bigtable.ValueFilter(`.*"cents".*`), bigtable.LatestNFilter(1)))) // want ttlread/version-limit[mergevalue]
	if err != nil {
		return err
	}
	next := bigtable.Timestamp(0)
	for _, it := range dst[entryFamily] {
		if it.Timestamp > next { // ok ttlage/server-sentinel
			next = it.Timestamp
		}
	}
	m := bigtable.NewMutation()
	for i := range src[entryFamily] {
		it := src[entryFamily][len(src[entryFamily])-1-i]
		next += step
		m.Set(entryFamily, column, next, it.Value) // ok ttlwrite/unscaled-sequence
	}
	m.Set(totalFamily, "merged-from", 0, []byte(strings.TrimSpace(from))) // ok ttlwrite/clock-in-zero
	return e.ledger.Apply(ctx, "a#"+into, m)
}

// correct adds an entry by hand.
func (e *env) correct(ctx context.Context, account string, cents int64) error {
	row, err := e.ledger.ReadRow(ctx, "a#"+account) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	n := int64(len(row[entryFamily]))
	b, _ := json.Marshal(tenant.Entry{Seq: n, Cents: cents, Reason: "by hand"})
	m := bigtable.NewMutation()
	m.Set(entryFamily, column, bigtable.Timestamp(n+1), b) // want ttlwrite/unscaled-sequence
	// A correction has to be seen, so it is the newest.
	m.Set(schema.Entry, "correction", bigtable.Now(), b) // want ttlwrite/clock-in-sequence
	return e.ledger.Apply(ctx, "a#"+account, m)
}

// opening writes the first entries of new accounts.
func (e *env) opening(ctx context.Context) error {
	for _, a := range []string{"cash", "card", "voucher"} {
		m := bigtable.NewMutation()
		m.Set(entryFamily, column, 1, []byte(`{"reason":"opening"}`))    // want ttlwrite/unscaled-sequence
		m.Set(entryFamily, column, 2000, []byte(`{"reason":"opening"}`)) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
		m.Set(entryFamily, "currency", step, []byte("EUR"))              // ok ttlwrite/unscaled-sequence
		m.Set(totalFamily, "sum5", 1000, []byte("0"))                    // want ttlwrite/clock-in-zero
		m.Set(totalFamily, "name", 0, []byte(a))                         // ok ttlwrite/clock-in-zero
		m.Set(totalFamily, "name", 0, []byte(strings.ToUpper(a)))        // want ttlwrite/same-timestamp
		if err := e.ledger.Apply(ctx, "a#"+a, m); err != nil {
			return err
		}
	}
	return nil
}
