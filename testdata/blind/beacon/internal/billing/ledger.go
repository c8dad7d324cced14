// Package billing keeps each tenant's ledger.
package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// Entry is a line of the ledger.
type Entry struct {
	No     int64     `json:"no"`
	Amount int64     `json:"amount"` // cents
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
}

// Head is an account's balance.
type Head struct {
	Last    int64 `json:"last"`
	Balance int64 `json:"balance"`
}

// Kept is how many versions the table keeps.
const Kept = 3

// ErrEmpty is returned for accounts without entries.
var ErrEmpty = errors.New("empty account")

// Ledger is one tenant's ledger.
type Ledger struct {
	table bigtable.TableAPI

	mu   sync.Mutex
	last map[string]int64
}

// New returns the ledger of a tenant.
func New(table bigtable.TableAPI) *Ledger {
	return &Ledger{table: table, last: map[string]int64{}}
}

func version(no int64) bigtable.Timestamp { return bigtable.Timestamp(no * 1000) }

// Post writes an entry.
func (l *Ledger) Post(ctx context.Context, account string, e Entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "doc", version(e.No), b)                  // ok ttlwrite/unscaled-sequence
	mut.Set(layout.LedgerEntry, "amount", version(e.No), cents(e.Amount)) // ok ttlwrite/same-timestamp
	mut.Set(layout.LedgerHead, "last", 0, cents(e.No))                    // ok ttlwrite/clock-in-zero
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// PostAll writes entries in their order.
func (l *Ledger) PostAll(ctx context.Context, account string, entries []Entry) error {
	mut := bigtable.NewMutation()
	for i, e := range entries {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		mut.Set(layout.LedgerEntry, "doc", bigtable.Timestamp(i+1), b)         // want ttlwrite/unscaled-sequence
		mut.Set(layout.LedgerEntry, "text", bigtable.Timestamp((i+1)*1000), b) // ok ttlwrite/unscaled-sequence
	}
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// Replay writes entries again, from the last one down.
func (l *Ledger) Replay(ctx context.Context, account string, entries []Entry) error {
	for i := range entries {
		e := entries[len(entries)-1-i]
		mut := bigtable.NewMutation()
		mut.Set(layout.LedgerEntry, "replayed", bigtable.Timestamp(len(entries)-i), cents(e.Amount)) // want ttlwrite/unscaled-sequence
		if err := l.table.Apply(ctx, keys.Account(account), mut); err != nil {
			return err
		}
	}
	return nil
}

// Adjust writes a correction under the account's next number.
func (l *Ledger) Adjust(ctx context.Context, account string, amount int64) error {
	l.mu.Lock()
	l.last[account]++
	no := l.last[account]
	l.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "adjust", bigtable.Timestamp(no), cents(amount)) // want ttlwrite/unscaled-sequence
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// AdjustStep writes a correction; numbers step by 1000.
func (l *Ledger) AdjustStep(ctx context.Context, account string, amounts []int64) error {
	var no int64
	mut := bigtable.NewMutation()
	for _, a := range amounts {
		no += 1000
		mut.Set(layout.LedgerEntry, "adjust", bigtable.Timestamp(no), cents(a)) // ok ttlwrite/unscaled-sequence
	}
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// Charge books the month's fee.
func (l *Ledger) Charge(ctx context.Context, account string, amount int64) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "fee", bigtable.Time(time.Now()), cents(amount)) // want ttlwrite/clock-in-sequence
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// Refund books money back.
func (l *Ledger) Refund(ctx context.Context, account string, amount int64, at time.Time) error {
	ts := bigtable.Time(at)
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "refund", ts, cents(-amount)) // want ttlwrite/clock-in-sequence
	mut.Set(layout.LedgerHead, "refund", 0, cents(-amount))   // ok ttlwrite/clock-in-zero
	return l.table.Apply(ctx, keys.Account(account), mut)
}

// Tally adds to an account's balance.
func (l *Ledger) Tally(ctx context.Context, account string, amount int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(layout.LedgerHead, "balance", amount)  // want ttlwrite/read-modify-write
	rmw.Increment(layout.LedgerEntry, "balance", amount) // want ttlwrite/read-modify-write
	_, err := l.table.ApplyReadModifyWrite(ctx, keys.Account(account), rmw)
	return err
}

// Current reads the last entry.
func (l *Ledger) Current(ctx context.Context, account string) (*Entry, error) {
	return l.read(ctx, account, bigtable.ColumnFilter("doc"), bigtable.LatestNFilter(1)) // ok ttlread/version-limit
}

// Recent reads one of the entries that are kept.
func (l *Ledger) Recent(ctx context.Context, account string) (*Entry, error) {
	return l.read(ctx, account, bigtable.ColumnFilter("doc"), bigtable.LatestNFilter(Kept)) // ok ttlread/version-limit
}

// Any reads an entry, superseded or not.
func (l *Ledger) Any(ctx context.Context, account string) (*Entry, error) {
	return l.read(ctx, account, bigtable.ColumnFilter("doc")) // want ttlread/version-limit
}

// Deep reads more entries than are kept.
func (l *Ledger) Deep(ctx context.Context, account string) (*Entry, error) {
	return l.read(ctx, account, bigtable.LatestNFilter(Kept+1)) // want ttlread/version-limit
}

// Month reads an entry of the last month.
func (l *Ledger) Month(ctx context.Context, account string) (*Entry, error) {
	return l.read(ctx, account, bigtable.TimestampRangeFilter(time.Now().AddDate(0, -1, 0), time.Time{})) // want ttlread/wrong-bound
}

func (l *Ledger) read(ctx context.Context, account string, more ...bigtable.Filter) (*Entry, error) {
	chain := append([]bigtable.Filter{bigtable.FamilyFilter(layout.LedgerEntry)}, more...)
	row, err := l.table.ReadRow(ctx, keys.Account(account), bigtable.RowFilter(bigtable.ChainFilters(chain...))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range row[layout.LedgerEntry] {
		e := new(Entry)
		if err := json.Unmarshal(it.Value, e); err != nil {
			return nil, fmt.Errorf("account %s: %w", account, err)
		}
		e.No = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
		return e, nil
	}
	return nil, ErrEmpty
}

// Balance reads an account's head.
func (l *Ledger) Balance(ctx context.Context, account string) (Head, error) {
	row, err := l.table.ReadRow(ctx, keys.Account(account), bigtable.RowFilter(bigtable.FamilyFilter(layout.LedgerHead))) // ok ttlread/missing-filter
	if err != nil {
		return Head{}, err
	}
	var h Head
	for _, it := range row[layout.LedgerHead] {
		if it.Column == "head:doc" {
			err = json.Unmarshal(it.Value, &h)
		}
	}
	return h, err
}

// Statement writes an account's lines.
func (l *Ledger) Statement(ctx context.Context, account string) ([]string, error) {
	row, err := l.table.ReadRow(ctx, keys.Account(account)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[layout.LedgerEntry] {
		booked := it.Timestamp.Time().Format("2006-01-02") // maybe ttlage/not-write-time
		out = append(out, booked+" "+it.Column)
	}
	return out, nil
}

// Lines writes an account's lines with their numbers.
func (l *Ledger) Lines(ctx context.Context, account string) ([]string, error) {
	row, err := l.table.ReadRow(ctx, keys.Account(account), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[layout.LedgerEntry] {
		out = append(out, fmt.Sprintf("%06d %s", int64(it.Timestamp)/1000, it.Column)) // ok ttlage/not-write-time
	}
	return out, nil
}

func cents(n int64) []byte { return []byte(fmt.Sprint(n)) }
