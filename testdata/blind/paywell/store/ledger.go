package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

const (
	colEntry   = "e"
	colBalance = "bal"
	colHeld    = "h"
	colMemo    = "memo"
)

// Ledger of one tenant. Entries are numbered per account; holds expire.
type Ledger struct {
	tbl     rows
	now     func() time.Time
	holdTTL time.Duration
	seq     *clock.Sequence
}

// A LedgerOption changes a ledger that is being opened.
type LedgerOption func(*Ledger)

// WithNow sets the clock.
func WithNow(now func() time.Time) LedgerOption {
	return func(l *Ledger) { l.now = now }
}

// WithHoldTTL sets how long holds live.
func WithHoldTTL(d time.Duration) LedgerOption {
	return func(l *Ledger) { l.holdTTL = d }
}

// WithSequence sets where numbers come from.
func WithSequence(seq *clock.Sequence) LedgerOption {
	return func(l *Ledger) { l.seq = seq }
}

func newLedger(tbl rows, opts ...LedgerOption) *Ledger {
	l := &Ledger{tbl: tbl, now: time.Now, holdTTL: domain.HoldTTL, seq: clock.NewSequence(0)}
	for _, o := range opts {
		o(l)
	}
	return l
}

func accountKey(account string) string { return "acc#" + account }

// Post writes an entry under the next number.
func (l *Ledger) Post(ctx context.Context, e domain.Entry) (domain.Entry, error) {
	e.Number = l.seq.Next()
	mut := bigtable.NewMutation()
	mut.Set(FamEntry, colEntry, numbered(e.Number), encode(e))     // ok ttlwrite/unscaled-sequence
	mut.Set(FamEntry, colMemo, numbered(e.Number), []byte(e.Memo)) // ok ttlwrite/same-timestamp
	return e, l.tbl.Apply(ctx, accountKey(e.Account), mut)
}

// PostNext writes an entry under the sequence's number as it is.
func (l *Ledger) PostNext(ctx context.Context, e domain.Entry) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEntry, colEntry, bigtable.Timestamp(l.seq.Next()), encode(e)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, accountKey(e.Account), mut)
}

// PostNow writes an entry in the order of time.
func (l *Ledger) PostNow(ctx context.Context, e domain.Entry) error {
	ts := bigtable.Time(l.now()) // want ttlwrite/clock-in-sequence[postnow]
	mut := bigtable.NewMutation()
	mut.Set(FamEntry, colEntry, ts, encode(e)) // want ttlwrite/clock-in-sequence[postnow]
	return l.tbl.Apply(ctx, accountKey(e.Account), mut)
}

// PostUnix does it in whole seconds.
func (l *Ledger) PostUnix(ctx context.Context, e domain.Entry) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEntry, colEntry, bigtable.Timestamp(l.now().Unix()*1e6), encode(e)) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, accountKey(e.Account), mut)
}

// PostAll writes several entries of one account.
func (l *Ledger) PostAll(ctx context.Context, account string, entries []domain.Entry) error {
	mut := bigtable.NewMutation()
	for i := range entries {
		left := len(entries) - i
		mut.Set(FamEntry, fmt.Sprintf("e%d", i), bigtable.Timestamp(left), encode(entries[i])) // want ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, accountKey(account), mut)
}

// PostAllNumbered writes several entries of one account.
func (l *Ledger) PostAllNumbered(ctx context.Context, account string, entries []domain.Entry) error {
	mut := bigtable.NewMutation()
	for i := range entries {
		n := int64(len(entries) - i)
		mut.Set(FamEntry, fmt.Sprintf("e%d", i), bigtable.Timestamp(n)*perNumber, encode(entries[i])) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, accountKey(account), mut)
}

// PlaceHold puts money aside.
func (l *Ledger) PlaceHold(ctx context.Context, h domain.Hold) error {
	h.ExpiresAt = l.now().Add(l.holdTTL)
	mut := bigtable.NewMutation()
	mut.Set(FamHold, colHeld, bigtable.Time(h.ExpiresAt), encode(h)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, accountKey(h.Account), mut)
}

// PlaceHoldNow puts money aside.
func (l *Ledger) PlaceHoldNow(ctx context.Context, h domain.Hold) error {
	h.ExpiresAt = l.now()
	mut := bigtable.NewMutation()
	mut.Set(FamHold, colHeld, bigtable.Time(h.ExpiresAt), encode(h)) // want ttlwrite/write-time
	return l.tbl.Apply(ctx, accountKey(h.Account), mut)
}

// Release gives the money back.
func (l *Ledger) Release(ctx context.Context, account string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamHold, colHeld, 0, nil) // want ttlwrite/already-expired
	return l.tbl.Apply(ctx, accountKey(account), mut)
}

// Discard deletes the hold.
func (l *Ledger) Discard(ctx context.Context, account string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamHold, colHeld) // ok ttlwrite/already-expired
	return l.tbl.Apply(ctx, accountKey(account), mut)
}

// ExtendHold adds to what a hold has left.
func (l *Ledger) ExtendHold(ctx context.Context, h domain.Hold, by time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamHold, colHeld)
	mut.Set(FamHold, colHeld, bigtable.Time(h.ExpiresAt)+bigtable.Timestamp(by), encode(h)) // want ttlunit/wrong-unit
	return l.tbl.Apply(ctx, accountKey(h.Account), mut)
}

