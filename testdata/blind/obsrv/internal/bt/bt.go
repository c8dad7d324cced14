// Package bt is the thin layer between the stores and the Bigtable client:
// timestamps, filters, bounded retries, and readers with options.
package bt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what the stores need of a table; *bigtable.Table has it.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// ---- timestamps ----

func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

func ExpiresAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Shift is the timestamp of a cell that should live for want in a family
// whose policy collects at def.
func Shift(want, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(want - def))
}

func Stamp() bigtable.Timestamp {
	return bigtable.Time(time.Now())
}

// ---- filters ----

func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func Younger(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

func And(fs ...bigtable.Filter) bigtable.Filter {
	switch len(fs) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

func InFamily(family string, fs ...bigtable.Filter) bigtable.Filter {
	return And(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...)
}

func Either(a, b bigtable.Filter) bigtable.Filter {
	return bigtable.InterleaveFilters(a, b)
}

// ---- reading ----

// ErrNoRow says that a row has no cells left after filtering.
var ErrNoRow = errors.New("bt: no such row")

// Query describes a scan.
type Query struct {
	Rows    bigtable.RowSet
	Filters []bigtable.Filter
	Limit   int64
}

func (q Query) options() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	if len(q.Filters) > 0 {
		opts = append(opts, bigtable.RowFilter(And(q.Filters...)))
	}
	if q.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.Limit))
	}
	return opts
}

func Collect(ctx context.Context, t Table, q Query) ([]bigtable.Row, error) {
	var rows []bigtable.Row
	err := Retry(ctx, "collect", func() error {
		rows = rows[:0]
		return t.ReadRows(ctx, q.Rows, func(r bigtable.Row) bool {
			rows = append(rows, r)
			return true
		}, q.options()...)
	})
	return rows, err
}

func Each(ctx context.Context, t Table, q Query, f func(bigtable.Row) bool) error {
	return t.ReadRows(ctx, q.Rows, f, q.options()...)
}

func One(ctx context.Context, t Table, key string, fs ...bigtable.Filter) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if len(fs) > 0 {
		opts = append(opts, bigtable.RowFilter(And(fs...)))
	}
	row, err := t.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", key, err)
	}
	if len(row) == 0 {
		return nil, ErrNoRow
	}
	return row, nil
}

func Cell(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	full := family + ":" + column
	for _, it := range row[family] {
		if it.Column == full {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// ---- writing ----

func Put(ctx context.Context, t Table, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, value)
	return Retry(ctx, "put", func() error { return t.Apply(ctx, key, m) })
}

// Batch collects mutations until they are written together.
type Batch struct {
	t    Table
	keys []string
	muts []*bigtable.Mutation
	max  int
}

func NewBatch(t Table, max int) *Batch { return &Batch{t: t, max: max} }

func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
	if len(b.keys) < b.max {
		return nil
	}
	return b.Flush(ctx)
}

func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.t.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = b.keys[:0], b.muts[:0]
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// ---- retries and counters ----

func Retry(ctx context.Context, what string, f func() error) error {
	const attempts = 4
	wait := 50 * time.Millisecond
	var err error
	for i := 0; i < attempts; i++ {
		if err = f(); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		slog.Debug("retrying", "what", what, "attempt", i, "err", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + time.Duration(rand.Int64N(int64(wait)))):
		}
		wait *= 2
	}
	return fmt.Errorf("%s: %w", what, err)
}
