// Package throttle slows down those who guess passwords.
package throttle

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colCount  = "count"
	colReason = "reason"
	colLocked = "locked"
	colTotal  = "total"
)

// ErrLocked is returned while an account is locked.
var ErrLocked = errors.New("throttle: locked")

// bootTime is when this process began.
var bootTime = time.Now() // want ttlwrite/stale-clock[thr1] ttlread/stale-bound[thr2]

// Lock describes a lockout.
type Lock struct {
	Reason    string
	ExpiresAt time.Time
	WrittenAt time.Time
}

// Limiter counts failures and locks accounts.
type Limiter struct {
	tbl *bigtable.Table
	clk clock.Clock
	log *slog.Logger
	max int
}

// Option changes a Limiter.
type Option func(*Limiter)

// WithMax sets how many failures are allowed.
func WithMax(n int) Option { return func(l *Limiter) { l.max = n } }

// WithLogger sets the logger.
func WithLogger(log *slog.Logger) Option { return func(l *Limiter) { l.log = log } }

// New returns a limiter.
func New(c *bigtable.Client, clk clock.Clock, opts ...Option) *Limiter {
	l := &Limiter{tbl: c.Open(schema.TableThrottle), clk: clk, log: slog.Default(), max: 5}
	for _, o := range opts {
		o(l)
	}
	return l
}

func (l *Limiter) Fail(ctx context.Context, u ids.UserID) (uint64, error) {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamAttempt, colCount, 1) // want ttlwrite/read-modify-write
	m.Increment(schema.FamTally, colTotal, 1)   // ok ttlwrite/read-modify-write
	m.Increment(schema.FamLockout, colCount, 1) // ok ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, string(u), m)
	if err != nil {
		return 0, fmt.Errorf("throttle: %w", err)
	}
	for _, it := range row[schema.FamAttempt] {
		return binary.BigEndian.Uint64(it.Value), nil
	}
	return 0, nil
}

func (l *Limiter) FailOnce(ctx context.Context, u ids.UserID) error {
	now := l.clk.Now()
	m := bigtable.NewMutation()
	m.Set(schema.FamAttempt, "f"+now.Format("150405.000"), bigtable.Time(now.Add(schema.AttemptTTL)), []byte{1}) // ok ttlwrite/write-time
	m.Set(schema.FamTally, "last", bigtable.Time(now), []byte{1})                                                // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) FailFrom(ctx context.Context, u ids.UserID, addr string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamAttempt, "from_"+addr, bigtable.ServerTime, []byte{1}) // want ttlwrite/server-timestamp
	m.Set(schema.FamTally, "from_"+addr, bigtable.ServerTime, []byte{1})   // ok ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) FailBurst(ctx context.Context, u ids.UserID, window time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamAttempt, "burst", bigtable.Time(bootTime.Add(window)), []byte{1})                     // want ttlwrite/stale-clock[thr1]
	m.Set(schema.FamAttempt, "edge", bigtable.Time(l.clk.Now().Add(window)), []byte{1})                   // ok ttlwrite/stale-clock ttlwrite/write-time
	m.Set(schema.FamTally, "boot", bigtable.Now(), []byte(bootTime.Format(time.RFC3339)))                 // ok ttlwrite/stale-clock
	m.Set(schema.FamTally, "window", bigtable.Timestamp(l.clk.Now().UnixNano()), []byte(window.String())) // want ttlunit/wrong-unit
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) Lock(ctx context.Context, u ids.UserID, reason string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLockout, colLocked, bigtable.ServerTime, []byte("1"))    // ok ttlwrite/server-timestamp
	m.Set(schema.FamLockout, colReason, bigtable.ServerTime, []byte(reason)) // ok ttlwrite/same-timestamp
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) LockFor(ctx context.Context, u ids.UserID, reason string, d time.Duration) error {
	ts := bigtable.Time(l.clk.Now().Add(d - schema.LockoutTTL))
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamLockout, colLocked)     // ok ttlwrite/delete-after-set
	m.Set(schema.FamLockout, colLocked, ts, []byte("1"))    // ok ttlwrite/already-expired
	m.Set(schema.FamLockout, colReason, ts, []byte(reason)) // ok ttlwrite/already-expired
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) Unlock(ctx context.Context, u ids.UserID) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLockout, colLocked, bigtable.Time(l.clk.Now().Add(-25*time.Hour)), []byte("0")) // want ttlwrite/already-expired
	m.Set(schema.FamLockout, "soft", bigtable.Time(l.clk.Now().Add(-23*time.Hour)), []byte("0"))    // ok ttlwrite/already-expired
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) UnlockNow(ctx context.Context, u ids.UserID, operator string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamLockout)                             // ok ttlwrite/delete-after-set
	m.DeleteCellsInFamily(schema.FamAttempt)                             // ok ttlwrite/delete-after-set
	m.Set(schema.FamTally, "unlocked", bigtable.Now(), []byte(operator)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) Replace(ctx context.Context, u ids.UserID, reason string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLockout, colReason, bigtable.Now(), []byte(reason))
	m.Set(schema.FamTally, colReason, bigtable.Now(), []byte(reason))
	m.DeleteCellsInFamily(schema.FamLockout) // want ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, string(u), m)
}

