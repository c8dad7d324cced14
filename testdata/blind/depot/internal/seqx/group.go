package seqx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
)

// Group runs functions and collects their errors; the first one cancels the
// context of the others.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	sem    chan struct{}
	wg     sync.WaitGroup
	mu     sync.Mutex
	errs   []error
}

// NewGroup makes a group of at most limit functions at a time.
func NewGroup(ctx context.Context, limit int) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{ctx: ctx, cancel: cancel, sem: make(chan struct{}, max(1, limit))}, ctx
}

// Go runs f, when there is room for it.
func (g *Group) Go(f func(context.Context) error) {
	g.sem <- struct{}{}
	g.wg.Go(func() {
		defer func() { <-g.sem }()
		if err := safely(g.ctx, f); err != nil {
			g.mu.Lock()
			g.errs = append(g.errs, err)
			g.mu.Unlock()
			g.cancel(err)
		}
	})
}

// Wait waits for all and returns what went wrong.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(nil)
	return errors.Join(g.errs...)
}

func safely(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f(ctx)
}

// Each runs f over the elements with so many workers.
func Each[A any](ctx context.Context, workers int, in iter.Seq[A], f func(context.Context, A) error) error {
	g, ctx := NewGroup(ctx, workers)
	for a := range in {
		if ctx.Err() != nil {
			break
		}
		g.Go(func(ctx context.Context) error { return f(ctx, a) })
	}
	return g.Wait()
}

// Stage is a step of a pipeline: it reads in, applies f in so many workers
// and closes what it returns when it is done.
func Stage[A, B any](ctx context.Context, workers int, in <-chan A, f func(context.Context, A) (B, error), fail func(error)) <-chan B {
	out := make(chan B)
	var wg sync.WaitGroup
	for range max(1, workers) {
		wg.Go(func() {
			for a := range in {
				b, err := f(ctx, a)
				if err != nil {
					fail(err)
					continue
				}
				select {
				case out <- b:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out
}

// Source sends a sequence down a channel.
func Source[A any](ctx context.Context, in iter.Seq[A]) <-chan A {
	out := make(chan A)
	go func() {
		defer close(out)
		for a := range in {
			select {
			case out <- a:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
