// reconcile holds payments, ledger and disputes against each other and books what is missing.
//
//	reconcile day 2026-03-01 | account A | gaps A | repair A | report
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	tolerance int64
	slackURL  string
	fix       bool
)

// store is the part of a table that reconcile needs; the tests have a fake of it.
type store interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type reconciler struct {
	payments store
	ledger   *bigtable.Table
	disputes *bigtable.Table
	log      *slog.Logger
	found    []diff
}

type diff struct {
	Account  string    `json:"account"`
	Ledger   int64     `json:"ledger"`
	Payments int64     `json:"payments"`
	BookedAt time.Time `json:"booked_at,omitzero"`
	Modified time.Time `json:"modified,omitzero"`
	Seq      int64     `json:"seq,omitempty"`
}

func main() {
	kit.Main("reconcile", run, func(fs *flag.FlagSet) {
		fs.Int64Var(&tolerance, "tolerance", 0, "cents")
		fs.StringVar(&slackURL, "slack", "", "webhook to tell")
		fs.BoolVar(&fix, "fix", false, "book what is missing")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("reconcile day|account|gaps|repair ARG")
	}
	r := &reconciler{payments: e.Payments, ledger: e.Ledger, disputes: e.Disputes, log: e.Log}
	var err error
	switch args[0] {
	case "account":
		err = r.account(ctx, args[1])
	case "gaps":
		err = r.gaps(ctx, args[1])
	case "repair":
		err = r.repair(ctx, args[1])
	case "dispute":
		err = r.dispute(ctx, args[1])
	case "snapshot":
		err = r.snapshot(ctx, args[1])
	default:
		return kit.Usage("unknown command %q", args[0])
	}
	sort.Slice(r.found, func(i, j int) bool { return r.found[i].Account < r.found[j].Account })
	enc := json.NewEncoder(os.Stdout)
	for _, d := range r.found {
		_ = enc.Encode(d)
	}
	if len(r.found) > 0 && slackURL != "" {
		err = errors.Join(err, r.slack(ctx))
	}
	return err
}

func (r *reconciler) slack(ctx context.Context) error {
	body := fmt.Sprintf(`{"text":"reconcile: %d differences"}`, len(r.found))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, slackURL, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func cents(row bigtable.Row, family, col string) int64 {
	n, _ := strconv.ParseInt(string(kit.Value(row, family, col)), 10, 64)
	return n
}

// account compares the balance with the last payment.
func (r *reconciler) account(ctx context.Context, acct string) error {
	lrow, err := r.ledger.ReadRow(ctx, acct, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamBalance))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	prow, err := r.payments.ReadRow(ctx, acct, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	d := diff{Account: acct, Ledger: cents(lrow, kit.FamBalance, "cents")}
	for _, it := range prow[kit.FamHold] {
		if it.Column == "hold:amount" {
			n, _ := strconv.ParseInt(string(it.Value), 10, 64)
			d.Payments += n
			d.Modified = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	for _, it := range prow[kit.FamDetail] {
		d.Modified = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	if abs(d.Ledger-d.Payments) > tolerance {
		r.found = append(r.found, d)
	}
	live, err := r.payments.ReadRow(ctx, acct, bigtable.RowFilter(kit.PaymentRow())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(live[kit.FamHold]) == 0 && d.Payments > 0 {
		r.log.Warn("hold ran out", "account", acct)
	}
	return nil
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// gaps looks for missing entries.
func (r *reconciler) gaps(ctx context.Context, acct string) error {
	row, err := r.ledger.ReadRow(ctx, acct, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.ColumnFilter("amount")))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	var prev int64
	for _, it := range row[kit.FamEntry] {
		n := int64(it.Timestamp) / 1000
		if prev > 0 && prev-n != 1 {
			r.found = append(r.found, diff{Account: acct, Seq: n, BookedAt: it.Timestamp.Time()}) // maybe ttlage/not-write-time
		}
		prev = n
	}
	for _, it := range row[kit.FamEntry] {
		r.found = append(r.found, diff{Account: acct, Modified: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return nil
}

// repair books an adjustment behind the last entry.
func (r *reconciler) repair(ctx context.Context, acct string) error {
	row, err := kit.Get(ctx, r.ledger, acct, bigtable.RowFilter(kit.Newest(kit.FamEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	last := bigtable.Timestamp(0)
	for _, it := range row[kit.FamEntry] {
		last = max(last, it.Timestamp)
	}
	m := bigtable.NewMutation()
	m.Set(kit.FamEntry, "amount", last+1000, []byte("0"))                         // ok ttlwrite/unscaled-sequence
	m.Set(kit.FamEntry, "reason", last+1000, []byte("adjustment"))                // ok ttlwrite/same-timestamp
	m.Set(kit.FamEntry, "reason", last+1000, []byte("reconcile"))                 // want ttlwrite/same-timestamp
	m.Set(kit.FamEntry, "booked", bigtable.Now(), []byte(os.Getenv("USER")))      // want ttlwrite/clock-in-sequence
	m.Set(kit.FamEntry, "nonce", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want ttlwrite/clock-in-sequence
	m.Set(kit.FamMeta, "repaired", bigtable.Now(), []byte(os.Getenv("USER")))     // ok ttlwrite/clock-in-sequence
	m.Set(kit.FamBalance, "repaired", bigtable.ServerTime, nil)                   // want ttlwrite/clock-in-zero
	m.Set(kit.FamBalance, "dirty", 0, []byte("1"))                                // ok ttlwrite/clock-in-zero
	if !fix {
		return nil
	}
	if err := r.ledger.Apply(ctx, acct, m); err != nil {
		return err
	}
	if err := kit.Incr(ctx, r.ledger, acct, kit.FamEntry, "repairs", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := kit.Incr(ctx, r.ledger, acct, kit.FamMeta, "repairs", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	p := bigtable.NewMutation()
	p.Set(kit.FamDetail, "reconciled", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	p.Set(kit.FamHold, "reconciled", bigtable.Now(), []byte("1"))   // want ttlwrite/write-time
	return r.payments.Apply(ctx, acct, p)
}

// dispute books the entries of a dispute, those are dated.
func (r *reconciler) dispute(ctx context.Context, id string) error {
	row, err := r.disputes.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamEntry] {
		r.found = append(r.found, diff{Account: id, Modified: it.Timestamp.Time()}) // ok ttlage/not-write-time
		if time.Since(it.Timestamp.Time()) > 90*24*time.Hour {                      // ok ttlage/not-write-time
			r.log.Info("old dispute", "id", id)
		}
	}
	m := bigtable.NewMutation()
	m.Set(kit.FamEntry, "reconciled", bigtable.Now(), []byte("1")) // ok ttlwrite/clock-in-sequence
	m.Set(kit.FamNote, "reconciled", bigtable.ServerTime, nil)     // ok ttlwrite/clock-in-sequence
	if err := r.disputes.Apply(ctx, id, m); err != nil {
		return err
	}
	return kit.Incr(ctx, r.disputes, id, kit.FamEntry, "runs", 1) // ok ttlwrite/read-modify-write
}

// snapshot copies the newest entry into the balance.
func (r *reconciler) snapshot(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := r.ledger.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row[kit.FamEntry] {
			m.Set(kit.FamBalance, strings.TrimPrefix(it.Column, "entry:"), 0, it.Value) // ok ttlwrite/clock-in-zero
			m.Set(kit.FamBalance, it.Column+"_seq", bigtable.Timestamp(1000), it.Value) // want ttlwrite/clock-in-zero
		}
		keys = append(keys, row.Key())
		muts = append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	errs, err := r.ledger.ApplyBulk(ctx, keys, muts)
	return errors.Join(err, errors.Join(errs...))
}
