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
	colInvoice = "inv"
	colPaid    = "paid"
	colOwnerID = "owner"
	colFence   = "fence"
)

// Invoices keeps invoices, and who works on one.
type Invoices struct {
	tbl  rows
	clk  clock.Clock
	lock time.Duration
}

// InvoiceOption changes Invoices.
type InvoiceOption interface{ apply(*Invoices) }

type invoiceOption func(*Invoices)

func (f invoiceOption) apply(i *Invoices) { f(i) }

// WithClock sets the clock.
func WithClock(c clock.Clock) InvoiceOption {
	return invoiceOption(func(i *Invoices) { i.clk = c })
}

// WithLockTTL sets how long locks are held.
func WithLockTTL(d time.Duration) InvoiceOption {
	return invoiceOption(func(i *Invoices) { i.lock = d })
}

// NewInvoices returns a store on tbl.
func NewInvoices(tbl rows, opts ...InvoiceOption) *Invoices {
	i := &Invoices{tbl: tbl, clk: clock.System{}, lock: domain.LockTTL}
	for _, o := range opts {
		o.apply(i)
	}
	return i
}

// put writes a value into w, which expires at the given time.
func put(w cells, family, col string, until time.Time, value []byte) {
	w.DeleteCellsInColumn(family, col)
	w.Set(family, col, bigtable.Time(until), value) // ok ttlwrite/write-time
}

// putAt writes a value into w.
func putAt(w cells, family, col string, ts bigtable.Timestamp, value []byte) {
	w.Set(family, col, ts, value) // ok ttlwrite/server-timestamp
}

// fill writes an invoice into w.
func (i *Invoices) fill(w cells, inv domain.Invoice) {
	now := bigtable.Time(i.clk.Now())
	w.Set(FamDoc, colInvoice, now, encode(inv))               // ok ttlwrite/write-time
	w.Set(FamLock, colOwnerID, now, []byte(inv.Subscription)) // want ttlwrite/write-time
}

// Issue stores an invoice.
func (i *Invoices) Issue(ctx context.Context, inv domain.Invoice) error {
	mut := bigtable.NewMutation()
	i.fill(mut, inv)
	return i.tbl.Apply(ctx, inv.ID, mut)
}

// Lock says that owner works on an invoice.
func (i *Invoices) Lock(ctx context.Context, id, owner string) error {
	mut := bigtable.NewMutation()
	put(mut, FamLock, colOwnerID, i.clk.Now().Add(i.lock), []byte(owner)) // ok ttlwrite/write-time
	return i.tbl.Apply(ctx, id, mut)
}

// LockFor says it for another time.
func (i *Invoices) LockFor(ctx context.Context, id, owner string, d time.Duration) error {
	mut := bigtable.NewMutation()
	put(mut, FamLock, colOwnerID, i.clk.Now().Add(d), []byte(owner)) // ok ttlwrite/stale-survivor
	return i.tbl.Apply(ctx, id, mut)
}

// Take says it, and says since when.
func (i *Invoices) Take(ctx context.Context, id, owner string) error {
	mut := bigtable.NewMutation()
	put(mut, FamLock, colOwnerID, i.clk.Now(), []byte(owner)) // want ttlwrite/write-time
	return i.tbl.Apply(ctx, id, mut)
}

// Fence stores a number that grows with every lock.
func (i *Invoices) Fence(ctx context.Context, id string, n int64) error {
	mut := bigtable.NewMutation()
	putAt(mut, FamLock, colFence, bigtable.ServerTime, encode(n)) // want ttlwrite/server-timestamp
	putAt(mut, FamDoc, colFence, bigtable.ServerTime, encode(n))  // ok ttlwrite/server-timestamp
	return i.tbl.Apply(ctx, id, mut)
}

// FenceUntil stores it for as long as the lock.
func (i *Invoices) FenceUntil(ctx context.Context, id string, n int64) error {
	mut := bigtable.NewMutation()
	putAt(mut, FamLock, colFence, expiresIn(i.clk, i.lock), encode(n)) // ok ttlwrite/server-timestamp
	return i.tbl.Apply(ctx, id, mut)
}

// Pay marks an invoice as paid.
func (i *Invoices) Pay(ctx context.Context, id string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(FamDoc, colPaid, bigtable.Timestamp(at.Unix()), []byte("1"))        // want ttlunit/wrong-unit
	mut.Set(FamDoc, "booked", bigtable.Timestamp(at.Unix()*1e6), []byte("1"))   // ok ttlunit/wrong-unit
	mut.Set(FamDoc, "checked", bigtable.Timestamp(at.UnixMicro()), []byte("1")) // ok ttlunit/wrong-unit
	mut.Set(FamDoc, "exported", bigtable.Timestamp(at.UnixNano()), []byte("0")) // want ttlunit/wrong-unit
	return i.tbl.Apply(ctx, id, mut)
}

// Unlock ends the lock.
func (i *Invoices) Unlock(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamLock)
	return i.tbl.Apply(ctx, id, mut)
}

