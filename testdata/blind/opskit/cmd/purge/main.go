// purge deletes what GC did not, or what legal says.
//
//	purge expired | merchant M | gdpr USER | otp PREFIX | idem KEY | drop PREFIX
package main

import (
	"bufio"
	"context"
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
	yes    bool
	olderD time.Duration
	note   string
)

func main() {
	kit.Main("purge", run, func(fs *flag.FlagSet) {
		fs.BoolVar(&yes, "yes", false, "do not ask")
		fs.DurationVar(&olderD, "older", 24*time.Hour, "age for audit lines")
		fs.StringVar(&note, "note", "", "why")
	})
}

func confirm(what string) bool {
	if yes {
		return true
	}
	fmt.Fprintf(os.Stderr, "%s? [y/N] ", what)
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(line), "y")
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("purge WHAT PREFIX")
	}
	what, arg := args[0], args[1]
	if !confirm("purge " + what + " " + arg) {
		return errors.New("not confirmed")
	}
	switch what {
	case "expired":
		return expired(ctx, e, arg)
	case "merchant":
		return merchant(ctx, e, arg)
	case "gdpr":
		return gdpr(ctx, e, arg)
	case "otp":
		return otps(ctx, e, arg)
	case "idem":
		return idem(ctx, e, arg)
	case "audit":
		return audit(ctx, e, arg)
	case "quotes":
		return quotes(ctx, e, arg)
	case "drop":
		return e.Admin.DropRowRange(ctx, kit.TableSessions, arg)
	}
	return kit.Usage("what is %q", what)
}

// expired deletes holds that GC left. Only deletes, so it may look at dead cells.
func expired(ctx context.Context, e *kit.Env, prefix string) error {
	w := e.NewWriter(e.Payments, 500)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamHold), bigtable.TimestampRangeFilter(time.Time{}, time.Now())) // want ttlread/expired-only[left]
	n, err := kit.Scan(ctx, e.Payments, prefix, f, func(r bigtable.Row) error {                                            // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(kit.FamHold)
		return w.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	e.Log.Info("deleted", "rows", n)
	if err := w.Flush(ctx); err != nil {
		return err
	}
	// what is left
	left := 0
	err = e.Payments.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		left++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamHold), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	gone := 0
	err = e.Payments.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/expired-only[left]
		gone++
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[left]
	fmt.Println(left, gone)
	return err
}

// merchant removes a merchant that left.
func merchant(ctx context.Context, e *kit.Env, id string) error {
	keys, err := kit.Keys(ctx, e.Payments, id+"#") // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	w := e.NewWriter(e.Payments, 500)
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.Set(kit.FamDetail, "purged", bigtable.Now(), []byte(note))
		m.DeleteRow() // want ttlwrite/delete-after-set
		if err := w.Add(ctx, k, m); err != nil {
			return err
		}
	}
	if err := w.Flush(ctx); err != nil {
		return err
	}
	tomb := bigtable.NewMutation()
	tomb.DeleteRow()
	tomb.Set(kit.FamDetail, "purged", bigtable.Now(), []byte(note)) // ok ttlwrite/delete-after-set
	tomb.Set(kit.FamIdem, "purged", bigtable.Now(), []byte(note))   // want ttlwrite/write-time
	return e.Payments.Apply(ctx, id, tomb)
}

// gdpr removes a person, if they have no session.
func gdpr(ctx context.Context, e *kit.Env, user string) error {
	row, err := e.Sessions.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamToken)), bigtable.LimitRows(1)) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row) > 0 {
		return fmt.Errorf("%s is logged in, kill the session first", user)
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(kit.FamProfile)
	if err := e.Sessions.Apply(ctx, user, m); err != nil {
		return err
	}
	// drop what is left if the session ended in between
	del := bigtable.NewMutation()
	del.DeleteRow()
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(kit.FamToken), nil, del) // ok ttlread/conditional-mutation
	if err := e.Sessions.Apply(ctx, user, cond); err != nil {
		return err
	}
	lock := bigtable.NewMutation()
	lock.Set(kit.FamProfile, "erased", bigtable.Now(), []byte(note))
	cond = bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamToken), bigtable.LatestNFilter(1)), nil, lock) // want ttlread/conditional-mutation
	if err := e.Sessions.Apply(ctx, user, cond); err != nil {
		return err
	}
	prof := bigtable.NewMutation()
	prof.Set(kit.FamProfile, "erased_at", bigtable.Now(), []byte(note))
	cond = bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamProfile), bigtable.ColumnFilter("email")), nil, prof) // ok ttlread/conditional-mutation
	return e.Sessions.Apply(ctx, user, cond)
}

