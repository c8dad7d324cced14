// verify compares what the tables say with what they should say. Exit 1 on differences.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	format   string
	sample   float64
	parallel int
)

// problem is one difference.
type problem struct {
	Check string `json:"check"`
	Key   string `json:"key"`
	Text  string `json:"text"`
}

type check struct {
	name string
	run  func(v *verifier, ctx context.Context) error
}

type verifier struct {
	env  *kit.Env
	log  *slog.Logger
	pfx  string
	mu   sync.Mutex
	bad  []problem
	rows int
}

var checks = []check{
	{"holds", (*verifier).holds},
	{"idem", (*verifier).idem},
	{"tokens", (*verifier).tokens},
	{"quotes", (*verifier).quotes},
	{"curves", (*verifier).curves},
	{"ledger", (*verifier).ledger},
	{"balances", (*verifier).balances},
	{"deliveries", (*verifier).deliveries},
	{"disputes", (*verifier).disputes},
	{"otp", (*verifier).otp},
	{"windows", (*verifier).windows},
}

func main() {
	kit.Main("verify", run, func(fs *flag.FlagSet) {
		fs.StringVar(&format, "format", "text", "text or json")
		fs.Float64Var(&sample, "sample", 1, "share of the rows")
		fs.IntVar(&parallel, "parallel", 2, "checks at a time")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	v := &verifier{env: e, log: e.Log}
	if len(args) > 0 {
		v.pfx = args[0]
	}
	sem := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	var errs []error
	for _, c := range checks {
		sem <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-sem; wg.Done() }()
			start := time.Now()
			err := c.run(v, ctx)
			v.log.Info("check", "name", c.name, "took", time.Since(start), "err", err)
			if err != nil {
				v.mu.Lock()
				errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
				v.mu.Unlock()
			}
		}()
	}
	wg.Wait()
	v.report()
	if len(v.bad) > 0 {
		errs = append(errs, fmt.Errorf("%d problems in %d rows", len(v.bad), v.rows))
	}
	return errors.Join(errs...)
}

func (v *verifier) problem(check, key, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bad = append(v.bad, problem{check, key, fmt.Sprintf(format, args...)})
}

func (v *verifier) report() {
	sort.Slice(v.bad, func(i, j int) bool { return v.bad[i].Key < v.bad[j].Key })
	enc := json.NewEncoder(os.Stdout)
	for _, p := range v.bad {
		if format == "json" {
			_ = enc.Encode(p)
			continue
		}
		fmt.Printf("%s\t%s\t%s\n", p.Check, p.Key, p.Text)
	}
}

// scan is kit.Scan with the sample.
func (v *verifier) scan(ctx context.Context, tbl *bigtable.Table, f bigtable.Filter, fn func(r bigtable.Row) error) error {
	if sample < 1 {
		f = bigtable.ChainFilters(bigtable.RowSampleFilter(sample), f)
	}
	n, err := kit.Scan(ctx, tbl, v.pfx, f, fn)
	v.mu.Lock()
	v.rows += n
	v.mu.Unlock()
	return err
}

// holds: every live hold has an amount and a currency.
func (v *verifier) holds(ctx context.Context) error {
	return v.scan(ctx, v.env.Payments, kit.LiveIn(kit.FamHold), func(r bigtable.Row) error { // ok ttlread/missing-filter
		if _, ok := kit.Cell(r, kit.FamHold, "amount"); !ok {
			v.problem("holds", r.Key(), "no amount")
		}
		it, ok := kit.Cell(r, kit.FamHold, "currency")
		if !ok {
			v.problem("holds", r.Key(), "no currency")
			return nil
		}
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			v.problem("holds", r.Key(), "written with the server's time")
		}
		if it.Timestamp.Time().After(time.Now().Add(kit.HoldTTL)) { // ok ttlage/not-write-time
			v.problem("holds", r.Key(), "lives too long")
		}
		return nil
	})
}

// idem: keys point to payments that exist.
func (v *verifier) idem(ctx context.Context) error {
	return v.scan(ctx, v.env.Payments, bigtable.ChainFilters(bigtable.FamilyFilter("idem|detail"), bigtable.LatestNFilter(1)), func(r bigtable.Row) error { // want ttlread/missing-filter
		for _, it := range r[kit.FamIdem] {
			if len(it.Value) == 0 {
				v.problem("idem", r.Key(), "empty %s", it.Column)
			}
		}
		if len(r[kit.FamDetail]) == 0 {
			v.problem("idem", r.Key(), "no detail")
		}
		return nil
	})
}

