// Package app makes mistakes with the helpers of the runtime package, which the
// package that declares the tables does not.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

// A strategy's helper on a family of another.

func foreign(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("amount", "eur", ttl.ExpiresIn(time.Hour), nil) // want `clock-in-sequence: .*"amount"`
	return c.Open("books").Apply(ctx, "k", mut)
}

func foreignToZero(mut *bigtable.Mutation) {
	mut.Set(schema.Pref.Name(), "lang", ttl.ExpiresIn(time.Hour), nil) // want `clock-in-zero: .*"pref"`
}

func numberToExpiry(mut *bigtable.Mutation) {
	mut.Set("grant", "a", ttl.SequenceNumber(17), nil) // want `already-expired: .*"grant"`
}

func foreignFamily(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	amount := ttl.OneSecond("amount", time.Hour)
	if err := amount.Set(mut, "eur", nil); err != nil { // want `clock-in-sequence: .*"amount"`
		return err
	}
	return c.Open("books").Apply(ctx, "k", mut)
}

func okDefaultByExpiresIn(mut *bigtable.Mutation) {
	mut.Set("grant", "a", ttl.ExpiresIn(time.Minute), nil)
}

// Readings of the clock as numbers.

func clockAsNumber(mut *bigtable.Mutation) {
	mut.Set("amount", "eur", ttl.SequenceNumber(time.Now().UnixMicro()), nil) // want `clock-in-sequence: .*"amount"`
}

func clockAsEntry(mut *bigtable.Mutation) error {
	return schema.Amount.Set(mut, "eur", nil, time.Now().UnixMicro()) // want `clock-in-sequence: .*"amount"`
}

func clockAsSeconds(mut *bigtable.Mutation) error {
	return schema.Amount.Set(mut, "eur", nil, time.Now().Unix()) // want `clock-in-sequence: .*"amount"`
}