// ExtendHoldBy adds microseconds to microseconds.
func (l *Ledger) ExtendHoldBy(ctx context.Context, h domain.Hold, by time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamHold, colHeld)
	mut.Set(FamHold, colHeld, bigtable.Time(h.ExpiresAt)+bigtable.Timestamp(by.Microseconds()), encode(h)) // ok ttlunit/wrong-unit
	return l.tbl.Apply(ctx, accountKey(h.Account), mut)
}

// Balance counts in place.
func (l *Ledger) Balance(ctx context.Context, account string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamEntry, colBalance, by) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, accountKey(account), rmw)
	return err
}

// Held counts what is held.
func (l *Ledger) Held(ctx context.Context, account string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamHold, colBalance, by) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, accountKey(account), rmw)
	return err
}

// Last returns the last entry.
func (l *Ledger) Last(ctx context.Context, account string) (domain.Entry, error) {
	row, err := l.tbl.ReadRow(ctx, accountKey(account), latest(FamEntry, 1)) // ok ttlread/missing-filter
	if err != nil {
		return domain.Entry{}, err
	}
	item, ok := find(row, FamEntry, colEntry)
	if !ok {
		return domain.Entry{}, domain.ErrNotFound
	}
	e, err := decode[domain.Entry](item)
	e.Number = number(item.Timestamp) // ok ttlage/not-write-time
	return e, err
}

// Statement returns the entries that are kept, and what is held.
func (l *Ledger) Statement(ctx context.Context, account string) (entries []domain.Entry, held int64, err error) {
	row, err := l.tbl.ReadRow(ctx, accountKey(account)) // want ttlread/missing-filter
	if err != nil {
		return nil, 0, err
	}
	return l.statement(row)
}

// StatementLive reads each family as it has to be read.
func (l *Ledger) StatementLive(ctx context.Context, account string) (entries []domain.Entry, held int64, err error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(FamEntry), bigtable.LatestNFilter(domain.EntryVersions)), // ok ttlread/version-limit
		bigtable.ChainFilters(bigtable.FamilyFilter(FamHold), bigtable.TimestampRangeFilter(l.now(), time.Time{})),
	)
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, 0, err
	}
	return l.statement(row)
}

// StatementHalf forgets the holds.
func (l *Ledger) StatementHalf(ctx context.Context, account string) (entries []domain.Entry, held int64, err error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[half]
		bigtable.ChainFilters(bigtable.FamilyFilter(FamEntry), bigtable.LatestNFilter(domain.EntryVersions)),
		bigtable.FamilyFilter(FamHold), // want ttlread/unfiltered-branch[half]
	)
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[half]
	if err != nil {
		return nil, 0, err
	}
	return l.statement(row)
}

func (l *Ledger) statement(row bigtable.Row) (entries []domain.Entry, held int64, err error) {
	for _, item := range row[FamEntry] {
		if column(item) != colEntry {
			continue
		}
		e, err := decode[domain.Entry](item)
		if err != nil {
			return nil, 0, err
		}
		entries = append(entries, e)
	}
	for _, item := range row[FamHold] {
		h, err := decode[domain.Hold](item)
		if err != nil {
			return nil, 0, err
		}
		held += h.Amount.Amount
	}
	return entries, held, nil
}

// HeldNow adds up what is held, and looks at the end of each hold.
func (l *Ledger) HeldNow(ctx context.Context, account string) (sum int64, err error) {
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(bigtable.FamilyFilter(FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now := bigtable.Time(l.now())
	for _, item := range row[FamHold] {
		if item.Timestamp <= now {
			continue
		}
		h, err := decode[domain.Hold](item)
		if err != nil {
			return 0, err
		}
		sum += h.Amount.Amount
	}
	return sum, nil
}

// HeldSince adds up what was held in the last quarter of an hour.
func (l *Ledger) HeldSince(ctx context.Context, account string) (sum int64, err error) {
	since := l.now().Add(-domain.HoldTTL)
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[heldsince]
		bigtable.FamilyFilter(FamHold),
		bigtable.TimestampRangeFilter(since, time.Time{}), // want ttlread/wrong-bound[heldsince]
	)
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(f)) // want ttlread/wrong-bound[heldsince]
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamHold] {
		h, err := decode[domain.Hold](item)
		if err != nil {
			return 0, err
		}
		sum += h.Amount.Amount
	}
	return sum, nil
}

// HeldSoon reads the holds that end within the time that holds have.
func (l *Ledger) HeldSoon(ctx context.Context, account string) (bigtable.Row, error) {
	now := l.now()
	return l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamHold),
		bigtable.TimestampRangeFilter(now, now.Add(domain.HoldTTL)), // ok ttlread/upper-bound
	)))
}

// HeldFor is how long a hold has existed.
func (l *Ledger) HeldFor(ctx context.Context, account string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamHold),
		bigtable.TimestampRangeFilter(l.now(), time.Time{}), // ok ttlread/wrong-bound
	)))
	if err != nil {
		return 0, err
	}
	item, ok := find(row, FamHold, colHeld)
	if !ok {
		return 0, domain.ErrNotFound
	}
	return time.Since(item.Timestamp.Time()), nil // want ttlage/not-write-time
}

// HeldUntil is how long a hold has left.
func (l *Ledger) HeldUntil(ctx context.Context, account string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, accountKey(account), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamHold),
		bigtable.TimestampRangeFilter(l.now(), time.Time{}), // ok ttlread/missing-filter
	)))
	if err != nil {
		return 0, err
	}
	item, ok := find(row, FamHold, colHeld)
	if !ok {
		return 0, domain.ErrNotFound
	}
	return item.Timestamp.Time().Sub(l.now()), nil // ok ttlage/not-write-time
}
