// Package ledger keeps what went in and out of warehouses. Entries are
// numbered, the head of an account stands at zero, holds expire.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

const (
	famEntry = "entry"
	famHead  = "head"
	famHold  = "hold"
	famNote  = "note"
	famLevel = "lvl"
	famSnap  = "snap"
	famD     = "d"
)

const (
	stockTable  = "inventory-stock"
	legacyTable = "legacy-stock"

	entryVersions = 5
	holdTTL       = 15 * time.Minute
	snapTTL       = 90 * 24 * time.Hour
	lockTTL       = 10 * time.Minute
)

// The families as the library knows them.
var (
	entries = btstore.NewSequence(famEntry, entryVersions)
	heads   = btstore.NewSingle(famHead)
	holds   = btstore.NewExpiring(famHold, holdTTL)
	notes   = btstore.NewPlain(famNote, nil)
	levels  = btstore.NewSequence(famLevel, 1)
	snaps   = btstore.NewRolling(famSnap, snapTTL)
	locks   = btstore.NewExpiring(famD, lockTTL)
)

// Entry is a line of the ledger.
type Entry struct {
	Account string    `json:"account"`
	SKU     string    `json:"sku"`
	Delta   int64     `json:"delta"`
	Reason  string    `json:"reason,omitempty"`
	Seq     int64     `json:"-"`
	Created time.Time `json:"created,omitzero"`
}

// Typed columns of the ledger.
var (
	colEntry  = btstore.NewCol(famEntry, "line", btstore.JSON[Entry]())
	colSum    = btstore.NewCol(famEntry, "sum", btstore.Int64)
	colHead   = btstore.NewCol(famHead, "seq", btstore.Int64)
	colHolder = btstore.NewCol(famHold, "holder", btstore.String)
	colQty    = btstore.NewCol(famHold, "qty", btstore.Int64)
	colBy     = btstore.NewCol(famNote, "by", btstore.String)
	colAt     = btstore.NewCol(famNote, "at", btstore.Time)
)

// Errors of the ledger.
var (
	ErrConflict = errors.New("ledger: head moved")
	ErrHeld     = errors.New("ledger: held by somebody else")
)

// Ledger is one warehouse's ledger.
type Ledger struct {
	site  string
	tbl   *btstore.Table
	raw   *bigtable.Table
	stock *btstore.Table
	log   *slog.Logger

	seq  atomic.Int64
	mu   sync.Mutex
	last map[string]int64
}

// Open opens a site's ledger.
func Open(s *btstore.Store, site string, log *slog.Logger) *Ledger {
	return &Ledger{
		site:  site,
		tbl:   s.Table(site + "-ledger"),
		raw:   s.Client().Open(site + "-ledger"),
		stock: s.Table(stockTable),
		log:   log,
		last:  map[string]int64{},
	}
}

// Head reads the number of the last entry.
func (l *Ledger) Head(ctx context.Context, account string) (int64, error) {
	row, err := l.tbl.Get(ctx, account, btstore.Where(bigtable.FamilyFilter(famHead))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	n, _, err := colHead.Get(row)
	return n, err
}

// Post writes an entry and moves the head.
func (l *Ledger) Post(ctx context.Context, e Entry, by string) (int64, error) {
	head, err := l.Head(ctx, e.Account)
	if err != nil {
		return 0, err
	}
	n := head + 1
	m := bigtable.NewMutation()
	err = errors.Join(
		colEntry.Set(m, btstore.SeqNo(n), e),     // ok ttlwrite/unscaled-sequence
		colSum.Set(m, btstore.SeqNo(n), e.Delta), // ok ttlwrite/unscaled-sequence
		colHead.Set(m, 0, n),                     // ok ttlwrite/clock-in-zero
		colBy.Set(m, bigtable.ServerTime, by),    // ok ttlwrite/server-timestamp
		colAt.Set(m, bigtable.Now(), time.Now()), // ok ttlwrite/write-time
	)
	if err != nil {
		return 0, err
	}
	prev, err := btstore.Int64.Encode(head)
	if err != nil {
		return 0, err
	}
	cond := bigtable.ChainFilters(btstore.Column(famHead, "seq"), bigtable.ValueRangeFilter(prev, append(prev, 0)))
	ok, err := l.tbl.If(ctx, e.Account, cond, m, nil) // ok ttlread/conditional-mutation
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, ErrConflict
	}
	return n, nil
}

// PostOld is how entries were posted in the first year.
func (l *Ledger) PostOld(ctx context.Context, e Entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(famEntry, "line", bigtable.Now(), b)                // want ttlwrite/clock-in-sequence
	m.Set(famEntry, "sum", bigtable.ServerTime, nil)          // want ttlwrite/clock-in-sequence
	m.Set(famHead, "seq", bigtable.ServerTime, nil)           // want ttlwrite/clock-in-zero
	m.Set(famNote, "by", bigtable.ServerTime, []byte(l.site)) // ok ttlwrite/server-timestamp
	return l.raw.Apply(ctx, e.Account, m)
}

