package collect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Collector takes events in.
type Collector struct {
	tenant  string
	log     *slog.Logger
	events  *btstore.Table
	state   *btstore.Table
	rollups *btstore.Table
	debug   *btstore.Table

	out    *btstore.Batch
	in     chan Event
	taken  atomic.Int64
	refuse atomic.Int64
	wg     sync.WaitGroup
}

// New makes the collector of a tenant.
func New(s *btstore.Store, tenant string, log *slog.Logger) *Collector {
	c := &Collector{
		tenant:  tenant,
		log:     log.With("tenant", tenant),
		events:  s.Table(tenant + "-events"),
		state:   s.Table(stateTable),
		rollups: s.Table(rollupTable),
		debug:   s.Table(debugTable),
		in:      make(chan Event, 1024),
	}
	c.out = c.events.NewBatch(500)
	return c
}

// Take queues an event.
func (c *Collector) Take(ctx context.Context, e Event) error {
	if err := e.Validate(); err != nil {
		c.refuse.Add(1)
		return err
	}
	select {
	case c.in <- e:
		c.taken.Add(1)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run writes events until the context ends.
func (c *Collector) Run(ctx context.Context, workers int) error {
	errc := make(chan error, workers)
	for range workers {
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			errc <- c.work(ctx)
		}()
	}
	c.wg.Wait()
	close(errc)
	var all []error
	for err := range errc {
		all = append(all, err)
	}
	return errors.Join(append(all, c.out.Close(context.WithoutCancel(ctx)))...)
}

func (c *Collector) work(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-c.in:
			if err := c.write(ctx, e); err != nil {
				return err
			}
		}
	}
}

func (c *Collector) write(ctx context.Context, e Event) error {
	dup, err := c.seenBefore(ctx, e.ID)
	if err != nil || dup {
		return err
	}
	m := encode(e)
	if e.Sampled {
		if err := c.trace(ctx, e); err != nil {
			c.log.Warn("trace", "err", err)
		}
	}
	return c.out.Add(ctx, e.Key(), m)
}

// encode makes the mutation of an event.
func encode(e Event) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("ev", "body", bigtable.Time(e.At), e.body())                     // ok ttlwrite/write-time
	m.Set("ev", "taken", bigtable.Now(), nil)                              // ok ttlwrite/write-time
	m.Set("seen", e.ID, bigtable.Time(time.Now().Add(seenFor)), []byte{1}) // ok ttlwrite/write-time
	m.Set("seen", "kind", bigtable.Now(), []byte(e.Kind))                  // want ttlwrite/write-time
	if e.Keep > 0 {
		m.Set("ev", "long", bigtable.Time(time.Now().Add(e.Keep-week)), e.body()) // ok ttlwrite/already-expired
	}
	return m
}

// trace keeps a sampled event for the debug page, where nothing is registered.
func (c *Collector) trace(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set("ev", "body", 0, e.body())                         // ok ttlwrite/already-expired
	m.Set("cursor", "at", bigtable.ServerTime, []byte(e.ID)) // ok ttlwrite/clock-in-zero
	m.Set("seen", "at", bigtable.Now(), nil)                 // ok ttlwrite/write-time
	return c.debug.Apply(ctx, e.Key(), m)
}

// Reprocess writes events of a file again.
func (c *Collector) Reprocess(ctx context.Context, events []Event) error {
	b := c.events.NewBatch(1000)
	for _, e := range events {
		m := bigtable.NewMutation()
		ev.Set(m, "body", e.body())                         // ok ttlwrite/write-time
		seen.SetAt(m, e.ID, bigtable.ServerTime, []byte{1}) // want ttlwrite/server-timestamp
		if err := b.Add(ctx, e.Key(), m); err != nil {
			return err
		}
	}
	return b.Close(ctx)
}

// Backfill writes events of another system, whose times are in milliseconds.
func (c *Collector) Backfill(ctx context.Context, rows []struct {
	ID string
	Ms int64
	At time.Time
}) error {
	b := c.events.NewBatch(1000)
	for _, r := range rows {
		m := bigtable.NewMutation()
		m.Set("ev", "ms", btstore.FromMillis(r.Ms), nil)                 // ok ttlunit/wrong-unit
		m.Set("ev", "at", bigtable.Timestamp(r.At.UnixNano()), nil)      // want ttlunit/wrong-unit
		m.Set("ev", "us", bigtable.Timestamp(r.At.UnixNano()/1000), nil) // ok ttlunit/wrong-unit
		m.Set("ev", "s", bigtable.Timestamp(r.At.Unix()*1e6), nil)       // ok ttlunit/wrong-unit
		m.Set("ev", "x", bigtable.Timestamp(r.At.Unix()*1000), nil)      // want ttlunit/wrong-unit
		m.Set("ev", "lib", btstore.FromTime(r.At), nil)                  // ok ttlunit/wrong-unit
		m.Set("ev", "cut", btstore.Micros(r.At), nil)                    // ok ttlunit/wrong-unit
		if err := b.Add(ctx, r.ID, m); err != nil {
			return err
		}
	}
	return b.Close(ctx)
}

// Shelve keeps an event for a day more than others.
func (c *Collector) Shelve(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	ts := bigtable.Time(time.Now()) + bigtable.Timestamp(24*time.Hour) // want ttlunit/wrong-unit[shelve]
	m.Set("ev", "shelf", ts, e.body())                                 // want ttlunit/wrong-unit[shelve]
	return c.events.Apply(ctx, e.Key(), m)
}

// ShelveRight adds microseconds.
func (c *Collector) ShelveRight(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	ts := bigtable.Time(time.Now()) + bigtable.Timestamp((24 * time.Hour).Microseconds()) // ok ttlunit/wrong-unit
	m.Set("ev", "shelf", ts, e.body())
	return c.events.Apply(ctx, e.Key(), m)
}

// Forget lets an event go at once.
func (c *Collector) Forget(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("ev") // ok ttlwrite/delete-after-set
	ev.SetFor(m, "forgotten", time.Hour, nil)
	m.Set("seen", e.ID, bigtable.Time(time.Now().Add(seenFor)), nil)
	m.DeleteRow() // want ttlwrite/delete-after-set
	return c.events.Apply(ctx, e.Key(), m)
}

// Stats is for the status page.
func (c *Collector) Stats() string {
	return fmt.Sprintf("taken %d refused %d", c.taken.Load(), c.refuse.Load())
}
