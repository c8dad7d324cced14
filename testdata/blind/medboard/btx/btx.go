// Package btx is the little that every store of the ward board needs on top of the client.
package btx

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrNotFound says that there is no such row or cell.
var ErrNotFound = errors.New("not found")

// Table is what the stores use of a table; *bigtable.Table has it, and so has btxtest.Table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Live keeps the cells of a family whose timestamps are the moment of expiry.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{}) // ok ttlread/upper-bound
}

// Within keeps the cells that are at most ttl old.
func Within(now time.Time, ttl time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-ttl), time.Time{}) // ok ttlread/upper-bound
}

// Family restricts the filters to a family.
func Family(family string, more ...bigtable.Filter) bigtable.Filter {
	if len(more) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, more...)...) // ok ttlunit/invalid-filter
}

// Cell returns the newest cell of a column.
func Cell(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	name := family + ":" + column
	for _, it := range row[family] {
		if it.Column == name {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Value returns the newest value of a column.
func Value(row bigtable.Row, family, column string) string {
	it, _ := Cell(row, family, column)
	return string(it.Value)
}

// Expiry is the timestamp of a cell that dies at t.
func Expiry(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// In is the timestamp of a cell that dies d from now.
func In(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// Stamp is the current time, for ordinary cells.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// Number is the timestamp of the n-th version.
func Number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlunit/wrong-unit

// NumberOf is the reverse of Number.
func NumberOf(it bigtable.ReadItem) int64 { return int64(it.Timestamp) / 1000 } // ok ttlage/not-write-time

// Cells is the port of the stores that need no more than single cells.
type Cells interface {
	Put(ctx context.Context, row, family, column string, ts bigtable.Timestamp, value []byte) error
	Get(ctx context.Context, row string, f bigtable.Filter) (bigtable.Row, error)
	Bump(ctx context.Context, row, family, column string, delta int64) (int64, error)
	Drop(ctx context.Context, row, family, column string) error
}

// TableCells is Cells on a table.
type TableCells struct {
	tbl     Table
	Timeout time.Duration
}

// NewCells returns the cells of a table.
func NewCells(tbl Table) *TableCells { return &TableCells{tbl: tbl, Timeout: 3 * time.Second} }

// Put implements Cells.
func (c *TableCells) Put(ctx context.Context, row, family, column string, ts bigtable.Timestamp, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value)
	if err := c.tbl.Apply(ctx, row, mut); err != nil {
		return fmt.Errorf("put %s %s:%s: %w", row, family, column, err)
	}
	return nil
}

// Get implements Cells. A nil filter means everything.
func (c *TableCells) Get(ctx context.Context, row string, f bigtable.Filter) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	r, err := c.tbl.ReadRow(ctx, row, opts...)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", row, err)
	}
	if len(r) == 0 {
		return nil, ErrNotFound
	}
	return r, nil
}

// Bump implements Cells.
func (c *TableCells) Bump(ctx context.Context, row, family, column string, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, delta)
	r, err := c.tbl.ApplyReadModifyWrite(ctx, row, rmw)
	if err != nil {
		return 0, fmt.Errorf("bump %s %s:%s: %w", row, family, column, err)
	}
	it, ok := Cell(r, family, column)
	if !ok || len(it.Value) != 8 {
		return 0, fmt.Errorf("bump %s %s:%s: no counter", row, family, column)
	}
	var n int64
	for _, b := range it.Value {
		n = n<<8 | int64(b)
	}
	return n, nil
}

// Drop implements Cells.
func (c *TableCells) Drop(ctx context.Context, row, family, column string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(family, column)
	return c.tbl.Apply(ctx, row, mut)
}

// Metered counts what goes through a table.
type Metered struct {
	next                  Table
	Reads, Writes, Failed atomic.Int64
	Slow                  time.Duration
	OnSlow                func(op, row string, took time.Duration)
}

// Meter puts counters before a table.
func Meter(next Table) *Metered { return &Metered{next: next, Slow: 200 * time.Millisecond} }

func (m *Metered) done(op, row string, start time.Time, err error) {
	if err != nil {
		m.Failed.Add(1)
	}
	if took := time.Since(start); took > m.Slow && m.OnSlow != nil { // ok ttlage/not-write-time
		m.OnSlow(op, row, took)
	}
}

// ReadRow implements Table.
func (m *Metered) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	start := time.Now()
	m.Reads.Add(1)
	r, err := m.next.ReadRow(ctx, row, opts...)
	m.done("read", row, start, err)
	return r, err
}

// ReadRows implements Table.
func (m *Metered) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	start := time.Now()
	m.Reads.Add(1)
	err := m.next.ReadRows(ctx, arg, f, opts...)
	m.done("scan", "", start, err)
	return err
}

// Apply implements Table.
func (m *Metered) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	start := time.Now()
	m.Writes.Add(1)
	err := m.next.Apply(ctx, row, mut, opts...)
	m.done("apply", row, start, err)
	return err
}

// ApplyReadModifyWrite implements Table.
func (m *Metered) ApplyReadModifyWrite(ctx context.Context, row string, rmw *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	start := time.Now()
	m.Writes.Add(1)
	r, err := m.next.ApplyReadModifyWrite(ctx, row, rmw)
	m.done("rmw", row, start, err)
	return r, err
}

// Retry calls f until it succeeds, fails for good, or the context ends.
func Retry(ctx context.Context, attempts int, pause time.Duration, f func(context.Context) error) error {
	var err error
	for i := range attempts {
		if err = f(ctx); err == nil || !Transient(err) {
			return err
		}
		wait := pause << i
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
	return fmt.Errorf("after %d attempts: %w", attempts, err)
}

// Transient says whether an error may go away by itself.
func Transient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded:
		return true
	}
	return false
}
