// Package etl holds what every pipeline needs: timestamps, filters, bulk
// writes, a worker pool and line readers.
package etl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/schema"
)

// Clock is the time source of jobs that have to be replayable.
type Clock interface {
	Now() time.Time
}

// SystemClock is the real one.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Stamp is the write time.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// ExpiresIn is the timestamp of a cell that lives for d from now.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that lives until t.
func ExpiresAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Shifted is the timestamp of a cell that shall live for life in a family
// which collects after def.
func Shifted(life, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(life - def))
}

// Seq turns a counter into a timestamp that survives millisecond precision.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// SeqOf is the inverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// RawTS takes the number as it is. Deprecated: use Seq.
func RawTS(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Live passes cells that have not expired.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// LiveAt is Live for a job with a clock.
func LiveAt(c Clock) bigtable.Filter {
	return bigtable.TimestampRangeFilter(c.Now(), time.Time{})
}

// Within passes cells of the last d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Newest passes the newest cell of each column.
func Newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

// InFamily restricts f to one family.
func InFamily(family string, f ...bigtable.Filter) bigtable.Filter {
	if len(f) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, f...)...)
}

// Key joins the parts of a row key.
func Key(parts ...string) string { return strings.Join(parts, schema.KeySeparator) }

// SplitKey is the inverse of Key.
func SplitKey(key string) []string { return strings.Split(key, schema.KeySeparator) }

// Salted prefixes key with a shard so that time-ordered keys spread.
func Salted(key string, shards uint32) string {
	var h uint32 = 2166136261
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return fmt.Sprintf("%02d%s%s", h%shards, schema.KeySeparator, key)
}

// Int64 encodes n as Bigtable's counters are.
func Int64(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// ParseInt64 is the inverse of Int64.
func ParseInt64(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("etl: %d bytes are no counter", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Column cuts the family from an item's column.
func Column(it bigtable.ReadItem) string {
	_, col, _ := strings.Cut(it.Column, ":")
	return col
}

// First is the first cell of family:column, or nil.
func First(row bigtable.Row, family, column string) []byte {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}

// Batcher collects mutations and writes them with ApplyBulk.
type Batcher struct {
	tbl  bigtable.TableAPI
	max  int
	log  *slog.Logger
	mu   sync.Mutex
	keys []string
	muts []*bigtable.Mutation
	sent int
}

// NewBatcher makes a Batcher; max 0 means schema.MaxBulkMutation.
func NewBatcher(tbl bigtable.TableAPI, max int, log *slog.Logger) *Batcher {
	if max <= 0 {
		max = schema.MaxBulkMutation
	}
	return &Batcher{tbl: tbl, max: max, log: log}
}

// Add queues one row's mutation and flushes when the batch is full.
func (b *Batcher) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.mu.Lock()
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	full := len(b.keys) >= b.max
	b.mu.Unlock()
	if full {
		return b.Flush(ctx)
	}
	return nil
}

// Flush writes what is queued.
func (b *Batcher) Flush(ctx context.Context) error {
	b.mu.Lock()
	keys, muts := b.keys, b.muts
	b.keys, b.muts = nil, nil
	b.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	start := time.Now()
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return fmt.Errorf("etl: bulk of %d: %w", len(keys), err)
	}
	var all []error
	for i, e := range errs {
		if e != nil {
			all = append(all, fmt.Errorf("row %q: %w", keys[i], e))
		}
	}
	b.mu.Lock()
	b.sent += len(keys) - len(all)
	b.mu.Unlock()
	b.log.Debug("bulk written", "rows", len(keys), "failed", len(all), "took", time.Since(start))
	return errors.Join(all...)
}

// Sent is the number of rows written so far.
func (b *Batcher) Sent() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent
}

// Retry calls f until it succeeds, at most n times, with jittered backoff.
func Retry(ctx context.Context, n int, f func() error) error {
	var err error
	for i := range n {
		if err = f(); err == nil {
			return nil
		}
		wait := time.Duration(1<<i)*50*time.Millisecond + time.Duration(rand.IntN(50))*time.Millisecond
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return fmt.Errorf("etl: gave up after %d tries: %w", n, err)
}

// Scan reads rows, decodes each and hands it to emit. The caller supplies the
// filter: Scan does not know what the cells' timestamps mean.
func Scan[T any](ctx context.Context, tbl bigtable.TableAPI, rs bigtable.RowSet, decode func(bigtable.Row) (T, error), emit func(T) error, opts ...bigtable.ReadOption) error {
	var failed error
	err := tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
		v, err := decode(row)
		if err != nil {
			failed = fmt.Errorf("row %q: %w", row.Key(), err)
			return false
		}
		if err := emit(v); err != nil {
			failed = err
			return false
		}
		return true
	}, opts...)
	return errors.Join(err, failed)
}

// Pool runs n workers over in until it is closed or one fails.
func Pool[T any](ctx context.Context, n int, in <-chan T, work func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
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
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
