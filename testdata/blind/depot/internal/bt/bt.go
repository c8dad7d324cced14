// Package bt is the thin layer between the depot's services and Bigtable:
// value types for timestamps, rows as iterators, filters with names.
package bt

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Table is what the services need of a table.
type Table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rows []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, set bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

var _ Table = (*bigtable.Table)(nil)

// ErrNoRow says that there is no such row, or nothing alive in it.
var ErrNoRow = errors.New("no such row")

// ExpiresAt is the moment at which a cell dies.
type ExpiresAt bigtable.Timestamp

// In is the moment after d.
func In(d time.Duration) ExpiresAt { return At(time.Now().Add(d)) }

// At is the moment t.
func At(t time.Time) ExpiresAt { return ExpiresAt(bigtable.Time(t)) }

// Timestamp is what a cell is written with.
func (e ExpiresAt) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(e) }

// Time is the moment as a time.
func (e ExpiresAt) Time() time.Time { return bigtable.Timestamp(e).Time() }

// Dead says whether the moment has passed.
func (e ExpiresAt) Dead(now time.Time) bool { return e.Time().Before(now) }

// Seq is a sequence number.
type Seq uint64

// Timestamp is what a cell is written with: milliseconds are the finest
// that the service keeps.
func (n Seq) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

// SeqOf is the number of a cell.
func SeqOf(ts bigtable.Timestamp) Seq { return Seq(ts / 1000) }

// Written is the moment of a write, for ordinary families.
type Written time.Time

// Timestamp is what a cell is written with.
func (w Written) Timestamp() bigtable.Timestamp { return bigtable.Time(time.Time(w)) }

// Single is the timestamp of cells that have one version only.
type Single struct{}

// Timestamp is what a cell is written with.
func (Single) Timestamp() bigtable.Timestamp { return 0 }

// Stamp is one of the above.
type Stamp interface {
	ExpiresAt | Seq | Written | Single
	Timestamp() bigtable.Timestamp
}

// Put adds a cell to a mutation.
func Put[S Stamp](m *bigtable.Mutation, f names.Family, column string, at S, value []byte) {
	m.Set(string(f), column, at.Timestamp(), value)
}

// Cell is a cell to be written.
type Cell struct {
	Family names.Family
	Column string
	At     bigtable.Timestamp
	Value  []byte
}

// Cells makes a mutation of cells.
func Cells(cells ...Cell) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(string(c.Family), c.Column, c.At, c.Value)
	}
	return m
}

// Replace deletes a column and writes it anew, so that a shorter life wins
// over a longer one.
func Replace[S Stamp](m *bigtable.Mutation, f names.Family, column string, at S, value []byte) {
	m.DeleteCellsInColumn(string(f), column)
	m.Set(string(f), column, at.Timestamp(), value) // ok ttlwrite/delete-after-set
}

// Rows yields the rows of a set. An error is the last thing it yields.
func Rows(ctx context.Context, t Table, set bigtable.RowSet, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := t.ReadRows(ctx, set, func(r bigtable.Row) bool {
			if !yield(r, nil) {
				stopped = true
			}
			return !stopped
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// One reads a row that has to be there.
func One(ctx context.Context, t Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := t.ReadRow(ctx, key, opts...)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", key, err)
	case len(row) == 0:
		return nil, fmt.Errorf("read %s: %w", key, ErrNoRow)
	}
	return row, nil
}

// Items yields the cells of one family.
func Items(row bigtable.Row, f names.Family) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range row[string(f)] {
			if !yield(it) {
				return
			}
		}
	}
}

// Qualifier is the column of a cell without its family.
func Qualifier(it bigtable.ReadItem) string {
	_, q, _ := strings.Cut(it.Column, ":")
	return q
}

// Value is the newest value of a column in a row.
func Value(row bigtable.Row, f names.Family, column string) ([]byte, bool) {
	for it := range Items(row, f) {
		if Qualifier(it) == column {
			return it.Value, true
		}
	}
	return nil, false
}

// Write is a mutation and the row that it is for.
type Write struct {
	Key string
	Mut *bigtable.Mutation
}

// Bulk applies writes in batches.
func Bulk(ctx context.Context, t Table, in iter.Seq[Write], size int) error {
	var errs []error
	for batch := range seqx.Chunk(in, size) {
		keys := make([]string, len(batch))
		muts := make([]*bigtable.Mutation, len(batch))
		for i, w := range batch {
			keys[i], muts[i] = w.Key, w.Mut
		}
		each, err := t.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		for i, err := range each {
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", keys[i], err))
			}
		}
	}
	return errors.Join(errs...)
}
