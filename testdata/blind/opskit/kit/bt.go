package kit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// ---- timestamps

// ExpireIn is the timestamp of a cell that lives for d.
func ExpireIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// ExpireAt is the timestamp of a cell that lives until t.
func ExpireAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// Stamp is the write time.
func Stamp() bigtable.Timestamp {
	return bigtable.Now()
}

// Seq is the timestamp of sequence number n.
func Seq(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000)
}

// SeqTS is what we had before Seq. TODO: remove.
func SeqTS(n int) bigtable.Timestamp {
	return bigtable.Timestamp(n) // want ttlwrite/unscaled-sequence[seqts_backfill] ttlwrite/unscaled-sequence[seqts_load]
}

// Shifted is the timestamp in a family with default lifetime def of a cell that shall live for d.
func Shifted(def, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d - def))
}

// ---- filters

// Live passes cells that have not expired yet, where the timestamp is the moment of expiry.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// LiveIn is Live for one family and one cell a column.
func LiveIn(family string) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

// Since passes the cells of one family whose timestamp is at most d ago.
func Since(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}),
	)
}

// Newest passes the n newest cells of each column of one family.
func Newest(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Cols passes some columns of one family, newest cell only. It bounds nothing.
func Cols(family string, cols ...string) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.ColumnFilter(strings.Join(cols, "|")),
		bigtable.LatestNFilter(1),
	)
}

// PaymentRow is the whole of a payment as customers would see it now.
func PaymentRow() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("hold|idem"), Live(), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamDetail), bigtable.LatestNFilter(1)),
	)
}

// ScanOpts says what a scan shall see.
type ScanOpts struct {
	Family string
	Live   bool // drop what has expired
	Keys   bool // no values
}

// Filter builds the filter of o.
func (o ScanOpts) Filter() bigtable.Filter {
	parts := []bigtable.Filter{bigtable.FamilyFilter(o.Family), bigtable.LatestNFilter(1)}
	if o.Live {
		parts = append(parts, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if o.Keys {
		parts = append(parts, bigtable.StripValueFilter())
	}
	return bigtable.ChainFilters(parts...)
}

// FamilyView is the filter for one family, live or everything that is still there.
func FamilyView(family string, all bool) bigtable.Filter {
	if all {
		return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1))
	}
	return LiveIn(family)
}

// ---- reads

// ErrNoRow means what it says.
var ErrNoRow = errors.New("no such row")

// Get reads a row, with retries.
func Get(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var row bigtable.Row
	err := Retry(ctx, 4, func() error {
		var err error
		row, err = tbl.ReadRow(ctx, key, opts...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	if len(row) == 0 {
		return nil, ErrNoRow
	}
	Counters.Add("rows_read", 1)
	return row, nil
}

// Exists tells whether there is a row.
func Exists(ctx context.Context, tbl *bigtable.Table, key string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// ExistsIn tells whether there is a row that f lets through.
func ExistsIn(ctx context.Context, tbl *bigtable.Table, key string, f bigtable.Filter) (bool, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(f, bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Scan reads all rows under a prefix. A nil filter reads everything.
func Scan(ctx context.Context, tbl *bigtable.Table, prefix string, filter bigtable.Filter, fn func(bigtable.Row) error) (int, error) {
	var opts []bigtable.ReadOption
	if filter != nil {
		opts = append(opts, bigtable.RowFilter(filter))
	}
	n := 0
	var ferr error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		n++
		ferr = fn(r)
		return ferr == nil
	}, opts...)
	Counters.Add("rows_scanned", int64(n))
	return n, errors.Join(err, ferr)
}

// Keys lists the row keys under a prefix.
func Keys(ctx context.Context, tbl *bigtable.Table, prefix string) ([]string, error) {
	var keys []string
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return keys, err
}

// Value finds the first cell of a column.
func Value(row bigtable.Row, family, column string) []byte {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}

// Cell is Value with the rest of it.
func Cell(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// ---- writes

// Put writes one cell.
func Put(ctx context.Context, tbl *bigtable.Table, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, value)
	return Retry(ctx, 4, func() error { return tbl.Apply(ctx, key, m) })
}

// SetAll sets some columns to one timestamp.
func SetAll(m *bigtable.Mutation, family string, ts bigtable.Timestamp, cols map[string]string) {
	for c, v := range cols {
		m.Set(family, c, ts, []byte(v))
	}
}

// Touch leaves a mark that ops was here.
func Touch(m *bigtable.Mutation, family, who string) {
	m.Set(family, "ops_by", bigtable.ServerTime, []byte(who))
}

// Incr adds n to a counter cell.
func Incr(ctx context.Context, tbl *bigtable.Table, key, family, column string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, n)
	_, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Writer collects mutations and writes them in bulk.
type Writer struct {
	tbl  *bigtable.Table
	size int
	dry  bool
	keys []string
	muts []*bigtable.Mutation
}

// NewWriter returns a writer for tbl.
func (e *Env) NewWriter(tbl *bigtable.Table, size int) *Writer {
	return &Writer{tbl: tbl, size: size, dry: e.DryRun}
}

// Add queues one mutation.
func (w *Writer) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	w.keys = append(w.keys, key)
	w.muts = append(w.muts, m)
	if len(w.keys) >= w.size {
		return w.Flush(ctx)
	}
	return nil
}

// Flush writes what is queued.
func (w *Writer) Flush(ctx context.Context) error {
	if len(w.keys) == 0 {
		return nil
	}
	keys, muts := w.keys, w.muts
	w.keys, w.muts = nil, nil
	if w.dry {
		Counters.Add("dry_rows", int64(len(keys)))
		return nil
	}
	errs, err := w.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	if len(errs) > 0 {
		return fmt.Errorf("%d of %d rows failed, first: %w", len(errs), len(keys), errors.Join(errs...))
	}
	Counters.Add("rows_written", int64(len(keys)))
	return nil
}
