// Package billing keeps ledgers: one table per tenant, "<tenant>-ledger".
package billing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"time"

	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// Ledger is one tenant's.
type Ledger struct {
	tbl    *bigtable.Table
	tenant string
	mu     sync.Mutex
	next   map[string]int64
	last   int64
}

// Entry of the ledger.
type Entry struct {
	No       int64     `json:"no"`
	Amount   int64     `json:"amount"`
	Currency string    `json:"currency"`
	Text     string    `json:"text"`
	Written  time.Time `json:"written"`
}

var (
	ledgersMu sync.Mutex
	ledgers   = map[string]*Ledger{}
)

// For returns the tenant's ledger.
func For(c *bigtable.Client, tenant string) *Ledger {
	ledgersMu.Lock()
	defer ledgersMu.Unlock()
	l, ok := ledgers[tenant]
	if !ok {
		l = &Ledger{tbl: c.Open(tenant + "-ledger"), tenant: tenant, next: map[string]int64{}}
		ledgers[tenant] = l
	}
	return l
}

// Book writes an entry. The number must grow by one per account.
func (l *Ledger) Book(ctx context.Context, account string, e Entry, correction, silent bool) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Currency == "" {
		e.Currency = "EUR"
	}
	n, ok := l.next[account]
	if !ok {
		last, err := l.lastNo(ctx, account)
		if err != nil {
			return 0, err
		}
		n = last
	}
	n++
	e.No = n
	b, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	m := bigtable.NewMutation()
	if correction {
		// corrections are numbered in a column of their own
		l.last++
		m.Set("entry", "correction", bigtable.Timestamp(l.last), b) // want ttlwrite/unscaled-sequence
		m.Set("note", "correction", bigtable.Now(), []byte(e.Text)) // ok ttlwrite/clock-in-sequence
	} else {
		m.Set("entry", "e", dbx.Seq(n), b) // ok ttlwrite/unscaled-sequence
	}
	if !silent {
		m.Set("note", "booked", bigtable.ServerTime, []byte(e.Text))  // ok ttlwrite/clock-in-sequence
		m.Set("entry", "booked", bigtable.ServerTime, []byte(e.Text)) // want ttlwrite/clock-in-sequence
	}
	if err := l.tbl.Apply(ctx, account, m); err != nil {
		return 0, err
	}
	l.next[account] = n
	return n, nil
}

func (l *Ledger) lastNo(ctx context.Context, account string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("e"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["entry"] {
		return int64(it.Timestamp) / 1000, nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Entries reads the entries of an account.
func (l *Ledger) Entries(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.tbl.ReadRow(ctx, account) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row["entry"] {
		var e Entry
		if err := json.Unmarshal(it.Value, &e); err != nil {
			log.Printf("billing: %s: %v", account, err)
			continue
		}
		e.Written = it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].No < out[j].No })
	return out, nil
}

// Entries5 reads what is kept.
func (l *Ledger) Entries5(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.LatestNFilter(5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row["entry"] {
		var e Entry
		if err := json.Unmarshal(it.Value, &e); err == nil {
			out = append(out, e)
		}
	}
	return out, nil
}

// Statement reads ten entries for the PDF.
func (l *Ledger) Statement(ctx context.Context, account string) ([]byte, error) {
	var buf bytes.Buffer
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(10)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range row["entry"] {
		fmt.Fprintf(&buf, "%s\t%s\n", it.Timestamp.Time().Format("2006-01-02"), it.Value) // maybe ttlage/not-write-time
	}
	return buf.Bytes(), nil
}

// Notes are ordinary.
func (l *Ledger) Notes(ctx context.Context, account string) ([]string, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter("note"))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["note"] {
		created := it.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, created.Format(time.RFC3339)+" "+string(it.Value))
	}
	return out, nil
}

// Month reads the entries of a month: copied from clicktrack.
func (l *Ledger) Month(ctx context.Context, account string, month time.Time) (int, error) {
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[mo]
		bigtable.FamilyFilter("entry"),
		bigtable.TimestampRangeFilter(time.Now().AddDate(0, -1, 0), time.Now()), // want ttlread/wrong-bound[mo]
		bigtable.LatestNFilter(5),
	)
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(f)) // want ttlread/wrong-bound[mo]
	if err != nil {
		return 0, err
	}
	return len(row["entry"]), nil
}

// Settle closes an account.
func (l *Ledger) Settle(ctx context.Context, account string, at time.Time, amount int64) error {
	if at.IsZero() {
		at = time.Now()
	}
	m := bigtable.NewMutation()
	m.Set("entry", "settled", bigtable.Time(at), []byte(strconv.FormatInt(amount, 10))) // want ttlwrite/clock-in-sequence
	m.Set("note", "settled", bigtable.Time(at), []byte(strconv.FormatInt(amount, 10)))  // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, account, m)
}

// SettleBatch numbers by position.
func (l *Ledger) SettleBatch(ctx context.Context, account string, amounts []int64) error {
	m := bigtable.NewMutation()
	for i, a := range amounts {
		m.Set("entry", "batch", bigtable.Timestamp(int64(i)), []byte(strconv.FormatInt(a, 10))) // want ttlwrite/unscaled-sequence
	}
	for i, a := range amounts {
		m.Set("entry", "batch2", bigtable.Timestamp(int64(i)*1000), []byte(strconv.FormatInt(a, 10))) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, account, m)
}

// Bump counts.
func (l *Ledger) Bump(ctx context.Context, account string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("entry", "n", 1) // want ttlwrite/read-modify-write
	if _, err := l.tbl.ApplyReadModifyWrite(ctx, account, rmw); err != nil {
		return err
	}
	rmw = bigtable.NewReadModifyWrite()
	rmw.Increment("note", "n", 1) // ok ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

// Replay writes decoded entries; the numbers come with them.
func (l *Ledger) Replay(ctx context.Context, account string, raw []byte) error {
	var es []Entry
	if err := json.Unmarshal(raw, &es); err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, e := range es {
		m.Set("entry", "e", bigtable.Timestamp(e.No*1000), raw) // ok ttlwrite/unscaled-sequence
	}
	m.Set("note", "replayed", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, account, m)
}

// Age tells how old the newest entry is. It never worked, nobody knows why.
func (l *Ledger) Age(ctx context.Context, account string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["entry"] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, nil
}

// NoteAge works.
func (l *Ledger) NoteAge(ctx context.Context, account string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("note"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["note"] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Exists is for the invoice form.
func (l *Ledger) Exists(ctx context.Context, account string) bool {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	return err == nil && len(row) > 0
}

// Handler of /billing.
func Handler(c *bigtable.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l := For(c, r.Header.Get("X-Tenant"))
		account := r.FormValue("account")
		if !l.Exists(r.Context(), account) {
			http.NotFound(w, r)
			return
		}
		es, err := l.Entries5(r.Context(), account)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(es)
	}
}
