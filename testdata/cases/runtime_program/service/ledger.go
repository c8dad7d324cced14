package service

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"

	"example.com/cases/runtime_program/tables"
)

// ErrHeld says that somebody else holds a lock.
var ErrHeld = errors.New("held by somebody else")

// A Ledger books by number, under a lock.
type Ledger struct{ ledger, locks *bigtable.Table }

// NewLedger returns the ledger.
func NewLedger(c *bigtable.Client) *Ledger {
	return &Ledger{ledger: c.Open(tables.Ledger.Name()), locks: c.Open(tables.Locks.Name())}
}

// Last returns the number and the value of the last booking.
func (l *Ledger) Last(ctx context.Context, account string) (n int64, value []byte, err error) {
	row, err := l.ledger.ReadRow(ctx, account, tables.Ledger.LiveAnd(bigtable.LatestNFilter(1)))
	if err != nil || len(row[tables.Booking.Name()]) == 0 {
		return 0, nil, err
	}
	last := row[tables.Booking.Name()][0]
	return tables.Booking.Number(last), last.Value, nil
}

// Book adds a booking.
func (l *Ledger) Book(ctx context.Context, account string, value []byte) error {
	fence, err := l.lock(ctx, account)
	if err != nil {
		return err
	}
	defer l.unlock(context.WithoutCancel(ctx), account)
	last, _, err := l.Last(ctx, account)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	if err := tables.Booking.Set(mut, "amount", value, max(last+1, fence)); err != nil {
		return err
	}
	return l.ledger.Apply(ctx, account, mut)
}

// Replay books a list of values under consecutive numbers.
func (l *Ledger) Replay(ctx context.Context, account string, first int64, values [][]byte) error {
	mut := bigtable.NewMutation()
	for i, value := range values {
		if err := tables.Booking.Set(mut, "amount", value, first+int64(i)); err != nil {
			return err
		}
	}
	return l.ledger.Apply(ctx, account, mut)
}

// lock takes the lock of an account, unless somebody holds it, and returns the
// number that fences off earlier holders.
func (l *Ledger) lock(ctx context.Context, account string) (int64, error) {
	row, err := l.locks.ReadRow(ctx, account, tables.Locks.Live())
	if err != nil {
		return 0, err
	}
	var fence int64
	for _, item := range row[tables.Fence.Name()] {
		fence = max(fence, tables.Fence.Number(item))
	}
	fence++
	take := bigtable.NewMutation()
	if err := tables.Lease.Set(take, "holder", []byte("us")); err != nil {
		return 0, err
	}
	if err := tables.Fence.Set(take, "number", nil, fence); err != nil {
		return 0, err
	}
	held := bigtable.ChainFilters(tables.Locks.LiveFilter(), bigtable.FamilyFilter(tables.Lease.Name()))
	var wasHeld bool
	err = l.locks.Apply(ctx, account, bigtable.NewCondMutation(held, nil, take), bigtable.GetCondMutationResult(&wasHeld))
	if err == nil && wasHeld {
		err = ErrHeld
	}
	return fence, err
}

func (l *Ledger) unlock(ctx context.Context, account string) {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.Lease.Name())
	_ = l.locks.Apply(ctx, account, mut)
}