// otps clears one-time passwords; the vault stays.
func otps(ctx context.Context, e *kit.Env, prefix string) error {
	var keys []string
	dead := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.TimestampRangeFilterMicros(0, bigtable.Now()))
	err := e.Cards.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(kit.FamOTP)
		if err := e.Cards.Apply(ctx, r.Key(), m); err != nil {
			e.Log.Error("purge", "key", r.Key(), "err", err)
			return false
		}
		return true
	}, bigtable.RowFilter(dead)) // ok ttlread/expired-only
	if err != nil {
		return err
	}
	err = e.Cards.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/upper-bound[otp]
		keys = append(keys, r.Key()+" "+string(kit.Value(r, kit.FamOTP, "code")))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.TimestampRangeFilter(time.Now(), time.Now().Add(time.Hour))))) // want ttlread/upper-bound[otp]
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(keys, "\n"))
	return nil
}

// idem frees an idempotency key. Nothing may be in flight.
func idem(ctx context.Context, e *kit.Env, key string) error {
	inflight := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamHold), bigtable.ColumnFilter("state"), bigtable.ValueFilter("inflight")) // want ttlread/conditional-mutation[inflight]
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(kit.FamIdem)
	m.Set(kit.FamDetail, "idem_freed", bigtable.ServerTime, []byte(note)) // ok ttlwrite/delete-after-set
	var busy bool
	err := e.Payments.Apply(ctx, key, bigtable.NewCondMutation(inflight, nil, m), bigtable.GetCondMutationResult(&busy)) // want ttlread/conditional-mutation[inflight]
	if err != nil {
		return err
	}
	if busy {
		return fmt.Errorf("%s is in flight", key)
	}
	// old rows: any entry at all means the account was opened
	open := bigtable.NewMutation()
	open.Set(kit.FamMeta, "opened", bigtable.Now(), nil)
	return e.Ledger.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(kit.FamEntry), nil, open)) // ok ttlread/conditional-mutation
}

// audit deletes lines of the audit family, which has real timestamps.
func audit(ctx context.Context, e *kit.Env, prefix string) error {
	until := bigtable.Time(time.Now().Add(-olderD))
	w := e.NewWriter(e.Cards, 100)
	_, err := kit.Scan(ctx, e.Cards, prefix, bigtable.FamilyFilter(kit.FamAudit), func(r bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[kit.FamAudit] {
			if time.Since(it.Timestamp.Time()) > olderD { // ok ttlage/not-write-time
				m.DeleteTimestampRange(kit.FamAudit, strings.TrimPrefix(it.Column, "audit:"), 0, until) // ok ttlunit/sub-millisecond
			}
		}
		return w.Add(ctx, r.Key(), m)
	})
	return errors.Join(err, w.Flush(ctx))
}

// quotes removes quotes that GC should have had.
func quotes(ctx context.Context, e *kit.Env, pair string) error {
	past := time.Now().Add(-kit.QuoteTTL)
	row, err := e.Rates.ReadRow(ctx, pair, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamQuote), bigtable.TimestampRangeFilter(time.Time{}, past)))) // want ttlread/expired-only
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamQuote] {
		fmt.Printf("%s\t%s\n", it.Column, it.Value)
	}
	n := 0
	for _, it := range row[kit.FamQuote] {
		e.Log.Info("old quote", "column", it.Column, "age", time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		n++
	}
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(kit.FamQuote, "mid", 0, bigtable.Time(past)) // ok ttlunit/sub-millisecond
	if n > 0 {
		return e.Rates.Apply(ctx, pair, m)
	}
	return nil
}