// Get reads an invoice.
func (i *Invoices) Get(ctx context.Context, id string) (domain.Invoice, error) {
	row, err := i.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamDoc),
		bigtable.LatestNFilter(1), // ok ttlread/missing-filter
	)))
	if err != nil {
		return domain.Invoice{}, err
	}
	item, ok := find(row, FamDoc, colInvoice)
	if !ok {
		return domain.Invoice{}, domain.ErrNotFound
	}
	inv, err := decode[domain.Invoice](item)
	if inv.IssuedAt.IsZero() {
		inv.IssuedAt = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return inv, err
}

// Locked says whether somebody works on an invoice.
func (i *Invoices) Locked(ctx context.Context, id string) (owner string, err error) {
	row, err := i.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(FamLock))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if item, ok := find(row, FamLock, colOwnerID); ok {
		return string(item.Value), domain.ErrLocked
	}
	return "", nil
}

// LockedLive says whether somebody works on an invoice now.
func (i *Invoices) LockedLive(ctx context.Context, id string) (owner string, err error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	opts = append(opts, bigtable.RowFilter(liveIn(i.clk, FamLock)))
	row, err := i.tbl.ReadRow(ctx, id, opts...) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if item, ok := find(row, FamLock, colOwnerID); ok {
		return string(item.Value), domain.ErrLocked
	}
	return "", nil
}

// LockedSince says when somebody began to work on an invoice.
func (i *Invoices) LockedSince(ctx context.Context, id string) (string, error) {
	row, err := i.tbl.ReadRow(ctx, id, bigtable.RowFilter(liveIn(i.clk, FamLock)))
	if err != nil {
		return "", err
	}
	item, ok := find(row, FamLock, colOwnerID)
	if !ok {
		return "", domain.ErrNotFound
	}
	lockedFor := i.clk.Now().Sub(item.Timestamp.Time()) // want ttlage/not-write-time
	return fmt.Sprintf("%s, for %s", item.Value, lockedFor), nil
}

// Acquire locks an invoice unless it is locked.
func (i *Invoices) Acquire(ctx context.Context, id, owner string) error {
	lock := bigtable.NewMutation()
	lock.Set(FamLock, colOwnerID, expiresIn(i.clk, i.lock), []byte(owner))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(FamLock), bigtable.ColumnFilter(colOwnerID), bigtable.CellsPerRowLimitFilter(1)) // want ttlread/conditional-mutation[acquire]
	var held bool
	err := i.tbl.Apply(ctx, id, bigtable.NewCondMutation(pred, nil, lock), bigtable.GetCondMutationResult(&held)) // want ttlread/conditional-mutation[acquire]
	if err == nil && held {
		return domain.ErrLocked
	}
	return err
}

// AcquireLive locks an invoice unless it is locked now.
func (i *Invoices) AcquireLive(ctx context.Context, id, owner string) error {
	lock := bigtable.NewMutation()
	lock.DeleteCellsInColumn(FamLock, colOwnerID)
	lock.Set(FamLock, colOwnerID, expiresIn(i.clk, i.lock), []byte(owner))
	pred := bigtable.ChainFilters(only(FamLock, colOwnerID), live(i.clk))
	var held bool
	err := i.tbl.Apply(ctx, id, bigtable.NewCondMutation(pred, nil, lock), bigtable.GetCondMutationResult(&held)) // ok ttlread/conditional-mutation
	if err == nil && held {
		return domain.ErrLocked
	}
	return err
}

// Page reads the documents of a prefix, without locks.
func (i *Invoices) Page(ctx context.Context, prefix string, n int64) (out []domain.Invoice, err error) {
	err = i.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[FamDoc] {
			if column(item) != colInvoice {
				continue
			}
			if inv, err := decode[domain.Invoice](item); err == nil {
				out = append(out, inv)
			}
		}
		return true
	}, bigtable.LimitRows(n))
	return out, err
}

// Locks lists who works on what.
func (i *Invoices) Locks(ctx context.Context) (map[string]string, error) {
	owners := make(map[string]string)
	// a lock only counts where the document is locked now
	f := bigtable.ConditionFilter(live(i.clk), bigtable.FamilyFilter(FamLock), nil)      // want ttlread/unfiltered-branch[locks]
	err := i.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[locks]
		for _, item := range row[FamLock] {
			owners[item.Row] = string(item.Value)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[locks]
	return owners, err
}

// LocksLive lists who works on what now.
func (i *Invoices) LocksLive(ctx context.Context) (map[string]string, error) {
	owners := make(map[string]string)
	f := bigtable.ConditionFilter(only(FamDoc, colPaid), bigtable.BlockAllFilter(), liveIn(i.clk, FamLock)) // ok ttlread/unfiltered-branch
	err := i.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, item := range row[FamLock] {
			owners[item.Row] = string(item.Value)
		}
		return true
	}, bigtable.RowFilter(f))
	return owners, err
}
