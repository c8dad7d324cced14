// Package fetch is the read side that the gateway's handlers share: generic
// loaders, fan-out over many keys, and streams of rows.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is what a missing row gives.
var ErrNotFound = errors.New("fetch: not found")

// Reader is the part of a table that loaders need.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, set bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// One reads a row and decodes it.
func One[T any](ctx context.Context, tbl Reader, key string, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) (T, error) {
	var none T
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return none, fmt.Errorf("fetch %q: %w", key, err)
	}
	if len(row) == 0 {
		return none, ErrNotFound
	}
	return decode(row)
}

// Many reads rows and decodes them.
func Many[T any](ctx context.Context, tbl Reader, set bigtable.RowSet, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	var bad error
	err := tbl.ReadRows(ctx, set, func(row bigtable.Row) bool {
		v, err := decode(row)
		if err != nil {
			bad = errors.Join(bad, fmt.Errorf("row %q: %w", row.Key(), err))
			return true
		}
		out = append(out, v)
		return true
	}, opts...)
	return out, errors.Join(err, bad)
}

// Stream sends rows into a channel until the table or ctx ends.
func Stream(ctx context.Context, tbl Reader, set bigtable.RowSet, opts ...bigtable.ReadOption) (<-chan bigtable.Row, <-chan error) {
	rows, errs := make(chan bigtable.Row, 64), make(chan error, 1)
	go func() {
		defer close(rows)
		errs <- tbl.ReadRows(ctx, set, func(row bigtable.Row) bool {
			select {
			case rows <- row:
				return true
			case <-ctx.Done():
				return false
			}
		}, opts...)
	}()
	return rows, errs
}

// Fan calls f for every key, on n goroutines.
func Fan[T any](ctx context.Context, n int, keys []string, f func(context.Context, string) (T, error)) (map[string]T, error) {
	ch := make(chan string)
	var mu sync.Mutex
	out := make(map[string]T, len(keys))
	var errs []error
	var wg sync.WaitGroup
	for range max(n, 1) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range ch {
				v, err := f(ctx, k)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				} else {
					out[k] = v
				}
				mu.Unlock()
			}
		}()
	}
	for _, k := range keys {
		select {
		case ch <- k:
		case <-ctx.Done():
			errs = append(errs, ctx.Err())
		}
	}
	close(ch)
	wg.Wait()
	return out, errors.Join(errs...)
}

// Cached remembers what f gave for a while.
type Cached[T any] struct {
	mu  sync.Mutex
	ttl time.Duration
	m   map[string]entry[T]
	f   func(context.Context, string) (T, error)
}

type entry[T any] struct {
	v     T
	until time.Time
}

// NewCached returns a cache before f.
func NewCached[T any](ttl time.Duration, f func(context.Context, string) (T, error)) *Cached[T] {
	return &Cached[T]{ttl: ttl, m: map[string]entry[T]{}, f: f}
}

// Get asks the cache, then f.
func (c *Cached[T]) Get(ctx context.Context, key string) (T, error) {
	c.mu.Lock()
	e, ok := c.m[key]
	c.mu.Unlock()
	if ok && time.Now().Before(e.until) {
		return e.v, nil
	}
	v, err := c.f(ctx, key)
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	c.m[key] = entry[T]{v: v, until: time.Now().Add(c.ttl)}
	c.mu.Unlock()
	return v, nil
}
