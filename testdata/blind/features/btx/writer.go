package btx

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Writer collects mutations and applies them in bulk. It is safe for
// concurrent use.
type Writer struct {
	tbl   Table
	limit int
	log   *slog.Logger

	mu   sync.Mutex
	keys []string
	muts []*bigtable.Mutation
	n    int64
}

// NewWriter makes a writer that flushes after limit rows.
func NewWriter(tbl Table, limit int, log *slog.Logger) *Writer {
	if limit <= 0 {
		limit = 200
	}
	return &Writer{tbl: tbl, limit: limit, log: log}
}

// Add appends a row's mutation, and flushes when it is time.
func (w *Writer) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	w.mu.Lock()
	w.keys = append(w.keys, key)
	w.muts = append(w.muts, m)
	full := len(w.keys) >= w.limit
	w.mu.Unlock()
	if full {
		return w.Flush(ctx)
	}
	return nil
}

// Set is Add for one cell.
func (w *Writer) Set(ctx context.Context, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v)
	return w.Add(ctx, key, m)
}

// Flush applies what is there.
func (w *Writer) Flush(ctx context.Context) error {
	w.mu.Lock()
	keys, muts := w.keys, w.muts
	w.keys, w.muts = nil, nil
	w.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	var last error
	for try := range 4 {
		errs, err := w.tbl.ApplyBulk(ctx, keys, muts)
		if err == nil && len(errs) == 0 {
			w.mu.Lock()
			w.n += int64(len(keys))
			w.mu.Unlock()
			return nil
		}
		if err != nil {
			last = err
		} else {
			var k []string
			var m []*bigtable.Mutation
			for i, e := range errs {
				if e != nil {
					k, m, last = append(k, keys[i]), append(m, muts[i]), e
				}
			}
			keys, muts = k, m
		}
		w.log.Warn("bulk apply failed", "rows", len(keys), "try", try, "err", last)
		select {
		case <-ctx.Done():
			return errors.Join(last, ctx.Err())
		case <-time.After(Backoff(try)):
		}
	}
	return last
}

// Written is the number of rows that went through.
func (w *Writer) Written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// Pool runs work on n goroutines until the channel ends or one fails.
func Pool[T any](ctx context.Context, n int, in <-chan T, work func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-ctx.Done():
					return
				case v, ok := <-in:
					if !ok {
						return
					}
					if err := work(ctx, v); err != nil {
						cancel(err)
						return
					}
				}
			}
		}()
	}
	wg.Wait()
	return context.Cause(ctx)
}