// PostTyped mixes the columns up.
func (l *Ledger) PostTyped(ctx context.Context, e Entry, at time.Time) error {
	m := bigtable.NewMutation()
	err := errors.Join(
		colEntry.Set(m, bigtable.Time(at), e),           // want ttlwrite/clock-in-sequence
		colSum.Set(m, btstore.Wall(), e.Delta),          // want ttlwrite/clock-in-sequence
		colHolder.Set(m, bigtable.Now(), e.Account),     // want ttlwrite/write-time
		colQty.Set(m, btstore.Expiry(holdTTL), e.Delta), // ok ttlwrite/write-time
		colHead.Set(m, btstore.Wall(), 1),               // want ttlwrite/clock-in-zero
		colAt.Set(m, bigtable.Time(at), at),             // ok ttlwrite/clock-in-sequence
	)
	if err != nil {
		return err
	}
	return l.tbl.Apply(ctx, e.Account, m)
}

// PostMany numbers entries itself.
func (l *Ledger) PostMany(ctx context.Context, account string, es []Entry) error {
	b := l.tbl.NewBatch(200)
	for i, e := range es {
		v, err := json.Marshal(e)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(famEntry, "line", bigtable.Timestamp(i+1), v)                 // want ttlwrite/unscaled-sequence
		m.Set(famEntry, "hash", bigtable.Timestamp((i+1)*1000), v)          // ok ttlwrite/unscaled-sequence
		m.Set(famEntry, "size", bigtable.Timestamp(l.seq.Add(1)), nil)      // want ttlwrite/unscaled-sequence
		m.Set(famEntry, "from", bigtable.Timestamp(l.seq.Load()*1000), nil) // ok ttlwrite/unscaled-sequence
		m.Set(famEntry, "left", bigtable.Timestamp(len(es)-i), nil)         // want ttlwrite/unscaled-sequence
		if err := b.Add(ctx, account, m); err != nil {
			return err
		}
	}
	return b.Close(ctx)
}

// PostSteps counts by thousands.
func (l *Ledger) PostSteps(ctx context.Context, account string, es []Entry) error {
	ts := bigtable.Timestamp(0)
	for _, e := range es {
		ts += 1000
		m := bigtable.NewMutation()
		if err := colEntry.Set(m, ts, e); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
		if err := l.tbl.Apply(ctx, account, m); err != nil {
			return err
		}
	}
	return nil
}

// PostSameTwice writes a line and its correction with one number.
func (l *Ledger) PostSameTwice(ctx context.Context, n int64, e, correction Entry) error {
	m := bigtable.NewMutation()
	ts := btstore.SeqNo(n)
	if err := colEntry.Set(m, ts, e); err != nil {
		return err
	}
	if err := colEntry.Set(m, ts, correction); err != nil { // want ttlwrite/same-timestamp
		return err
	}
	return l.tbl.Apply(ctx, e.Account, m)
}

// PostCorrected writes them with two.
func (l *Ledger) PostCorrected(ctx context.Context, n int64, e, correction Entry) error {
	m := bigtable.NewMutation()
	if err := colEntry.Set(m, btstore.SeqNo(n), e); err != nil {
		return err
	}
	if err := colEntry.Set(m, btstore.SeqNo(n+1), correction); err != nil { // ok ttlwrite/same-timestamp
		return err
	}
	return l.tbl.Apply(ctx, e.Account, m)
}

// NextFor numbers per account.
func (l *Ledger) NextFor(account string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[account]++
	return l.last[account]
}

// PostNext uses these numbers.
func (l *Ledger) PostNext(ctx context.Context, e Entry) error {
	n := l.NextFor(e.Account)
	return l.tbl.Mutate(ctx, e.Account,
		btstore.PutSeq(famEntry, "n", n, nil),                         // ok ttlwrite/unscaled-sequence
		btstore.PutAt(famEntry, "m", bigtable.Timestamp(n), nil),      // want ttlwrite/unscaled-sequence
		btstore.PutAt(famEntry, "k", bigtable.Timestamp(n)*1000, nil), // ok ttlwrite/unscaled-sequence
		btstore.Put(famEntry, "t", nil),                               // want ttlwrite/clock-in-sequence
		btstore.Put(famNote, "t", nil),                                // ok ttlwrite/clock-in-sequence
	)
}

// Balance counts in the ledger itself.
func (l *Ledger) Balance(ctx context.Context, account string, delta int64) (int64, error) {
	return l.tbl.Bump(ctx, account, famEntry, "balance", delta) // want ttlwrite/read-modify-write
}

// BalanceNote counts in the ordinary family.
func (l *Ledger) BalanceNote(ctx context.Context, account string, delta int64) (int64, error) {
	return l.tbl.Bump(ctx, account, famNote, "balance", delta) // ok ttlwrite/read-modify-write
}

// BalanceHead counts at zero, which the server does not do.
func (l *Ledger) BalanceHead(ctx context.Context, account string, delta int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famHead, "balance", delta)   // want ttlwrite/read-modify-write
	rmw.AppendValue(famNote, "log", []byte{1}) // ok ttlwrite/read-modify-write
	_, err := l.raw.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

func (l *Ledger) key(account, sku string) string {
	return fmt.Sprintf("%s#%s#%s", l.site, account, sku)
}