// tokens: nobody has more than twenty.
func (v *verifier) tokens(ctx context.Context) error {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(20), bigtable.FamilyFilter(kit.FamToken), kit.Live()) // want ttlread/limit-before-filter[tok]
	err := v.scan(ctx, v.env.Sessions, f, func(r bigtable.Row) error {                                               // want ttlread/limit-before-filter[tok]
		if len(r[kit.FamToken]) >= 20 {
			v.problem("tokens", r.Key(), "too many")
		}
		return nil
	})
	if err != nil {
		return err
	}
	g := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamToken), kit.Live(), bigtable.CellsPerRowLimitFilter(1))
	err = v.scan(ctx, v.env.Sessions, g, func(r bigtable.Row) error { // ok ttlread/limit-before-filter
		for _, it := range r[kit.FamToken] {
			if len(it.Value) < 16 {
				v.problem("tokens", r.Key(), "weak %s", it.Column)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	both := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[both]
		bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamToken), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[both]
		bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamProfile), bigtable.LatestNFilter(1)),
	)
	return v.scan(ctx, v.env.Sessions, both, func(r bigtable.Row) error { // want ttlread/unfiltered-branch[both]
		if len(r[kit.FamToken]) > 0 && len(r[kit.FamProfile]) == 0 {
			v.problem("tokens", r.Key(), "token without profile")
		}
		return nil
	})
}

// quotes: every pair has one that is not older than six hours.
func (v *verifier) quotes(ctx context.Context) error {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamQuote), bigtable.TimestampRangeFilter(now.Add(-kit.QuoteTTL), now)) // want ttlread/upper-bound[q]
	err := v.scan(ctx, v.env.Rates, f, func(r bigtable.Row) error {                                                             // want ttlread/upper-bound[q]
		if len(r[kit.FamQuote]) == 0 {
			v.problem("quotes", r.Key(), "stale")
		}
		return nil
	})
	if err != nil {
		return err
	}
	newest := kit.Newest(kit.FamQuote, 1)
	return v.scan(ctx, v.env.Rates, newest, func(r bigtable.Row) error { // ok ttlread/missing-filter
		for _, it := range r[kit.FamQuote] {
			if it.Timestamp < bigtable.Time(now.Add(-kit.QuoteTTL)) {
				continue
			}
			if _, err := strconv.ParseFloat(string(it.Value), 64); err != nil {
				v.problem("quotes", r.Key(), "%s: %v", it.Column, err)
			}
		}
		return nil
	})
}

// curves: at most three versions, in order.
func (v *verifier) curves(ctx context.Context) error {
	return v.scan(ctx, v.env.Rates, kit.Newest(kit.FamCurve, 3), func(r bigtable.Row) error { // ok ttlread/version-limit
		last := map[string]bigtable.Timestamp{}
		for _, it := range r[kit.FamCurve] {
			if prev, ok := last[it.Column]; ok && it.Timestamp >= prev {
				v.problem("curves", r.Key(), "%s out of order", it.Column)
			}
			last[it.Column] = it.Timestamp
			if time.Since(it.Timestamp.Time()) < 0 { // want ttlage/not-write-time
				v.problem("curves", r.Key(), "%s is in the future", it.Column)
			}
		}
		return nil
	})
}

// ledger: entries have no gaps.
func (v *verifier) ledger(ctx context.Context) error {
	err := v.scan(ctx, v.env.Ledger, kit.Newest(kit.FamEntry, 6), func(r bigtable.Row) error { // want ttlread/version-limit
		v.gaps(r)
		return nil
	})
	if err != nil {
		return err
	}
	err = v.scan(ctx, v.env.Ledger, kit.Newest(kit.FamEntry, 5), func(r bigtable.Row) error { // ok ttlread/version-limit
		v.gaps(r)
		return nil
	})
	if err != nil {
		return err
	}
	today := time.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.TimestampRangeFilter(today, time.Time{})) // want ttlread/wrong-bound[today]
	if err = v.scan(ctx, v.env.Ledger, f, func(r bigtable.Row) error {                                                 // want ttlread/wrong-bound[today]
		v.gaps(r)
		return nil
	}); err != nil {
		return err
	}
	lookup := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.TimestampRangeFilterMicros(5000, 6000), bigtable.LatestNFilter(1))
	return v.scan(ctx, v.env.Ledger, lookup, func(r bigtable.Row) error { // ok ttlread/wrong-bound
		v.gaps(r)
		return nil
	})
}

