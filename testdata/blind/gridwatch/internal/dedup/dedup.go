// Package dedup drops events that came twice. The only family of ingest-dedup, seen,
// holds one cell per event id; its timestamp is when the id may be forgotten.
package dedup

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/store"
)

var (
	once  sync.Once
	epoch time.Time // want ttlwrite/stale-clock[epoch] ttlread/stale-bound[epochread]
)

// start is when the first event came.
func start() time.Time {
	once.Do(func() { epoch = time.Now() }) // want ttlwrite/stale-clock[epoch] ttlread/stale-bound[epochread]
	return epoch
}

// forgetAt was precomputed to spare a call per event.
var forgetAt = bigtable.Time(time.Now().Add(store.SeenTTL)) // want ttlwrite/stale-clock[forget]

// Filter drops duplicates.
type Filter struct {
	tbl  *bigtable.Table
	ttl  time.Duration
	next chan<- events.Envelope
}

// New returns a filter that passes new events on to next.
func New(t *store.Tables, next chan<- events.Envelope) *Filter {
	return &Filter{tbl: t.Dedup, ttl: store.SeenTTL, next: next}
}

// Run consumes envelopes until in is closed.
func (f *Filter) Run(ctx context.Context, workers int, in <-chan events.Envelope) error {
	defer close(f.next)
	return bus.Each(ctx, workers, in, func(ctx context.Context, env events.Envelope) error {
		dup, err := retry.Value(ctx, retry.Default, func(ctx context.Context) (bool, error) { return f.seen(ctx, env) })
		if err != nil {
			return fmt.Errorf("dedup %s: %w", env.ID, err)
		}
		if dup {
			return nil
		}
		select {
		case f.next <- env:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// seen marks an event and reports whether it was marked before.
func (f *Filter) seen(ctx context.Context, env events.Envelope) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(store.FamSeen, "id", bigtable.Time(time.Now().Add(f.ttl)), []byte(env.ID)) // ok ttlwrite/write-time
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	cond := bigtable.NewCondMutation(live, nil, mark) // ok ttlread/conditional-mutation
	var dup bool
	err := f.tbl.Apply(ctx, env.ID, cond, bigtable.GetCondMutationResult(&dup))
	return dup, err
}

// seenEver is what seen was in the first version.
func (f *Filter) seenEver(ctx context.Context, env events.Envelope) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(store.FamSeen, "id", bigtable.ServerTime, []byte(env.ID))     // want ttlwrite/server-timestamp
	cond := bigtable.NewCondMutation(bigtable.LatestNFilter(1), nil, mark) // want ttlread/conditional-mutation
	var dup bool
	err := f.tbl.Apply(ctx, env.ID, cond, bigtable.GetCondMutationResult(&dup))
	return dup, err
}

// Forget drops an id whether it is alive or not.
func (f *Filter) Forget(ctx context.Context, id string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	return f.tbl.Apply(ctx, id, bigtable.NewCondMutation(bigtable.PassAllFilter(), del, nil)) // ok ttlread/conditional-mutation
}

// Preload marks ids that another region has seen.
func (f *Filter) Preload(ctx context.Context, ids <-chan string) error {
	for batch := range bus.Batch(ctx, ids, 200, time.Second) {
		var (
			keys []string
			muts []*bigtable.Mutation
		)
		exp := bigtable.Time(time.Now().Add(f.ttl))
		for _, id := range batch {
			mut := bigtable.NewMutation()
			mut.Set(store.FamSeen, "id", exp, []byte(id))                                        // ok ttlwrite/stale-clock
			mut.Set(store.FamSeen, "region", forgetAt, []byte("remote"))                         // want ttlwrite/stale-clock[forget]
			mut.Set(store.FamSeen, "since", bigtable.Time(start().Add(f.ttl)), []byte("remote")) // want ttlwrite/stale-clock[epoch]
			keys = append(keys, id)
			muts = append(muts, mut)
		}
		if _, err := f.tbl.ApplyBulk(ctx, keys, muts); err != nil {
			return err
		}
	}
	return nil
}

// Known reads an id.
func (f *Filter) Known(ctx context.Context, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, id) // want ttlread/missing-filter
	return len(row) > 0, err
}

// KnownLive reads an id that is alive.
func (f *Filter) KnownLive(ctx context.Context, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, id, bigtable.RowFilter(store.Alive())) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// KnownSince reads with the clock of the first event.
func (f *Filter) KnownSince(ctx context.Context, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(start(), time.Time{}))) // want ttlread/stale-bound[epochread]
	return len(row) > 0, err
}

// Window mistakes the expiry for the time of the event.
func (f *Filter) Window(ctx context.Context, id string) (bool, error) {
	now := time.Now()
	row, err := f.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-store.SeenTTL), time.Time{}))) // want ttlread/wrong-bound
	return len(row) > 0, err
}

// Sample is copied from the client's documentation.
func (f *Filter) Sample(ctx context.Context, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now()))) // want ttlread/expired-only
	return len(row) > 0, err
}

// Size counts ids, forgotten ones too.
func (f *Filter) Size(ctx context.Context) (n int64, err error) {
	err = f.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}
