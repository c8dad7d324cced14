// Package pipeline has the stages from which the services are built.
package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Stage transforms one item. A false result drops it.
type Stage[I, O any] func(context.Context, I) (O, bool)

// Map runs stage over in with the given number of workers. The result is
// closed when in is closed and every worker is done.
func Map[I, O any](ctx context.Context, in <-chan I, workers int, stage Stage[I, O]) <-chan O {
	out := make(chan O, workers)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for item := range in {
				o, ok := stage(ctx, item)
				if !ok {
					continue
				}
				select {
				case out <- o:
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

// Batch collects items until size is reached or every has passed.
func Batch[T any](ctx context.Context, in <-chan T, size int, every time.Duration) <-chan []T {
	out := make(chan []T)
	go func() {
		defer close(out)
		tick := time.NewTicker(every)
		defer tick.Stop()
		var batch []T
		flush := func() bool {
			if len(batch) == 0 {
				return true
			}
			select {
			case out <- batch:
				batch = nil
				return true
			case <-ctx.Done():
				return false
			}
		}
		for {
			select {
			case item, ok := <-in:
				if !ok {
					flush()
					return
				}
				batch = append(batch, item)
				if len(batch) >= size && !flush() {
					return
				}
			case <-tick.C:
				if !flush() {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
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

// Drain calls f for every item until in is closed.
func Drain[T any](ctx context.Context, in <-chan T, f func(context.Context, T) error) error {
	var errs []error
	for {
		select {
		case v, ok := <-in:
			if !ok {
				return errors.Join(errs...)
			}
			if err := f(ctx, v); err != nil {
				errs = append(errs, err)
			}
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
}

// ErrPermanent stops a retry loop at once.
var ErrPermanent = errors.New("permanent")

// Backoff describes a retry loop.
type Backoff struct {
	Attempts int
	Base     time.Duration
	Cap      time.Duration
}

// Retry calls f until it succeeds, fails for good, or the attempts are used up.
func Retry(ctx context.Context, b Backoff, f func(context.Context) error) error {
	wait := b.Base
	var err error
	for i := range max(b.Attempts, 1) {
		if err = f(ctx); err == nil || errors.Is(err, ErrPermanent) {
			return err
		}
		if i == b.Attempts-1 {
			break
		}
		jitter := time.Duration(rand.Int64N(int64(wait)/2 + 1))
		select {
		case <-time.After(wait + jitter):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
		wait = min(wait*2, b.Cap)
	}
	return err
}

// Value is Retry for a function with a result.
func Value[T any](ctx context.Context, b Backoff, f func(context.Context) (T, error)) (T, error) {
	var out T
	err := Retry(ctx, b, func(ctx context.Context) error {
		v, err := f(ctx)
		if err == nil {
			out = v
		}
		return err
	})
	return out, err
}

// Group runs functions until the first error and cancels the rest.
type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	stop context.CancelFunc
}

// NewGroup returns a group and its context.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &Group{stop: cancel}, ctx
}

// Go runs f.
func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil && !errors.Is(err, context.Canceled) {
			g.once.Do(func() {
				g.err = err
				g.stop()
			})
		}
	}()
}

// Wait waits for all and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.stop()
	return g.err
}
