// Package btx holds what all stores share on top of the Bigtable client.
package btx

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what the stores need of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Stats counts calls of one table.
type Stats struct {
	Reads, Scans, Writes, Errors atomic.Int64
	Nanos                        atomic.Int64
}

type instrumented struct {
	name  string
	next  Table
	stats *Stats
	log   *slog.Logger
}

// Instrument wraps next with counters and slow-call logging.
func Instrument(name string, next Table, stats *Stats) Table {
	if stats == nil {
		stats = new(Stats)
	}
	return &instrumented{name: name, next: next, stats: stats, log: slog.Default().With("table", name)}
}

func (t *instrumented) done(op string, start time.Time, err *error) {
	d := time.Since(start)
	t.stats.Nanos.Add(int64(d))
	if *err != nil {
		t.stats.Errors.Add(1)
	}
	if d > 500*time.Millisecond {
		t.log.Warn("slow call", "op", op, "took", d, "err", *err)
	}
}

func (t *instrumented) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (r bigtable.Row, err error) {
	t.stats.Reads.Add(1)
	defer t.done("ReadRow", time.Now(), &err)
	return t.next.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
}

func (t *instrumented) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) (err error) {
	t.stats.Scans.Add(1)
	defer t.done("ReadRows", time.Now(), &err)
	return t.next.ReadRows(ctx, arg, f, opts...) // ok ttlread/missing-filter
}

func (t *instrumented) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) (err error) {
	t.stats.Writes.Add(1)
	defer t.done("Apply", time.Now(), &err)
	return t.next.Apply(ctx, row, m, opts...)
}

func (t *instrumented) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) (errs []error, err error) {
	t.stats.Writes.Add(int64(len(keys)))
	defer t.done("ApplyBulk", time.Now(), &err)
	return t.next.ApplyBulk(ctx, keys, muts, opts...)
}

func (t *instrumented) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (r bigtable.Row, err error) {
	t.stats.Writes.Add(1)
	defer t.done("ApplyReadModifyWrite", time.Now(), &err)
	return t.next.ApplyReadModifyWrite(ctx, row, m)
}

// Expiry is the timestamp of a cell that shall live for d, in a family whose timestamps are expiries.
func Expiry(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// Until is the timestamp of a cell that shall live until t.
func Until(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// Stamp is the timestamp of an ordinary cell.
func Stamp() bigtable.Timestamp {
	return bigtable.Now()
}

// Sequence is the timestamp of the n-th version.
func Sequence(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000)
}

// Number is the reverse of Sequence.
func Number(ts bigtable.Timestamp) int64 {
	return int64(ts) / 1000
}

// Plain is the timestamp n as it is.
func Plain(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n)
}

// Millis is the timestamp of a time that a client sent us.
func Millis(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMilli()) // want ttlunit/wrong-unit
}

// Micros is Millis as it should be.
func Micros(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMicro()) // ok ttlunit/wrong-unit
}

// Live passes cells that have not expired yet, of families whose timestamps are expiries.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Younger passes cells whose timestamps are at most d old.
func Younger(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Of restricts f to a family.
func Of(family string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), f)
}

// Newest is the read option that everybody wants.
func Newest(n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.LatestNFilter(n))
}

// LiveOf is the read option for one family of expiring cells.
func LiveOf(family string) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), Live(), bigtable.LatestNFilter(1)))
}

// Put sets a column and does not mind an empty value.
func Put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value string) {
	if value == "" {
		return
	}
	m.Set(family, column, ts, []byte(value))
}

// Int encodes n as Increment does.
func Int(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// ParseInt decodes what Int or Increment wrote.
func ParseInt(b []byte) int64 {
	if len(b) != 8 {
		n, _ := strconv.ParseInt(string(b), 10, 64)
		return n
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Item returns the first cell of a column.
func Item(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	name := family + ":" + column
	for _, it := range row[family] {
		if it.Column == name {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Cell returns the first cell's value.
func Cell(row bigtable.Row, family, column string) []byte {
	it, _ := Item(row, family, column)
	return it.Value
}

// ErrGiveUp ends a retry at once.
var ErrGiveUp = errors.New("give up")

// Retry calls f until it succeeds, attempts are used up or ctx ends.
func Retry(ctx context.Context, attempts int, f func(context.Context) error) error {
	var err error
	for i := range attempts {
		if err = f(ctx); err == nil || errors.Is(err, ErrGiveUp) {
			return err
		}
		wait := time.Duration(50<<i)*time.Millisecond + time.Duration(rand.Int64N(int64(20*time.Millisecond)))
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
	return err
}

// Batch collects mutations and applies them in groups.
type Batch struct {
	tbl  Table
	size int
	keys []string
	muts []*bigtable.Mutation
	Sent int
}

// NewBatch returns a batch that writes to tbl.
func NewBatch(tbl Table, size int) *Batch {
	return &Batch{tbl: tbl, size: size}
}

// Add queues one mutation.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	if len(b.keys) < b.size {
		return nil
	}
	return b.Flush(ctx)
}

// Flush writes what is queued.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.Sent += len(b.keys)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
