// Package cache is the write-behind layer: mutations are collected for a short
// while and flushed in batches by a pool of workers.
package cache

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/telemetry"
)

// ErrStopped is what a stopped cache answers.
var ErrStopped = errors.New("cache: stopped")

// Sink is the part of a table that the cache needs.
type Sink interface {
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Entry is one pending write.
type Entry struct {
	Key   string
	Mut   *bigtable.Mutation
	tries int
}

// Options are how much is collected, and for how long.
type Options struct {
	Every   time.Duration
	Size    int
	Workers int
	Tries   int
}

func (o *Options) defaults() {
	if o.Every <= 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.Size <= 0 {
		o.Size = 200
	}
	if o.Workers <= 0 {
		o.Workers = 4
	}
	if o.Tries <= 0 {
		o.Tries = 3
	}
}

// WriteBehind collects and flushes. Entries of one key stay in order: they go
// to the same worker.
type WriteBehind struct {
	sink    Sink
	opts    Options
	shards  []chan Entry
	wg      sync.WaitGroup
	mu      sync.RWMutex
	stopped bool
	log     *slog.Logger
	flushed *telemetry.Counter
	lost    *telemetry.Counter
	timer   *telemetry.Timer
}

// New starts a cache before sink.
func New(sink Sink, opts Options, reg *telemetry.Registry, log *slog.Logger) *WriteBehind {
	opts.defaults()
	w := &WriteBehind{
		sink:    sink,
		opts:    opts,
		log:     log,
		flushed: reg.Counter("cache.flushed"),
		lost:    reg.Counter("cache.lost"),
		timer:   reg.Timer("cache.flush"),
	}
	for i := range opts.Workers {
		ch := make(chan Entry, opts.Size)
		w.shards = append(w.shards, ch)
		w.wg.Add(1)
		go w.work(i, ch)
	}
	return w
}

// Put enqueues a write. It blocks while the worker is behind.
func (w *WriteBehind) Put(ctx context.Context, e Entry) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.stopped {
		return ErrStopped
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.Key))
	select {
	case w.shards[int(h.Sum32())%len(w.shards)] <- e:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *WriteBehind) work(n int, in <-chan Entry) {
	defer w.wg.Done()
	tick := time.NewTicker(w.opts.Every)
	defer tick.Stop()
	batch := make([]Entry, 0, w.opts.Size)
	for {
		select {
		case e, ok := <-in:
			if !ok {
				for len(batch) > 0 {
					batch = w.flush(n, batch)
				}
				return
			}
			batch = append(batch, e)
			if len(batch) >= w.opts.Size {
				batch = w.flush(n, batch)
			}
		case <-tick.C:
			if len(batch) > 0 {
				batch = w.flush(n, batch)
			}
		}
	}
}

// flush writes the batch and returns what has to be tried again.
func (w *WriteBehind) flush(n int, batch []Entry) []Entry {
	defer w.timer.Since(time.Now())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	keys := make([]string, len(batch))
	muts := make([]*bigtable.Mutation, len(batch))
	for i, e := range batch {
		keys[i], muts[i] = e.Key, e.Mut
	}
	errs, err := w.sink.ApplyBulk(ctx, keys, muts)
	again := batch[:0]
	for i, e := range batch {
		failed := err
		if failed == nil && len(errs) > 0 {
			failed = errs[i]
		}
		switch {
		case failed == nil:
			w.flushed.Inc()
		case e.tries+1 >= w.opts.Tries:
			w.lost.Inc()
			w.log.Error("write lost", "worker", n, "key", e.Key, "err", failed)
		default:
			e.tries++
			again = append(again, e)
		}
	}
	return again
}

// Stop flushes what is left and waits for the workers.
func (w *WriteBehind) Stop(ctx context.Context) error {
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return nil
	}
	w.stopped = true
	for _, ch := range w.shards {
		close(ch)
	}
	w.mu.Unlock()
	done := make(chan struct{})
	go func() { w.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cache: %w with writes pending", ctx.Err())
	}
}
