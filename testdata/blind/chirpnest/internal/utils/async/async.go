// Package async is Promise for people who miss it.
package async

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Promise is a value that is being computed.
type Promise[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Go starts f and returns its promise.
func Go[T any](f func() (T, error)) *Promise[T] {
	p := &Promise[T]{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer func() {
			if r := recover(); r != nil {
				p.err = fmt.Errorf("async: panic: %v", r)
			}
		}()
		p.value, p.err = f()
	}()
	return p
}

// Await waits for the promise or the context.
func (p *Promise[T]) Await(ctx context.Context) (T, error) {
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}

// Resolve is a promise that is done already.
func Resolve[T any](v T) *Promise[T] {
	p := &Promise[T]{done: make(chan struct{}), value: v}
	close(p.done)
	return p
}

// All waits for every promise; the first error wins.
func All[T any](ctx context.Context, ps ...*Promise[T]) ([]T, error) {
	out := make([]T, 0, len(ps))
	var errs []error
	for _, p := range ps {
		v, err := p.Await(ctx)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, v)
	}
	return out, errors.Join(errs...)
}

// MapLimit runs f over the inputs, at most n at a time.
func MapLimit[T, U any](ctx context.Context, n int, in []T, f func(context.Context, T) (U, error)) ([]U, error) {
	sem := make(chan struct{}, max(n, 1))
	out := make([]U, len(in))
	errs := make([]error, len(in))
	var wg sync.WaitGroup
	for i, v := range in {
		wg.Add(1)
		sem <- struct{}{}
		go func() {
			defer wg.Done()
			defer func() { <-sem }()
			out[i], errs[i] = f(ctx, v)
		}()
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// Retry is p-retry with linear backoff.
func Retry(ctx context.Context, times int, wait time.Duration, f func(context.Context) error) error {
	var err error
	for i := 0; i < times; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait * time.Duration(i+1)):
		}
	}
	return fmt.Errorf("after %d attempts: %w", times, err)
}

// Debounce calls f once things are quiet for d.
func Debounce(d time.Duration, f func()) func() {
	var mu sync.Mutex
	var t *time.Timer
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if t != nil {
			t.Stop()
		}
		t = time.AfterFunc(d, f)
	}
}
