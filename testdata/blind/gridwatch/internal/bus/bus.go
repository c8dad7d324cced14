// Package bus holds the channel plumbing that every gridwatch pipeline is built
// from: typed topics, stages, fan-out, fan-in and size/time bounded batches.
package bus

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// ErrClosed is returned by Publish after the topic was closed.
var ErrClosed = errors.New("bus: topic closed")

// Topic is an in-process publish/subscribe topic of one event type. Slow
// subscribers block the publisher: back pressure is the point.
type Topic[T any] struct {
	name string

	mu     sync.RWMutex
	subs   []chan T
	closed bool

	published atomic.Int64
	dropped   atomic.Int64
}

// NewTopic returns an empty topic.
func NewTopic[T any](name string) *Topic[T] {
	return &Topic[T]{name: name}
}

// Name is used in metrics and logs.
func (t *Topic[T]) Name() string { return t.name }

// Subscribe returns a channel that gets every event published from now on.
func (t *Topic[T]) Subscribe(depth int) <-chan T {
	ch := make(chan T, depth)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		close(ch)
		return ch
	}
	t.subs = append(t.subs, ch)
	return ch
}

// Publish hands ev to all subscribers and blocks until each has room.
func (t *Topic[T]) Publish(ctx context.Context, ev T) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return ErrClosed
	}
	for _, ch := range t.subs {
		select {
		case ch <- ev:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.published.Add(1)
	return nil
}

// Offer is Publish for events that may be lost: a full subscriber is skipped.
func (t *Topic[T]) Offer(ev T) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return
	}
	for _, ch := range t.subs {
		select {
		case ch <- ev:
		default:
			t.dropped.Add(1)
		}
	}
	t.published.Add(1)
}

// Close ends all subscriptions.
func (t *Topic[T]) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	for _, ch := range t.subs {
		close(ch)
	}
}

// Stats returns how many events went through and how many were dropped.
func (t *Topic[T]) Stats() (published, dropped int64) {
	return t.published.Load(), t.dropped.Load()
}

// Map runs f over in with n workers and sends what it returns.
func Map[In, Out any](ctx context.Context, n int, in <-chan In, f func(context.Context, In) (Out, error)) (<-chan Out, func() error) {
	out := make(chan Out, n)
	g, ctx := errgroup.WithContext(ctx)
	for range n {
		g.Go(func() error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case v, ok := <-in:
					if !ok {
						return nil
					}
					o, err := f(ctx, v)
					if err != nil {
						return err
					}
					select {
					case out <- o:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			}
		})
	}
	done := make(chan error, 1)
	go func() {
		done <- g.Wait()
		close(out)
	}()
	return out, func() error { return <-done }
}

// Each runs f over in with n workers and returns the first error.
func Each[T any](ctx context.Context, n int, in <-chan T, f func(context.Context, T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for range n {
		g.Go(func() error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case v, ok := <-in:
					if !ok {
						return nil
					}
					if err := f(ctx, v); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// Merge fans several channels into one.
func Merge[T any](ctx context.Context, ins ...<-chan T) <-chan T {
	out := make(chan T)
	var wg sync.WaitGroup
	for _, in := range ins {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range in {
				select {
				case out <- v:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out
}

// Batch groups events: a batch leaves when it has size events or when its first
// event has waited for maxWait.
func Batch[T any](ctx context.Context, in <-chan T, size int, maxWait time.Duration) <-chan []T {
	out := make(chan []T)
	go func() {
		defer close(out)
		var (
			buf   []T
			timer = time.NewTimer(maxWait)
		)
		timer.Stop()
		flush := func() bool {
			if len(buf) == 0 {
				return true
			}
			b := buf
			buf = nil
			timer.Stop()
			select {
			case out <- b:
				return true
			case <-ctx.Done():
				return false
			}
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
				if !flush() {
					return
				}
			case v, ok := <-in:
				if !ok {
					flush()
					return
				}
				if len(buf) == 0 {
					timer.Reset(maxWait)
				}
				buf = append(buf, v)
				if len(buf) >= size && !flush() {
					return
				}
			}
		}
	}()
	return out
}

// Partition spreads in over n channels so that equal keys meet the same channel.
func Partition[T any](ctx context.Context, in <-chan T, n int, key func(T) string) []<-chan T {
	outs := make([]chan T, n)
	ret := make([]<-chan T, n)
	for i := range outs {
		outs[i] = make(chan T, 16)
		ret[i] = outs[i]
	}
	go func() {
		defer func() {
			for _, o := range outs {
				close(o)
			}
		}()
		for v := range in {
			h := uint32(2166136261)
			for _, b := range []byte(key(v)) {
				h = (h ^ uint32(b)) * 16777619
			}
			select {
			case outs[h%uint32(n)] <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ret
}

// Tick publishes the time on a channel until ctx ends.
func Tick(ctx context.Context, every time.Duration) <-chan time.Time {
	out := make(chan time.Time)
	go func() {
		defer close(out)
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-t.C:
				select {
				case out <- now:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}
