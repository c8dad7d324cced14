// Package ledger keeps the books. Entries are numbered: a cell's timestamp is
// its entry number, so that a replayed posting lands on the same cell and the
// highest number is the current one.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// ErrGap says that an entry number was skipped.
var ErrGap = errors.New("ledger: gap in sequence")

// Posting is one line of the books.
type Posting struct {
	Number   int64
	Account  string
	Amount   int64
	Currency string
	BookedAt time.Time
}

// Book is one region's ledger.
type Book struct {
	tbl    store.Table
	clk    clock.Clock
	region string

	mu   sync.Mutex
	next int64
	tail atomic.Int64
	perA map[string]int64
}

// Option configures a Book.
type Option func(*Book)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(b *Book) { b.clk = c } }

// StartingAt sets the next entry number.
func StartingAt(n int64) Option { return func(b *Book) { b.next = n } }

// Open opens a region's book.
func Open(client *bigtable.Client, region string, opts ...Option) *Book {
	return NewBook(store.Open(client, schema.Ledger(region)), region, opts...)
}

// NewBook is Open for tests and for decorated tables.
func NewBook(tbl store.Table, region string, opts ...Option) *Book {
	b := &Book{tbl: tbl, clk: clock.System{}, region: region, perA: map[string]int64{}}
	for _, o := range opts {
		o(b)
	}
	return b
}

func account(id string) string { return "acct#" + id }

// take hands out the next entry number.
func (b *Book) take() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.next
}

// Post writes a posting under the next number.
func (b *Book) Post(ctx context.Context, p Posting) (int64, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	n := b.take()
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.Timestamp(n*1000), body)                        // ok ttlwrite/unscaled-sequence
	mut.Set("memo", "booked", bigtable.Time(b.clk.Now()), []byte(b.region))           // ok ttlwrite/clock-in-sequence
	mut.Set(string(schema.FamMemo), "by", bigtable.ServerTime, []byte("ledger.Post")) // ok ttlwrite/clock-in-sequence
	if err := b.tbl.Apply(ctx, account(p.Account), mut); err != nil {
		return 0, fmt.Errorf("post %d: %w", n, err)
	}
	return n, nil
}

// PostFast is Post without the lock, for the settlement import.
func (b *Book) PostFast(ctx context.Context, p Posting, body []byte) error {
	b.next++
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.Timestamp(b.next), body) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// PostAtomic is PostFast for several goroutines.
func (b *Book) PostAtomic(ctx context.Context, p Posting, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamEntry.String(), "body", bigtable.Timestamp(b.tail.Add(1)), body) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// PostStepped counts in steps of a thousand.
func (b *Book) PostStepped(ctx context.Context, p Posting, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamEntry.String(), "body", bigtable.Timestamp(b.tail.Add(1000)), body) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// PostPerAccount numbers each account by itself.
func (b *Book) PostPerAccount(ctx context.Context, p Posting, body []byte) error {
	b.mu.Lock()
	b.perA[p.Account]++
	n := b.perA[p.Account]
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	store.Put(mut, schema.EntryBody, store.RawSeq(n), body) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// PostNumbered writes a posting whose number the caller took.
func (b *Book) PostNumbered(ctx context.Context, p Posting, body []byte) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.EntryBody, store.Seq(p.Number), body) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// PostAll writes postings in one go.
func (b *Book) PostAll(ctx context.Context, ps []Posting) error {
	batch := store.NewBatch(b.tbl, 100)
	for i, p := range ps {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set("entry", "body", bigtable.Timestamp(int64(i)), body) // want ttlwrite/unscaled-sequence
		if err := batch.Add(ctx, account(p.Account), mut); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

// PostRange is PostAll with numbers reserved beforehand.
func (b *Book) PostRange(ctx context.Context, first int64, ps []Posting) error {
	batch := store.NewBatch(b.tbl, 100)
	for i, p := range ps {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set("entry", "body", bigtable.Timestamp((first+int64(i))*1000), body) // ok ttlwrite/unscaled-sequence
		if err := batch.Add(ctx, account(p.Account), mut); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

// Amend writes a correction: the clock is always ahead of the counter.
func (b *Book) Amend(ctx context.Context, acct string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.Now(), body)               // want ttlwrite/clock-in-sequence
	mut.Set("memo", "amended", bigtable.Now(), []byte(b.region)) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account(acct), mut)
}

// SetBalance stores a balance as of an entry.
func (b *Book) SetBalance(ctx context.Context, acct string, asOf, cents int64) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.BalanceNow, store.Seq(asOf), store.Int(cents)) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account(acct), mut)
}

// ResetBalance starts an account at zero.
func (b *Book) ResetBalance(ctx context.Context, acct string) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.BalanceNow, bigtable.ServerTime, store.Int(0)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account(acct), mut)
}

// Adjust stores a balance that an operator worked out.
func (b *Book) Adjust(ctx context.Context, acct string, cents int64) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.BalanceNow, store.StampOf(b.clk), store.Int(cents))                             // want ttlwrite/clock-in-sequence
	store.Put(mut, schema.Address{Family: schema.FamMemo, Column: "adjusted"}, store.StampOf(b.clk), nil) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account(acct), mut)
}

// Import books an entry at its date.
func (b *Book) Import(ctx context.Context, p Posting, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "imported", bigtable.Time(p.BookedAt), body) // want ttlwrite/clock-in-sequence
	mut.Set("memo", "imported", bigtable.Time(p.BookedAt), nil)   // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account(p.Account), mut)
}

// Credit adds to a balance on the server.
func (b *Book) Credit(ctx context.Context, acct string, cents int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(schema.FamBalance), "amount", cents) // want ttlwrite/read-modify-write
	row, err := b.tbl.ApplyReadModifyWrite(ctx, account(acct), rmw)
	if err != nil {
		return 0, err
	}
	return store.ParseInt([]byte(store.Text(row, schema.BalanceNow)))
}

// Annotate appends to an account's memo.
func (b *Book) Annotate(ctx context.Context, acct, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(string(schema.FamMemo), "notes", []byte(text)) // ok ttlwrite/read-modify-write
	_, err := b.tbl.ApplyReadModifyWrite(ctx, account(acct), rmw)
	return err
}

// Open writes the opening entry of an account.
func (b *Book) OpenAccount(ctx context.Context, acct, currency string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.Timestamp(1), []byte(`{"opening":true}`)) // want ttlwrite/unscaled-sequence
	mut.Set("balance", "amount", bigtable.Timestamp(1000), store.Int(0))        // ok ttlwrite/unscaled-sequence
	mut.Set("balance", "currency", 0, []byte(currency))                         // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, account(acct), mut)
}

// Close writes the closing entry; nothing may follow it.
func (b *Book) Close(ctx context.Context, acct string, n int64, reason string) error {
	ts := store.Seq(n)
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", ts, []byte(`{"closing":true}`))
	mut.Set("entry", "body", ts, []byte(fmt.Sprintf(`{"closing":true,"reason":%q}`, reason))) // want ttlwrite/same-timestamp
	return b.tbl.Apply(ctx, account(acct), mut)
}

// Split writes two legs of a transfer under one number.
func (b *Book) Split(ctx context.Context, acct string, n int64, debit, credit []byte) error {
	ts := store.Seq(n)
	mut := bigtable.NewMutation()
	mut.Set("entry", "debit", ts, debit)
	mut.Set("entry", "credit", ts, credit)           // ok ttlwrite/same-timestamp
	mut.Set("entry", "debit", store.Seq(n+1), debit) // ok ttlwrite/same-timestamp
	return b.tbl.Apply(ctx, account(acct), mut)
}
