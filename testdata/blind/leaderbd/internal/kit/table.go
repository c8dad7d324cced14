package kit

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what stores need of a Bigtable table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// query is what QueryOpts fill.
type query struct {
	filters []bigtable.Filter
	limit   int64
}

// QueryOpt shapes a read.
type QueryOpt func(*query)

// Where adds filters; all of them apply, in order.
func Where(fs ...bigtable.Filter) QueryOpt {
	return func(q *query) { q.filters = append(q.filters, fs...) }
}

// Limit is the largest number of rows.
func Limit(n int64) QueryOpt {
	return func(q *query) { q.limit = n }
}

func (q *query) options() []bigtable.ReadOption {
	var out []bigtable.ReadOption
	switch len(q.filters) {
	case 0:
	case 1:
		out = append(out, bigtable.RowFilter(q.filters[0]))
	default:
		out = append(out, bigtable.RowFilter(bigtable.ChainFilters(q.filters...)))
	}
	if q.limit > 0 {
		out = append(out, bigtable.LimitRows(q.limit))
	}
	return out
}

func build(opts []QueryOpt) []bigtable.ReadOption {
	var q query
	for _, o := range opts {
		o(&q)
	}
	return q.options()
}

// Get reads one row.
func Get(ctx context.Context, t Table, key string, opts ...QueryOpt) (bigtable.Row, error) {
	Metrics.Inc("bt.get")
	return t.ReadRow(ctx, key, build(opts)...)
}

// Rows reads many rows, lazily.
func Rows(ctx context.Context, t Table, rs bigtable.RowSet, opts ...QueryOpt) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		Metrics.Inc("bt.scan")
		stopped := false
		err := t.ReadRows(ctx, rs, func(r bigtable.Row) bool {
			stopped = !yield(r, nil)
			return !stopped
		}, build(opts)...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Cells iterates over one family of a row, by bare column name.
func Cells(row bigtable.Row, family string) iter.Seq2[string, bigtable.ReadItem] {
	return func(yield func(string, bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(strings.TrimPrefix(it.Column, family+":"), it) {
				return
			}
		}
	}
}

// Cell is the newest cell of a column.
func Cell(row bigtable.Row, family, column string) Option[bigtable.ReadItem] {
	for col, it := range Cells(row, family) {
		if col == column {
			return Some(it)
		}
	}
	return None[bigtable.ReadItem]()
}

// Text of a column, or nothing.
func TextOf(row bigtable.Row, family, column string) string {
	return string(Cell(row, family, column).Or(bigtable.ReadItem{}).Value)
}

// Live passes what has not expired, where timestamps are expiries.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Within passes what is younger than d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Latest passes the newest n versions.
func Latest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// In restricts to a family and applies fs there.
func In(family string, fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...)
}

// ExpireIn is the timestamp of a cell that lives for d.
func ExpireIn(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// ExpireAt is the timestamp of a cell that lives until t.
func ExpireAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Shifted is the timestamp of a cell that lives for want in a family that keeps cells for def.
func Shifted(def, want time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(want - def))
}

// Seq is the timestamp of the nth version.
func Seq[N ~int | ~int32 | ~int64 | ~uint64](n N) bigtable.Timestamp {
	return bigtable.Timestamp(int64(n) * 1000)
}

// Stamp is now.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// Edit is one change of a row.
type Edit func(*bigtable.Mutation)

// Put sets a cell.
func Put(family, column string, ts bigtable.Timestamp, v []byte) Edit {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, v) }
}

// PutAny sets a cell to v's JSON.
func PutAny[T any](family, column string, ts bigtable.Timestamp, v T) Edit {
	return Put(family, column, ts, Must(v))
}

// Drop deletes a column.
func Drop(family, column string) Edit {
	return func(m *bigtable.Mutation) { m.DeleteCellsInColumn(family, column) }
}

// When makes an edit conditional.
func When(cond bool, e Edit) Edit {
	if cond {
		return e
	}
	return func(*bigtable.Mutation) {}
}

// Change applies edits to one row.
func Change(ctx context.Context, t Table, key string, edits ...Edit) error {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	return t.Apply(ctx, key, m)
}

// Bump adds n to a counter cell.
func Bump(ctx context.Context, t Table, key, family, column string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, n)
	_, err := t.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Batch collects mutations of one table.
type Batch struct {
	tbl  Table
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch is an empty batch.
func NewBatch(t Table) *Batch { return &Batch{tbl: t} }

// Add appends a change.
func (b *Batch) Add(key string, edits ...Edit) {
	m := bigtable.NewMutation()
	for _, e := range edits {
		e(m)
	}
	b.AddMutation(key, m)
}

// AddMutation appends a finished mutation.
func (b *Batch) AddMutation(key string, m *bigtable.Mutation) {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
}

// Len is the number of changes.
func (b *Batch) Len() int { return len(b.keys) }

// Flush sends everything.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = nil, nil
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
