// Package relay sends what the outbox holds, and deletes it.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/event"
	"example.com/saga/policy"
	"example.com/saga/schema"
	"example.com/saga/store"
)

// Publisher sends a message.
type Publisher interface {
	Publish(ctx context.Context, m event.Message) error
}

// PublisherFunc makes a publisher of a function.
type PublisherFunc func(ctx context.Context, m event.Message) error

// Publish calls f.
func (f PublisherFunc) Publish(ctx context.Context, m event.Message) error { return f(ctx, m) }

// started is when this relay began to work.
var started = time.Now() // want ttlwrite/stale-clock[up]

// cutoff is the filter of the status page.
var cutoff = bigtable.TimestampRangeFilter(started, time.Time{}) // want ttlread/stale-bound[cutoff]

type ack struct {
	key string
	mut *bigtable.Mutation
}

// Relay works on some shards.
type Relay struct {
	Box    *store.Outbox
	Pub    Publisher
	Clock  clock.Clock
	Owner  string
	Batch  int64
	Every  time.Duration
	Retry  policy.Retry
	Shards []string

	tbl  bt.Table
	acks chan ack
	wg   sync.WaitGroup
	sent int
}

// Run works until ctx is done.
func (r *Relay) Run(ctx context.Context) error {
	r.tbl = r.Box.Table()
	r.acks = make(chan ack, 64)
	r.wg.Add(1)
	go r.writer(context.WithoutCancel(ctx))
	defer r.wg.Wait()
	defer close(r.acks)
	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for {
		for _, s := range r.Shards {
			if err := r.shard(ctx, s); err != nil && !errors.Is(err, bt.ErrConflict) {
				slog.Error("shard", "shard", s, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (r *Relay) shard(ctx context.Context, shard string) error {
	mine, err := r.Box.Acquire(ctx, shard, r.Owner)
	if err != nil {
		return err
	}
	if !mine {
		return fmt.Errorf("shard %s: %w", shard, bt.ErrConflict)
	}
	msgs, err := r.Box.Waiting(ctx, shard, r.Batch)
	if err != nil {
		return fmt.Errorf("shard %s: %w", shard, err)
	}
	for key, m := range msgs {
		if err := r.send(ctx, m); err != nil {
			slog.Warn("not sent", "key", key, "err", err)
			r.acks <- r.failed(key, err)
			continue
		}
		r.sent++
		r.acks <- r.done(key, m)
	}
	return nil
}

func (r *Relay) send(ctx context.Context, m event.Message) error {
	for try := 0; ; try++ {
		err := r.Pub.Publish(ctx, m)
		if err == nil {
			return nil
		}
		wait, again := r.Retry.Wait(try)
		if !again {
			return err
		}
		time.Sleep(wait)
	}
}

// done deletes a message and leaves a trace for the deduplication of the next half minute.
func (r *Relay) done(key string, m event.Message) ack {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamMsg)
	mut.Set(schema.FamLease, "sent", bt.ExpiresIn(r.Clock, schema.LeaseTTL), []byte(m.ID)) // ok ttlwrite/write-time
	return ack{key: key, mut: mut}
}

// failed leaves a trace of a failure.
func (r *Relay) failed(key string, err error) ack {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "failed", bigtable.ServerTime, []byte(err.Error())) // want ttlwrite/server-timestamp
	return ack{key: key, mut: mut}
}

func (r *Relay) writer(ctx context.Context) {
	defer r.wg.Done()
	u := bt.Begin(r.Retry)
	for a := range r.acks {
		u.Register(r.tbl, a.key, a.mut)
		if u.Len() >= 32 || len(r.acks) == 0 {
			if err := u.Commit(ctx); err != nil {
				slog.Error("acks", "err", err)
			}
		}
	}
}

// Sent tells whether a message was sent just now.
func (r *Relay) Sent(ctx context.Context, key string) (bool, error) {
	return bt.Has(ctx, r.tbl, key, bt.Column(schema.FamLease, "sent", bt.Live(r.Clock))) // ok ttlread/missing-filter
}

// SentEver does it without the time.
func (r *Relay) SentEver(ctx context.Context, key string) (bool, error) {
	return bt.Has(ctx, r.tbl, key, bt.Column(schema.FamLease, "sent", bigtable.PassAllFilter())) // want ttlread/missing-filter
}

// Status is a line of the status page.
type Status struct {
	Key     string
	Owner   string
	Until   time.Time
	Written time.Time
}

// Leases lists the leases of the status page.
func (r *Relay) Leases(ctx context.Context) ([]Status, error) {
	var out []Status
	err := r.Box.Table().ReadRows(ctx, bigtable.PrefixRange("lease#"), func(row bigtable.Row) bool { // want ttlread/stale-bound[cutoff]
		for _, it := range row[schema.FamLease] {
			out = append(out, Status{
				Key:     row.Key(),
				Owner:   string(it.Value),
				Until:   it.Timestamp.Time(), // ok ttlage/not-write-time
				Written: it.Timestamp.Time(), // want ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), cutoff))) // want ttlread/stale-bound[cutoff]
	return out, err
}

// LiveLeases lists them by the clock.
func (r *Relay) LiveLeases(ctx context.Context) ([]Status, error) {
	var out []Status
	live := bigtable.TimestampRangeFilter(r.Clock.Now(), time.Time{})
	err := r.Box.Table().ReadRows(ctx, bigtable.PrefixRange("lease#"), func(row bigtable.Row) bool { // ok ttlread/stale-bound
		for _, it := range row[schema.FamLease] {
			out = append(out, Status{Key: row.Key(), Owner: string(it.Value), Until: it.Timestamp.Time()})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), live)))
	return out, err
}

// Announce stores that this relay is up.
func (r *Relay) Announce(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "up", bigtable.Time(started.Add(time.Hour)), []byte(r.Owner))         // want ttlwrite/stale-clock[up]
	mut.Set(schema.FamLease, "here", bigtable.Time(r.Clock.Now().Add(time.Hour)), []byte(r.Owner)) // ok ttlwrite/stale-clock
	return r.Box.Table().Apply(ctx, "relay#"+r.Owner, mut)
}

// Uptime is for the status page.
func Uptime() time.Duration { return time.Since(started) } // ok ttlage/not-write-time
