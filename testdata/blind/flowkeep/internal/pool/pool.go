// Package pool runs activities with bounded concurrency, in the manner of errgroup.
package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Job is one unit of work.
type Job func(ctx context.Context) error

// Group runs jobs and keeps the first error.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	sem    chan struct{}
	once   sync.Once
	err    error
}

// WithContext makes a group of at most n jobs at a time.
func WithContext(ctx context.Context, n int) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	if n < 1 {
		n = 1
	}
	return &Group{ctx: ctx, cancel: cancel, sem: make(chan struct{}, n)}, ctx
}

// Go starts job as soon as there is room.
func (g *Group) Go(job Job) {
	select {
	case g.sem <- struct{}{}:
	case <-g.ctx.Done():
		g.fail(context.Cause(g.ctx))
		return
	}
	g.wg.Go(func() {
		defer func() { <-g.sem }()
		defer func() {
			if r := recover(); r != nil {
				g.fail(fmt.Errorf("pool: job panicked: %v", r))
			}
		}()
		if err := job(g.ctx); err != nil {
			g.fail(err)
		}
	})
}

func (g *Group) fail(err error) {
	g.once.Do(func() {
		g.err = err
		g.cancel(err)
	})
}

// Wait waits for all jobs.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(nil)
	return g.err
}

// Map runs f over in and keeps the order.
func Map[In, Out any](ctx context.Context, n int, in []In, f func(context.Context, In) (Out, error)) ([]Out, error) {
	g, _ := WithContext(ctx, n)
	out := make([]Out, len(in))
	for i, v := range in {
		g.Go(func(ctx context.Context) error {
			o, err := f(ctx, v)
			if err != nil {
				return err
			}
			out[i] = o
			return nil
		})
	}
	return out, g.Wait()
}

// Retry runs job until it succeeds or attempts are used up.
func Retry(ctx context.Context, attempts int, job Job) error {
	var errs []error
	for range attempts {
		err := job(ctx)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}
