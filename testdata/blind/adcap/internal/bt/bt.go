// Package bt holds the small interfaces the repositories are written against,
// retries with backoff, and the batch writer.
package bt

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RowReader reads one row.
type RowReader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// RowScanner reads many.
type RowScanner interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Applier writes one row.
type Applier interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// BulkApplier writes many.
type BulkApplier interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Incrementer does read-modify-write.
type Incrementer interface {
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Table is everything together.
type Table interface {
	RowReader
	RowScanner
	Applier
	BulkApplier
	Incrementer
}

var _ Table = (*bigtable.Table)(nil)

// Clock tells the time.
type Clock interface{ Now() time.Time }

// SystemClock is the wall clock.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Backoff is an exponential backoff with jitter.
type Backoff struct {
	Base, Max time.Duration
	Attempts  int
}

// DefaultBackoff is what handlers use.
var DefaultBackoff = Backoff{Base: 20 * time.Millisecond, Max: 2 * time.Second, Attempts: 4}

// ErrGaveUp wraps the last error after all attempts.
var ErrGaveUp = errors.New("bt: gave up")

// Retry calls f until it succeeds, fails for good or the attempts are used up.
func (b Backoff) Retry(ctx context.Context, f func(context.Context) error) error {
	delay := b.Base
	var last error
	for i := 0; i < max(b.Attempts, 1); i++ {
		if last = f(ctx); last == nil {
			return nil
		}
		if !retryable(last) {
			return last
		}
		jitter := time.Duration(rand.Int64N(int64(delay)/2 + 1))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay + jitter):
		}
		delay = min(delay*2, b.Max)
	}
	return fmt.Errorf("%w: %w", ErrGaveUp, last)
}

func retryable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return true
	}
	return false
}

// Value decodes a cell; it is what the generic readers are parameterised with.
type Value interface{ ~string | ~[]byte }

// First returns the first cell of a column, or the zero value.
func First[V Value](row bigtable.Row, family, column string) (V, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return V(it.Value), true
		}
	}
	var zero V
	return zero, false
}

// Rows turns a scan into an iterator.
func Rows(ctx context.Context, s RowScanner, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := s.ReadRows(ctx, set, func(r bigtable.Row) bool {
			if !yield(r, nil) {
				stopped = true
				return false
			}
			return true
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Entry is one row mutation on its way to the batch writer.
type Entry struct {
	Key string
	Mut *bigtable.Mutation
}

// Batcher collects entries and writes them in bulk.
type Batcher struct {
	dst   BulkApplier
	in    chan Entry
	size  int
	every time.Duration
	wg    sync.WaitGroup

	mu   sync.Mutex
	errs []error
}

// NewBatcher starts a batcher over dst.
func NewBatcher(ctx context.Context, dst BulkApplier, size int, every time.Duration) *Batcher {
	b := &Batcher{dst: dst, in: make(chan Entry, size), size: size, every: every}
	b.wg.Add(1)
	go b.run(ctx)
	return b
}

// Add queues an entry.
func (b *Batcher) Add(key string, m *bigtable.Mutation) { b.in <- Entry{key, m} }

// Close flushes and waits.
func (b *Batcher) Close() error {
	close(b.in)
	b.wg.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.errs...)
}

func (b *Batcher) run(ctx context.Context) {
	defer b.wg.Done()
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	var keys []string
	var muts []*bigtable.Mutation
	flush := func() {
		if len(keys) == 0 {
			return
		}
		errs, err := b.dst.ApplyBulk(ctx, keys, muts)
		b.mu.Lock()
		b.errs = append(b.errs, err)
		b.errs = append(b.errs, errs...)
		b.mu.Unlock()
		keys, muts = nil, nil
	}
	for {
		select {
		case e, ok := <-b.in:
			if !ok {
				flush()
				return
			}
			keys = append(keys, e.Key)
			muts = append(muts, e.Mut)
			if len(keys) >= b.size {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}
