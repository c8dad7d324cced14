// Package bigtablex holds what every store needs and the client does not have.
package bigtablex

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Table is what stores need of *bigtable.Table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Reader is the reading half of Table.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Writer is the writing half of Table.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

var _ Table = (*bigtable.Table)(nil)

// ErrNotFound is returned for rows that do not exist.
var ErrNotFound = errors.New("bigtablex: not found")

// NowTS is the current time as the server would round it.
func NowTS() bigtable.Timestamp {
	return bigtable.Now().TruncateToMilliseconds() // ok ttlwrite/write-time
}

// ExpiresIn is the timestamp of a cell that lives for d.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d)) // ok ttlwrite/write-time
}

// ExpiresAt is the timestamp of a cell that lives until t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// ExpiresInAt is ExpiresIn for code that has a clock.
func ExpiresInAt(now time.Time, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(d))
}

// Shifted is the timestamp of a cell that lives for life in a family whose
// policy deletes after def.
func Shifted(life, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(life - def))
}

// Seq is the timestamp of the sequence number n. Bigtable keeps milliseconds,
// so the numbers must be a thousand apart.
func Seq(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000) // ok ttlwrite/unscaled-sequence
}

// SeqOf is the inverse of Seq.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// ExpiresInSeconds is for the callers that have their lifetimes from the old
// JSON configuration.
//
// Deprecated: use ExpiresIn.
func ExpiresInSeconds(sec int64) bigtable.Timestamp {
	return bigtable.Timestamp(time.Now().Unix() + sec) // want ttlunit/wrong-unit
}

// EpochMillis converts the mobile clients' milliseconds.
func EpochMillis(ms int64) bigtable.Timestamp {
	return bigtable.Timestamp(ms * 1000) // ok ttlunit/wrong-unit
}

// FromUnix converts seconds since 1970.
func FromUnix(sec int64) bigtable.Timestamp {
	return bigtable.Timestamp(time.Unix(sec, 0).UnixMicro()) // ok ttlunit/wrong-unit
}

// Live passes the cells that have not expired yet.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // ok ttlread/expired-only
}

// LiveAt is Live for code that has a clock.
func LiveAt(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Within passes the cells that are younger than d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// WithinAt is Within for code that has a clock.
func WithinAt(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Family restricts f to one family.
func Family(name string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(name), f)
}

// Latest passes the newest n cells of every column of one family.
func Latest(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// LiveFamily passes the live cells of one family, the newest of each column.
func LiveFamily(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live(), bigtable.LatestNFilter(1))
}

// LiveOption is Live as a read option.
func LiveOption() bigtable.ReadOption { return bigtable.RowFilter(Live()) }

// KeysOnly strips rows down to one empty cell.
func KeysOnly() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))
}

// Value returns the newest value of a column.
func Value(row bigtable.Row, family, column string) ([]byte, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value, true
		}
	}
	return nil, false
}

// Item returns the newest cell of a column.
func Item(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// String is Value for text.
func String(row bigtable.Row, family, column string) string {
	v, _ := Value(row, family, column)
	return string(v)
}

// Backoff is how ApplyRetry waits.
type Backoff struct {
	Attempts int
	Base     time.Duration
	Max      time.Duration
}

// DefaultBackoff is what stores use.
var DefaultBackoff = Backoff{Attempts: 4, Base: 20 * time.Millisecond, Max: time.Second}

func retryable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}

// ApplyRetry applies m, again and again while the error may go away.
func ApplyRetry(ctx context.Context, tbl Writer, key string, m *bigtable.Mutation) error {
	return ApplyRetryWith(ctx, tbl, key, m, DefaultBackoff)
}

// ApplyRetryWith is ApplyRetry with a backoff of one's own.
func ApplyRetryWith(ctx context.Context, tbl Writer, key string, m *bigtable.Mutation, b Backoff) error {
	var err error
	wait := b.Base
	for i := 0; i < b.Attempts; i++ {
		if err = tbl.Apply(ctx, key, m); err == nil || !retryable(err) {
			break
		}
		jitter := time.Duration(rand.Int63n(int64(wait)/2 + 1))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + jitter):
		}
		if wait *= 2; wait > b.Max {
			wait = b.Max
		}
	}
	if err != nil {
		return fmt.Errorf("apply %q: %w", key, err)
	}
	return nil
}

// BulkWriter collects mutations and writes them in batches.
type BulkWriter struct {
	tbl  Table
	max  int
	keys []string
	muts []*bigtable.Mutation
}

// NewBulkWriter returns a writer that flushes every max mutations.
func NewBulkWriter(tbl Table, max int) *BulkWriter {
	return &BulkWriter{tbl: tbl, max: max}
}

// Add queues one mutation.
func (w *BulkWriter) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	w.keys = append(w.keys, key)
	w.muts = append(w.muts, m)
	if len(w.keys) >= w.max {
		return w.Flush(ctx)
	}
	return nil
}

// Flush writes what is queued.
func (w *BulkWriter) Flush(ctx context.Context) error {
	if len(w.keys) == 0 {
		return nil
	}
	errs, err := w.tbl.ApplyBulk(ctx, w.keys, w.muts)
	if err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	w.keys, w.muts = w.keys[:0], w.muts[:0]
	return errors.Join(errs...)
}

// ReadLive reads one row with the live filter in front of the caller's options.
func ReadLive(ctx context.Context, tbl Reader, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	opts = append([]bigtable.ReadOption{LiveOption()}, opts...)
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, ErrNotFound
	}
	return row, nil
}

// MustRead reads one row and fails if there is none.
func MustRead(ctx context.Context, tbl Reader, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", key, err)
	}
	if row == nil {
		return nil, ErrNotFound
	}
	return row, nil
}
