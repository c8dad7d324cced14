package btx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"cloud.google.com/go/bigtable"
)

// Table is what the platform uses of a table, so that tests can fake it.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// ErrNotFound says that a row or a cell is not there.
var ErrNotFound = errors.New("not found")

// Scan iterates over rows.
func Scan(ctx context.Context, tbl Table, rs bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
			if !yield(row, nil) {
				stopped = true
			}
			return !stopped
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Decode iterates over rows and decodes each.
func Decode[T any](ctx context.Context, tbl Table, rs bigtable.RowSet, dec func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range Scan(ctx, tbl, rs, opts...) {
			var v T
			if err == nil {
				v, err = dec(row)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Collect is Decode into a slice.
func Collect[T any](ctx context.Context, tbl Table, rs bigtable.RowSet, dec func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) ([]T, error) {
	var all []T
	for v, err := range Decode(ctx, tbl, rs, dec, opts...) {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// First is the first cell of a column.
func First(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Items iterates over a family's cells by qualifier.
func Items(row bigtable.Row, family string) iter.Seq2[string, bigtable.ReadItem] {
	return func(yield func(string, bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(it.Column[len(family)+1:], it) {
				return
			}
		}
	}
}

// Value reads the newest cell of one column.
func Value(ctx context.Context, tbl Table, key, family, column string) ([]byte, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(Cell(family, column)))
	if err != nil {
		return nil, fmt.Errorf("read %s %s:%s: %w", key, family, column, err)
	}
	it, ok := First(row, family, column)
	if !ok {
		return nil, ErrNotFound
	}
	return it.Value, nil
}

// LiveValue is Value for families of expiring cells.
func LiveValue(ctx context.Context, tbl Table, key, family, column string) ([]byte, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(LiveCell(family, column)))
	if err != nil {
		return nil, fmt.Errorf("read %s %s:%s: %w", key, family, column, err)
	}
	it, ok := First(row, family, column)
	if !ok {
		return nil, ErrNotFound
	}
	return it.Value, nil
}

// Put writes one cell.
func Put(ctx context.Context, tbl Table, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v)
	return tbl.Apply(ctx, key, m)
}

// Keys collects the keys of a range.
func Keys(ctx context.Context, tbl Table, rs bigtable.RowSet) ([]string, error) {
	var keys []string
	err := tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	slices.Sort(keys)
	return keys, err
}

// DeleteAll deletes the rows of a range, in chunks.
func DeleteAll(ctx context.Context, tbl Table, rs bigtable.RowSet) (int, error) {
	keys, err := Keys(ctx, tbl, rs)
	if err != nil {
		return 0, err
	}
	n := 0
	for chunk := range slices.Chunk(keys, 500) {
		muts := make([]*bigtable.Mutation, len(chunk))
		for i := range chunk {
			muts[i] = bigtable.NewMutation()
			muts[i].DeleteRow()
		}
		errs, err := tbl.ApplyBulk(ctx, chunk, muts)
		if err != nil {
			return n, err
		}
		if err := errors.Join(errs...); err != nil {
			return n, err
		}
		n += len(chunk)
	}
	return n, nil
}
