package btimpl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// BigtableIdempotencyDAO implements dao.IdempotencyDAO.
type BigtableIdempotencyDAO struct {
	table *bigtable.Table
	clock clock.Clock
	ttl   time.Duration
}

var _ dao.IdempotencyDAO = (*BigtableIdempotencyDAO)(nil)

// IdempotencyOption is an option of NewBigtableIdempotencyDAO.
type IdempotencyOption func(*BigtableIdempotencyDAO)

// WithLockTTL sets how long a lock is held.
func WithLockTTL(ttl time.Duration) IdempotencyOption {
	return func(d *BigtableIdempotencyDAO) { d.ttl = ttl }
}

// NewBigtableIdempotencyDAO returns a BigtableIdempotencyDAO.
func NewBigtableIdempotencyDAO(client *bigtable.Client, c clock.Clock, opts ...IdempotencyOption) *BigtableIdempotencyDAO {
	d := &BigtableIdempotencyDAO{table: client.Open(constants.TableIdempotency), clock: c, ttl: constants.LockTTL}
	for _, o := range opts {
		o(d)
	}
	return d
}

func (d *BigtableIdempotencyDAO) expiry(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(d.clock.Now().Add(ttl)).TruncateToMilliseconds()
}

func (d *BigtableIdempotencyDAO) live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{}))
}

// Acquire implements dao.IdempotencyDAO.
func (d *BigtableIdempotencyDAO) Acquire(ctx context.Context, key, owner string) (bool, error) {
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn(constants.FamilyLock, constants.ColOwner)
	take.Set(constants.FamilyLock, constants.ColOwner, d.expiry(d.ttl), []byte(owner)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(filter.LiveFamily(constants.FamilyLock), nil, take) // ok ttlread/conditional-mutation
	if err := d.table.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// AcquireFast was the first version. Dead locks were never released.
func (d *BigtableIdempotencyDAO) AcquireFast(ctx context.Context, key, owner string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(constants.FamilyLock, constants.ColOwner, d.expiry(d.ttl), []byte(owner)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, take) // want ttlread/conditional-mutation
	if err := d.table.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// AcquireNil uses the predicate that means "any cell at all".
func (d *BigtableIdempotencyDAO) AcquireNil(ctx context.Context, key, owner string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(constants.FamilyLock, constants.ColOwner, clock.ExpiresIn(constants.LockTTL), []byte(owner)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(nil, nil, take) // want ttlread/conditional-mutation
	err := d.table.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&held))
	return !held, err
}

// Renew keeps a lock.
func (d *BigtableIdempotencyDAO) Renew(ctx context.Context, key, owner string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColOwner, d.expiry(0), []byte(owner)) // want ttlwrite/write-time
	return d.table.Apply(ctx, key, m)
}

// RenewFor keeps a lock for longer.
func (d *BigtableIdempotencyDAO) RenewFor(ctx context.Context, key, owner string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColOwner, d.expiry(2*constants.LockTTL), []byte(owner)) // ok ttlwrite/write-time
	return d.table.Apply(ctx, key, m)
}

// Complete implements dao.IdempotencyDAO.
func (d *BigtableIdempotencyDAO) Complete(ctx context.Context, key string, response []byte) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColResponse, d.expiry(constants.ResponseTTL), response) // ok ttlwrite/write-time
	return d.table.Apply(ctx, key, m)
}

// CompleteAt stores a response whose deadline may be missing.
func (d *BigtableIdempotencyDAO) CompleteAt(ctx context.Context, key string, response []byte, deadline time.Time) error {
	ts := bigtable.ServerTime
	if !deadline.IsZero() {
		ts = bigtable.Time(deadline)
	}
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColResponse, ts, response) // strict ttlwrite/server-timestamp
	return d.table.Apply(ctx, key, m)
}

// CompleteGuarded is CompleteAt with a default.
func (d *BigtableIdempotencyDAO) CompleteGuarded(ctx context.Context, key string, response []byte, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime {
		ts = d.expiry(constants.ResponseTTL)
	}
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColResponse, ts, response) // ok ttlwrite/server-timestamp
	return d.table.Apply(ctx, key, m)
}

// finish stores a response and what led to it.
func (d *BigtableIdempotencyDAO) finish(ctx context.Context, key string, response []byte, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColResponse, ts, response)
	return d.table.Apply(ctx, key, m)
}

// Fail stores a failure.
func (d *BigtableIdempotencyDAO) Fail(ctx context.Context, key string, cause error) error {
	return d.finish(ctx, key, []byte(cause.Error()), bigtable.ServerTime) // want ttlwrite/server-timestamp
}

