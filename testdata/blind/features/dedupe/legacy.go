package dedupe

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// started is when the process came up; the filters of the replay tool are
// made from it.
var started = time.Now() // want ttlread/stale-bound[started]

// windowEnd is when marks of a batch end.
var windowEnd = bigtable.Time(time.Now().Add(schema.SeenTTL)) // want ttlwrite/stale-clock[end] // want ttlwrite/stale-clock[endonce]

// sinceStart passes marks that are open.
var sinceStart = sync.OnceValue(func() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[once]
})

// Replayer marks events of a replay.
type Replayer struct {
	tbl *bigtable.Table
}

// NewReplayer makes a Replayer.
func NewReplayer(client *bigtable.Client) *Replayer {
	return &Replayer{tbl: client.Open(schema.Dedupe)}
}

// Mark marks one event.
func (r *Replayer) Mark(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, "at", windowEnd, nil) // want ttlwrite/stale-clock[end]
	return r.tbl.Apply(ctx, key, m)
}

// MarkMany marks several.
func (r *Replayer) MarkMany(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := btx.Put(ctx, r.tbl, key, schema.FamSeen, "at", windowEnd, nil); err != nil { // want ttlwrite/stale-clock[endonce]
			return err
		}
	}
	return nil
}

// MarkOnce reads its clock at every call.
func (r *Replayer) MarkOnce(ctx context.Context, keys []string) error {
	end := bigtable.Time(time.Now().Add(schema.SeenTTL))
	for _, key := range keys {
		if err := btx.Put(ctx, r.tbl, key, schema.FamSeen, "at", end, nil); err != nil { // ok ttlwrite/stale-clock
			return err
		}
	}
	return nil
}

// Seen reads a mark.
func (r *Replayer) Seen(ctx context.Context, key string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(btx.LiveAt(started))) // want ttlread/stale-bound[started]
	return len(row) > 0, err
}

// SeenOnce reads a mark.
func (r *Replayer) SeenOnce(ctx context.Context, key string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(sinceStart())) // want ttlread/stale-bound[once]
	return len(row) > 0, err
}

// Uptime is what started is for, too.
func (r *Replayer) Uptime() time.Duration { return time.Since(started) }

// Legacy is the old counter table. Its families have the names of ours, and
// ordinary timestamps.
type Legacy struct {
	tbl *bigtable.Table
}

// NewLegacy opens the old table.
func NewLegacy(client *bigtable.Client) *Legacy {
	return &Legacy{tbl: client.Open(schema.LegacyCounters)}
}

// Count counts an event.
func (l *Legacy) Count(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, "n", 1) // ok ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Note writes when an event was seen last.
func (l *Legacy) Note(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, "last", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	m.Set(schema.FamSeen, "time", bigtable.Now(), nil)      // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, key, m)
}

// Last tells for how long an event was not seen.
func (l *Legacy) Last(ctx context.Context, key string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, key, btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamSeen, "last")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Locks are short locks of the materializer.
type Locks struct {
	tbl   *bigtable.Table
	admin *bigtable.AdminClient
}

// NewLocks opens the lock table, and makes it if it has to.
func NewLocks(ctx context.Context, client *bigtable.Client, admin *bigtable.AdminClient) (*Locks, error) {
	if admin != nil {
		if err := schema.EnsureLocks(ctx, admin); err != nil {
			return nil, err
		}
	}
	return &Locks{tbl: client.Open(schema.RequestLocks), admin: admin}, nil
}

// Try takes a lock.
func (l *Locks) Try(ctx context.Context, name, holder string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(schema.FamLock, schema.ColHolder, btx.ExpiresIn(schema.LockTTL), []byte(holder)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(btx.LiveCell(schema.FamLock, schema.ColHolder), nil, take) // ok ttlread/conditional-mutation
	err := l.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&held))
	return !held, err
}

// Extend keeps a lock.
func (l *Locks) Extend(ctx context.Context, name, holder string) error {
	return btx.Put(ctx, l.tbl, name, schema.FamLock, schema.ColHolder, btx.NowTS(), []byte(holder)) // want ttlwrite/write-time
}

// Holder tells who has a lock.
func (l *Locks) Holder(ctx context.Context, name string) (string, error) {
	v, err := btx.Value(ctx, l.tbl, name, schema.FamLock, schema.ColHolder) // want ttlread/missing-filter
	return string(v), err
}

// HolderNow is Holder for locks that have not ended.
func (l *Locks) HolderNow(ctx context.Context, name string) (string, error) {
	v, err := btx.LiveValue(ctx, l.tbl, name, schema.FamLock, schema.ColHolder) // ok ttlread/missing-filter
	return string(v), err
}