func (v *verifier) gaps(r bigtable.Row) {
	var prev int64
	for _, it := range r[kit.FamEntry] {
		n := int64(it.Timestamp) / 1000
		if prev != 0 && prev-n > 1 {
			v.problem("ledger", r.Key(), "gap between %d and %d", n, prev)
		}
		prev = n
	}
}

// balances: equal to the sum of the entries that are kept.
func (v *verifier) balances(ctx context.Context) error {
	f := bigtable.FamilyFilter("balance|meta")
	return v.scan(ctx, v.env.Ledger, f, func(r bigtable.Row) error { // ok ttlread/missing-filter
		cents := kit.Value(r, kit.FamBalance, "cents")
		if _, err := strconv.ParseInt(string(cents), 10, 64); err != nil {
			v.problem("balances", r.Key(), "%v", err)
		}
		if it, ok := kit.Cell(r, kit.FamBalance, "cents"); ok {
			v.log.Debug("balance", "key", r.Key(), "updated_at", it.Timestamp.Time()) // want ttlage/not-write-time
		}
		if it, ok := kit.Cell(r, kit.FamMeta, "asof"); ok {
			v.log.Debug("balance", "key", r.Key(), "updated_at", it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return nil
	})
}

// deliveries: nothing live lacks a target.
func (v *verifier) deliveries(ctx context.Context) error {
	since := time.Now().Add(-72 * time.Hour)
	all := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamDelivery), bigtable.TimestampRangeFilter(since, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("attempt|target"), bigtable.LatestNFilter(1)),
	)
	err := v.scan(ctx, v.env.Webhooks, all, func(r bigtable.Row) error { // ok ttlread/unfiltered-branch
		if len(r[kit.FamDelivery]) > 0 && len(r[kit.FamTarget]) == 0 {
			v.problem("deliveries", r.Key(), "no target")
		}
		return nil
	})
	if err != nil {
		return err
	}
	cond := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[cond]
		bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamDelivery), bigtable.TimestampRangeFilter(since, time.Time{})),
		bigtable.FamilyFilter(kit.FamDelivery), // want ttlread/unfiltered-branch[cond]
		bigtable.BlockAllFilter(),
	)
	return v.scan(ctx, v.env.Webhooks, cond, func(r bigtable.Row) error { // want ttlread/unfiltered-branch[cond]
		for _, it := range r[kit.FamDelivery] {
			if strings.HasSuffix(it.Column, ":url") && len(it.Value) == 0 {
				v.problem("deliveries", r.Key(), "no url")
			}
		}
		return nil
	})
}

// disputes: entries of the disputes table are dated, so a window is right.
func (v *verifier) disputes(ctx context.Context) error {
	f := kit.Since(kit.FamEntry, 30*24*time.Hour)
	err := v.scan(ctx, v.env.Disputes, f, func(r bigtable.Row) error { // ok ttlread/wrong-bound
		for _, it := range r[kit.FamEntry] {
			if age := time.Since(it.Timestamp.Time()); age < 0 { // ok ttlage/not-write-time
				v.problem("disputes", r.Key(), "from the future: %s", age)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.scan(ctx, v.env.Disputes, bigtable.FamilyFilter(kit.FamEntry), func(r bigtable.Row) error { // ok ttlread/version-limit
		if len(r[kit.FamEntry]) == 0 {
			v.problem("disputes", r.Key(), "empty")
		}
		return nil
	})
}

// otp: none lives longer than five minutes.
func (v *verifier) otp(ctx context.Context) error {
	later := time.Now().Add(kit.OTPTTL)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.TimestampRangeFilter(later, time.Time{}))
	err := v.scan(ctx, v.env.Cards, f, func(r bigtable.Row) error {
		v.problem("otp", r.Key(), "lives too long")
		return nil
	})
	if err != nil {
		return err
	}
	h := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.TimestampRangeFilterMicros(2_000_000, 1_000_000)) // want ttlunit/empty-range
	if sample < 0 {
		v.log.Info("filter", "h", h.String())
	}
	return v.scan(ctx, v.env.Cards, bigtable.FamilyFilter("vault|audit"), func(r bigtable.Row) error { // ok ttlread/missing-filter
		if len(r[kit.FamVault]) == 0 {
			v.problem("otp", r.Key(), "no vault")
		}
		return nil
	})
}

// windows: counters are numbers.
func (v *verifier) windows(ctx context.Context) error {
	return v.scan(ctx, v.env.Velocity, nil, func(r bigtable.Row) error { // want ttlread/missing-filter
		for _, it := range r[kit.FamWindow] {
			if len(it.Value) != 8 {
				v.problem("windows", r.Key(), "%s is no counter", it.Column)
			}
		}
		return nil
	})
}