func clockAsMillis(mut *bigtable.Mutation) error {
	return schema.Amount.Set(mut, "eur", nil, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}

func clockAsNanos(mut *bigtable.Mutation) error {
	n := time.Now().UnixNano()
	return schema.Amount.Set(mut, "eur", nil, n) // want `clock-in-sequence: .*"amount"`
}

func okNumber(mut *bigtable.Mutation, n int64) error {
	return schema.Amount.Set(mut, "eur", nil, n)
}

func okNumbers(mut *bigtable.Mutation, values [][]byte) error {
	for i, v := range values {
		if err := schema.Amount.Set(mut, "eur", v, int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// Moments that are not the future.

func expiresNow(mut *bigtable.Mutation) {
	mut.Set("grant", "a", ttl.ExpiresAt(time.Now()), nil) // want `write-time: .*"grant"`
}

func untilNow(mut *bigtable.Mutation) error {
	return schema.Grant.SetUntil(mut, "a", nil, time.Now()) // want `write-time: .*"grant".*SetUntil returns an error`
}

func untilPast(mut *bigtable.Mutation) error {
	return schema.Grant.SetUntil(mut, "a", nil, time.Now().Add(-time.Minute)) // want `already-expired: .*"grant"`
}

func forNegative(mut *bigtable.Mutation) error {
	return schema.Grant.SetFor(mut, "a", nil, -time.Minute) // want `already-expired: .*"grant"`
}

func visitUntilPast(mut *bigtable.Mutation) error {
	return schema.Visit.SetUntil(mut, "a", nil, time.Now().Add(-time.Minute)) // want `already-expired: .*"visit"`
}

func untilDay(mut *bigtable.Mutation) error {
	return schema.Grant.SetUntil(mut, "a", nil, time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)) // want `already-expired: .*"grant"`
}

func untilZero(mut *bigtable.Mutation) error {
	return schema.Grant.SetUntil(mut, "a", nil, time.Time{}) // want `already-expired: .*"grant"`
}

func expiresAtZero() bigtable.Timestamp {
	return ttl.ExpiresAt(time.Time{}) // want `out-of-range: ttl.ExpiresAt of the zero time`
}

func atZero(mut *bigtable.Mutation) error {
	return schema.Person.SetAt(mut, "name", nil, time.Time{}) // want `out-of-range: SetAt`
}

func okUntil(mut *bigtable.Mutation, deadline time.Time) error {
	return schema.Grant.SetUntil(mut, "a", nil, deadline)
}

func okUntilSoon(mut *bigtable.Mutation) error {
	return schema.Visit.SetUntil(mut, "a", nil, time.Now().Add(time.Minute))
}

// Two values of one cell.

func oneNumber(mut *bigtable.Mutation) error {
	if err := schema.Amount.Set(mut, "eur", []byte("1"), 7); err != nil {
		return err
	}
	return schema.Amount.Set(mut, "eur", []byte("2"), 7) // want `same-timestamp: .*"amount"`
}

func oneVariable(mut *bigtable.Mutation, n int64) error {
	if err := schema.Amount.Set(mut, "eur", []byte("1"), n); err != nil {
		return err
	}
	return schema.Amount.Set(mut, "eur", []byte("2"), n) // want `same-timestamp: .*"amount"`
}

func oneDeadline(mut *bigtable.Mutation, deadline time.Time) error {
	if err := schema.Grant.SetUntil(mut, "a", []byte("1"), deadline); err != nil {
		return err
	}
	return schema.Grant.SetUntil(mut, "a", []byte("2"), deadline) // want `same-timestamp: .*"grant"`
}

func twiceZero(mut *bigtable.Mutation) error {
	if err := schema.Pref.Set(mut, "lang", []byte("de")); err != nil {
		return err
	}
	return schema.Pref.Set(mut, "lang", []byte("fr")) // want `same-timestamp: .*"pref"`
}

func inLoop(mut *bigtable.Mutation, values [][]byte, n int64) error {
	for _, v := range values {
		if err := schema.Amount.Set(mut, "eur", v, n); err != nil { // want `same-timestamp: .*"amount"`
			return err
		}
	}
	return nil
}

func okOtherColumn(mut *bigtable.Mutation, n int64) error {
	if err := schema.Amount.Set(mut, "eur", nil, n); err != nil {
		return err
	}
	return schema.Amount.Set(mut, "usd", nil, n)
}

func okNextNumber(mut *bigtable.Mutation, n int64) error {
	if err := schema.Amount.Set(mut, "eur", nil, n); err != nil {
		return err
	}
	return schema.Amount.Set(mut, "eur", nil, n+1)
}

func okOtherFamily(mut *bigtable.Mutation, n int64) error {
	if err := schema.Amount.Set(mut, "eur", nil, n); err != nil {
		return err
	}
	return schema.Step.Set(mut, "eur", nil, n)
}

func okCounted(mut *bigtable.Mutation) error {
	for range 3 {
		if err := schema.Attempts.Add(mut, 1); err != nil {
			return err
		}
	}
	return schema.Attempts.AddUntil(mut, 1, time.Now().Add(time.Hour))
}

func countedUntilNow(mut *bigtable.Mutation) error {
	return schema.Attempts.AddUntil(mut, 1, time.Now()) // want `write-time: .*"grant"`
}

// Deletions.

func deleted(mut *bigtable.Mutation) error {
	err := schema.Grant.Set(mut, "a", nil)
	mut.DeleteCellsInColumn("grant", "a") // want `delete-after-set: .*"grant"`
	return err
}

func deletedFamily(mut *bigtable.Mutation) error {
	err := schema.Visit.Set(mut, "a", nil)
	mut.DeleteCellsInFamily(schema.Visit.Name()) // want `delete-after-set: .*"visit"`
	return err
}

func replacedAfterSet(mut *bigtable.Mutation) error {
	if err := schema.Grant.Set(mut, "a", []byte("1")); err != nil {
		return err
	}
	return schema.Grant.Replace(mut, "a", []byte("2"), time.Minute) // want `delete-after-set: .*"grant"`
}

func okReplace(mut *bigtable.Mutation, d time.Duration) error {
	return schema.Grant.Replace(mut, "a", nil, d)
}

func okDeletedFirst(mut *bigtable.Mutation) error {
	mut.DeleteCellsInColumn("grant", "a")
	return schema.Grant.Set(mut, "a", nil)
}

func okOtherDeleted(mut *bigtable.Mutation) error {
	err := schema.Grant.Set(mut, "a", nil)
	mut.DeleteCellsInColumn("grant", "b")
	return err
}

// Lifetimes without a unit.

func unitless(mut *bigtable.Mutation) error {
	return schema.Grant.SetFor(mut, "a", nil, 1800) // want `age-unit: `
}

const seconds = 7776000

func unitlessConstant(mut *bigtable.Mutation) error {
	return schema.Visit.Replace(mut, "a", nil, seconds) // want `age-unit: `
}

func unitlessTimestamp(mut *bigtable.Mutation) {
	mut.Set("grant", "a", ttl.ExpiresIn(1800), nil) // want `age-unit: `
}

func pointInTime(mut *bigtable.Mutation, t time.Time) error {
	return schema.Grant.SetFor(mut, "a", nil, time.Duration(t.Unix())) // want `age-unit: `
}

func pointInTimeScaled(mut *bigtable.Mutation, t time.Time) error {
	return schema.Grant.SetFor(mut, "a", nil, time.Duration(t.Unix())*time.Second) // want `age-unit: `
}

func declaredUnitless() ttl.OneSecondFamily {
	return ttl.OneSecond("lease", 1800) // want `age-unit: `
}

func okLifetimes(mut *bigtable.Mutation, d time.Duration, n int, t time.Time) error {
	for _, life := range []time.Duration{d, time.Duration(n) * time.Second, time.Until(t), 1500 * time.Microsecond, time.Duration(t.Unix()-time.Now().Unix()) * time.Second} {
		if err := schema.Grant.SetFor(mut, "a", nil, life); err != nil {
			return err
		}
	}
	return nil
}

// Read-modify-write.

func increment(ctx context.Context, c *bigtable.Client) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Grant.Name(), "attempts", 1) // want `read-modify-write: .*"grant"`
	_, err := c.Open("logins").ApplyReadModifyWrite(ctx, "k", rmw)
	return err
}

// A clock that was read once.

var started = time.Now()

func staleDeadline(mut *bigtable.Mutation) error {
	return schema.Grant.SetUntil(mut, "a", nil, started.Add(time.Hour)) // want `stale-clock: .*"grant"`
}

var end = ttl.ExpiresIn(time.Hour)

func staleTimestamp(mut *bigtable.Mutation) {
	mut.Set("grant", "a", end, nil) // want `stale-clock: .*"grant"`
}

// The same by ways of one's own.

func put(mut *bigtable.Mutation, f ttl.SequenceFamily, n int64) error {
	return f.Set(mut, "eur", nil, n)
}

func byWrapper(mut *bigtable.Mutation) error {
	return put(mut, schema.Amount, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}

func okByWrapper(mut *bigtable.Mutation) error { return put(mut, schema.Amount, 3) }

func expire(mut *bigtable.Mutation, f ttl.Expiring, deadline time.Time) error {
	return f.SetUntil(mut, "a", nil, deadline)
}

func byInterface(mut *bigtable.Mutation) error {
	return expire(mut, schema.Grant, time.Now()) // want `write-time: .*"grant"`
}

func visitByInterface(mut *bigtable.Mutation) error {
	return expire(mut, schema.Visit, time.Now().Add(-time.Hour)) // want `already-expired: .*"visit"`
}

func okByInterface(mut *bigtable.Mutation) error {
	return expire(mut, schema.Grant, time.Now().Add(time.Minute))
}

type numbered interface {
	Set(mut *bigtable.Mutation, column string, value []byte, n int64) error
}

func byOwnInterface(mut *bigtable.Mutation) error {
	var f numbered = schema.Amount
	return f.Set(mut, "eur", nil, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}

func byMethodValue(mut *bigtable.Mutation) error {
	set := schema.Amount.Set
	return set(mut, "eur", nil, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}

type ledger struct{ amount ttl.SequenceFamily }

func newLedger() *ledger { return &ledger{amount: schema.Amount} }

func (l *ledger) book(mut *bigtable.Mutation) error {
	return l.amount.Set(mut, "eur", nil, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}

func deferred(mut *bigtable.Mutation) {
	defer schema.Amount.Set(mut, "eur", nil, time.Now().UnixMilli()) // want `clock-in-sequence: .*"amount"`
}