func (l *Limiter) Failures(ctx context.Context, u ids.UserID) (int, error) {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAttempt))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamAttempt]), nil
}

func (l *Limiter) LiveFailures(ctx context.Context, u ids.UserID) (int, error) {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(store.In(schema.FamAttempt, store.Live(l.clk.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamAttempt]), nil
}

func (l *Limiter) HandCounted(ctx context.Context, u ids.UserID) (int, error) {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAttempt))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return l.countLive(row[schema.FamAttempt]), nil
}

func (l *Limiter) countLive(items []bigtable.ReadItem) int {
	n, now := 0, l.clk.Now()
	for _, it := range items {
		if it.Timestamp.Time().After(now) {
			n++
		}
	}
	return n
}

func (l *Limiter) SinceBoot(ctx context.Context, u ids.UserID) (int, error) {
	f := store.In(schema.FamAttempt, bigtable.TimestampRangeFilter(bootTime, time.Time{})) // want ttlread/stale-bound[thr2]
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(f))                       // want ttlread/stale-bound[thr2]
	return len(row[schema.FamAttempt]), err
}

func (l *Limiter) Locked(ctx context.Context, u ids.UserID) error {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(store.In(schema.FamLockout, store.Younger(l.clk.Now(), schema.LockoutTTL)))) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return err
	}
	if _, ok := store.First(row, schema.FamLockout, colLocked); ok {
		return ErrLocked
	}
	return nil
}

func (l *Limiter) LockedFast(ctx context.Context, u ids.UserID) error {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(store.Live(l.clk.Now()))) // want ttlread/wrong-bound
	if err != nil {
		return err
	}
	if _, ok := store.First(row, schema.FamLockout, colLocked); ok {
		return ErrLocked
	}
	return nil
}

func (l *Limiter) LockOf(ctx context.Context, u ids.UserID) (Lock, error) {
	row, err := l.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(store.In(schema.FamLockout, bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return Lock{}, err
	}
	var out Lock
	for _, it := range row[schema.FamLockout] {
		out.Reason = string(it.Value)
		out.WrittenAt = it.Timestamp.Time()                        // want ttlage/not-write-time
		out.ExpiresAt = it.Timestamp.Time().Add(schema.LockoutTTL) // ok ttlage/not-write-time
	}
	return out, nil
}

func (l *Limiter) Total(ctx context.Context, u ids.UserID) (uint64, error) {
	row, err := l.tbl.ReadRow(ctx, string(u)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamTally] {
		l.log.Debug("tally", "user", u, "updated", it.Timestamp.Time()) // ok ttlage/not-write-time
		return binary.BigEndian.Uint64(it.Value), nil
	}
	return 0, nil
}

func (l *Limiter) Report(ctx context.Context, u ids.UserID) error {
	row, err := l.tbl.ReadRow(ctx, string(u)) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			l.log.Info("cell", "family", fam, "column", it.Column, "size", len(it.Value))
		}
	}
	return nil
}

func (l *Limiter) Clear(ctx context.Context, u ids.UserID) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(schema.FamAttempt)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamLockout), nil, drop) // ok ttlread/conditional-mutation
	return l.tbl.Apply(ctx, string(u), cond)
}

func (l *Limiter) Escalate(ctx context.Context, u ids.UserID) error {
	more := bigtable.NewMutation()
	more.Set(schema.FamLockout, colLocked, bigtable.Time(l.clk.Now().Add(schema.LockoutTTL)), []byte("2"))                                                // ok ttlwrite/already-expired
	return l.tbl.Apply(ctx, string(u), bigtable.NewCondMutation(store.In(schema.FamLockout, store.Younger(l.clk.Now(), 2*schema.LockoutTTL)), more, nil)) // want ttlread/conditional-mutation
}
