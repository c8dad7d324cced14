package collect

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Stage turns values into other values, or drops them.
type Stage[In, Out any] func(context.Context, In) (Out, bool, error)

// Then runs one stage after another.
func Then[A, B, C any](first Stage[A, B], second Stage[B, C]) Stage[A, C] {
	return func(ctx context.Context, a A) (C, bool, error) {
		var zero C
		b, ok, err := first(ctx, a)
		if err != nil || !ok {
			return zero, false, err
		}
		return second(ctx, b)
	}
}

// Keyed is a mutation with the row that it is for.
type Keyed struct {
	Key string
	Mut *bigtable.Mutation
}

// Sink writes what comes out of a pipeline.
type Sink interface {
	Write(ctx context.Context, ks []Keyed) error
}

type tableSink struct{ tbl *btstore.Table }

func (s tableSink) Write(ctx context.Context, ks []Keyed) error {
	b := s.tbl.NewBatch(len(ks))
	for _, k := range ks {
		if err := b.Add(ctx, k.Key, k.Mut); err != nil {
			return err
		}
	}
	return b.Close(ctx)
}

type countingSink struct {
	Sink
	mu sync.Mutex
	n  int
}

func (s *countingSink) Write(ctx context.Context, ks []Keyed) error {
	s.mu.Lock()
	s.n += len(ks)
	s.mu.Unlock()
	return s.Sink.Write(ctx, ks)
}

// Pump drains a channel through a stage into a sink.
func Pump[T any](ctx context.Context, in <-chan T, stage Stage[T, Keyed], sink Sink, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var pending []Keyed
	flush := func() error {
		if len(pending) == 0 {
			return nil
		}
		err := sink.Write(ctx, pending)
		pending = pending[:0]
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return flush()
		case v, ok := <-in:
			if !ok {
				return flush()
			}
			k, keep, err := stage(ctx, v)
			if err != nil {
				return err
			}
			if keep {
				pending = append(pending, k)
			}
		case <-tick.C:
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

func normalise(_ context.Context, e Event) (Event, bool, error) {
	if e.At.After(time.Now().Add(time.Hour)) {
		return e, false, nil
	}
	e.At = e.At.UTC().Truncate(time.Millisecond)
	return e, e.Validate() == nil, nil
}

func toEvent(_ context.Context, e Event) (Keyed, bool, error) {
	return Keyed{Key: e.Key(), Mut: encode(e)}, true, nil
}

// toPresence remembers that a user was there, until a day from now.
func toPresence(_ context.Context, e Event) (Keyed, bool, error) {
	m := bigtable.NewMutation()
	m.Set("seen", "here", bigtable.Time(time.Now().Add(seenFor)), nil) // ok ttlwrite/write-time
	m.Set("seen", "kind", bigtable.ServerTime, []byte(e.Kind))         // want ttlwrite/server-timestamp
	return Keyed{Key: "user#" + e.User, Mut: m}, true, nil
}

// toWindow counts in the windows of the state table.
func toWindow(_ context.Context, e Event) (Keyed, bool, error) {
	m := bigtable.NewMutation()
	m.Set("window", e.Kind, bigtable.ServerTime, []byte(e.ID)) // ok ttlwrite/server-timestamp
	m.Set("cursor", e.Kind, bigtable.Now(), []byte(e.ID))      // want ttlwrite/clock-in-zero
	return Keyed{Key: e.Tenant, Mut: m}, true, nil
}

// Pipelines starts the pipelines of a collector.
func (c *Collector) Pipelines(ctx context.Context, events, presence, windows <-chan Event) error {
	var wg sync.WaitGroup
	errs := make([]error, 3)
	run := func(i int, in <-chan Event, stage Stage[Event, Keyed], sink Sink) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = Pump(ctx, in, Then(normalise, stage), sink, time.Second)
		}()
	}
	run(0, events, toEvent, &countingSink{Sink: tableSink{c.events}})
	run(1, presence, toPresence, tableSink{c.events})
	run(2, windows, toWindow, &countingSink{Sink: tableSink{c.state}})
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
