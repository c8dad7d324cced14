// Package kit is the studio's small toolbox: options, results, groups, and
// the thin layer that every store puts between itself and Bigtable.
package kit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Option is a value that may be absent.
type Option[T any] struct {
	v  T
	ok bool
}

// Some is a present value.
func Some[T any](v T) Option[T] { return Option[T]{v: v, ok: true} }

// None is an absent value.
func None[T any]() Option[T] { return Option[T]{} }

// Get is the value and whether there is one.
func (o Option[T]) Get() (T, bool) { return o.v, o.ok }

// Or is the value, or d.
func (o Option[T]) Or(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

// Present says whether there is a value.
func (o Option[T]) Present() bool { return o.ok }

// Then maps a present value.
func Then[T, U any](o Option[T], f func(T) U) Option[U] {
	if !o.ok {
		return None[U]()
	}
	return Some(f(o.v))
}

// Result is a value or an error.
type Result[T any] struct {
	Val T
	Err error
}

// Try runs f and keeps both results.
func Try[T any](f func() (T, error)) Result[T] {
	v, err := f()
	return Result[T]{v, err}
}

// OK is a result without error.
func OK[T any](v T) Result[T] { return Result[T]{Val: v} }

// Fail is a result with an error.
func Fail[T any](err error) Result[T] { return Result[T]{Err: err} }

// Unwrap gives Go's usual pair.
func (r Result[T]) Unwrap() (T, error) { return r.Val, r.Err }

// ErrNotFound is returned where a thing that must be there is not.
var ErrNotFound = errors.New("not found")

// Group runs functions concurrently and keeps the first error.
type Group struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelFunc
	sem    chan struct{}
}

// NewGroup is a group of at most n functions at a time.
func NewGroup(ctx context.Context, n int) (*Group, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &Group{cancel: cancel, sem: make(chan struct{}, max(n, 1))}, ctx
}

// Go starts f.
func (g *Group) Go(f func() error) {
	g.sem <- struct{}{}
	g.wg.Go(func() {
		defer func() { <-g.sem }()
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel()
			})
		}
	})
}

// Wait waits for all functions.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel()
	return g.err
}

// Retry calls f up to n times with jitter in between.
func Retry[T any](ctx context.Context, n int, f func(context.Context) (T, error)) (T, error) {
	var zero T
	var err error
	wait := 20 * time.Millisecond
	for i := range n {
		var v T
		if v, err = f(ctx); err == nil {
			return v, nil
		}
		if i == n-1 {
			break
		}
		select {
		case <-ctx.Done():
			return zero, ctx.Err()
		case <-time.After(wait + rand.N(wait)):
		}
		wait *= 2
	}
	return zero, fmt.Errorf("after %d attempts: %w", n, err)
}

// Codec turns values into cells and back.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// JSON is the codec of nearly everything here.
type JSON[T any] struct{}

// Encode implements Codec.
func (JSON[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSON[T]) Decode(b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// Text is the codec of strings.
type Text struct{}

// Encode implements Codec.
func (Text) Encode(s string) ([]byte, error) { return []byte(s), nil }

// Decode implements Codec.
func (Text) Decode(b []byte) (string, error) { return string(b), nil }

// Must encodes what cannot fail.
func Must(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// SortedKeys is what ranges over maps should use.
func SortedKeys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	return slices.Sorted(maps.Keys(m))
}

// Collect drains a fallible iterator.
func Collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range seq {
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, nil
}

// MapSeq maps a fallible iterator.
func MapSeq[T, U any](seq iter.Seq2[T, error], f func(T) (U, error)) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for v, err := range seq {
			var u U
			if err == nil {
				u, err = f(v)
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

// Counter is a named count.
type Counter struct {
	mu sync.Mutex
	m  map[string]int64
}

// Inc counts one.
func (c *Counter) Inc(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]int64{}
	}
	c.m[name]++
}

// Snapshot copies the counts.
func (c *Counter) Snapshot() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.m)
}

// Metrics is the process's counter.
var Metrics Counter