// Succeed stores a success.
func (d *BigtableIdempotencyDAO) Succeed(ctx context.Context, key string) error {
	return d.finish(ctx, key, []byte("ok"), d.expiry(constants.ResponseTTL)) // ok ttlwrite/server-timestamp
}

// Skip stores that nothing was done.
func (d *BigtableIdempotencyDAO) Skip(ctx context.Context, key string) error {
	return d.finish(ctx, key, nil, bigtable.Time(d.clock.Now())) // want ttlwrite/write-time
}

// Expire ends a response.
func (d *BigtableIdempotencyDAO) Expire(ctx context.Context, key string) error {
	return d.finish(ctx, key, nil, bigtable.Timestamp(1000)) // want ttlwrite/already-expired
}

// Response implements dao.IdempotencyDAO.
func (d *BigtableIdempotencyDAO) Response(ctx context.Context, key string) ([]byte, error) {
	row, err := d.table.ReadRow(ctx, key, d.live()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return bt.Column(row, constants.FamilyLock, constants.ColResponse), nil
}

// Owner tells who holds a lock. It does not ask whether the lock still stands.
func (d *BigtableIdempotencyDAO) Owner(ctx context.Context, key string) (string, error) {
	row, err := d.table.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyLock, constants.ColOwner), nil
}

// read is shared by the two below.
func (d *BigtableIdempotencyDAO) read(ctx context.Context, key string, extra ...bigtable.ReadOption) (bigtable.Row, error) {
	return d.table.ReadRow(ctx, key, extra...)
}

// Peek reads without a filter.
func (d *BigtableIdempotencyDAO) Peek(ctx context.Context, key string) (string, error) {
	row, err := d.read(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyLock, constants.ColOwner), nil
}

// PeekLive reads with one.
func (d *BigtableIdempotencyDAO) PeekLive(ctx context.Context, key string) (string, error) {
	row, err := d.read(ctx, key, d.live()) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyLock, constants.ColOwner), nil
}

// PeekLatest believes that the newest is the living one.
func (d *BigtableIdempotencyDAO) PeekLatest(ctx context.Context, key string) (string, error) {
	row, err := d.read(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(1)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyLock, constants.ColOwner), nil
}

// PeekBoth has the filter replaced.
func (d *BigtableIdempotencyDAO) PeekBoth(ctx context.Context, key string) (string, error) {
	opts := []bigtable.ReadOption{d.live()}
	opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(constants.ColOwner)))
	row, err := d.table.ReadRow(ctx, key, opts...) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyLock, constants.ColOwner), nil
}

// Release implements dao.IdempotencyDAO.
func (d *BigtableIdempotencyDAO) Release(ctx context.Context, key, owner string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn(constants.FamilyLock, constants.ColOwner)
	pred := bigtable.ChainFilters(bigtable.ColumnFilter(constants.ColOwner), bigtable.ValueFilter(owner))
	return d.table.Apply(ctx, key, bigtable.NewCondMutation(pred, drop, nil)) // ok ttlread/conditional-mutation
}

// Transfer gives a lock to somebody else.
func (d *BigtableIdempotencyDAO) Transfer(ctx context.Context, key, from, to string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyLock, constants.ColOwner, d.expiry(d.ttl), []byte(to)) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.ColumnFilter(constants.ColOwner), bigtable.LatestNFilter(1), bigtable.ValueFilter(from))
	var ok bool
	err := d.table.Apply(ctx, key, bigtable.NewCondMutation(pred, set, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation
	return ok, err
}

// Attempts counts.
func (d *BigtableIdempotencyDAO) Attempts(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyLock, "attempts", 1) // want ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// HeldFor tells how long a lock has been held.
func (d *BigtableIdempotencyDAO) HeldFor(ctx context.Context, key string) (time.Duration, error) {
	row, err := d.read(ctx, key, d.live()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	items := row[constants.FamilyLock]
	if len(items) == 0 {
		return 0, bt.ErrNotFound
	}
	return time.Since(items[0].Timestamp.Time()), nil // want ttlage/not-write-time
}

// StandsFor tells how long a lock will still be held.
func (d *BigtableIdempotencyDAO) StandsFor(ctx context.Context, key string) (time.Duration, error) {
	row, err := d.read(ctx, key, d.live()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	items := row[constants.FamilyLock]
	if len(items) == 0 {
		return 0, bt.ErrNotFound
	}
	return items[0].Timestamp.Time().Sub(d.clock.Now()), nil // ok ttlage/not-write-time
}

// NeverExpires asks whether a response was stored without an expiry.
func (d *BigtableIdempotencyDAO) NeverExpires(ctx context.Context, key string) (bool, error) {
	row, err := d.read(ctx, key, d.live()) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, item := range row[constants.FamilyLock] {
		if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}
