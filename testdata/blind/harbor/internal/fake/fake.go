// Package fake has a table in memory, good enough for tests.
package fake

import (
	"context"
	"sort"
	"strings"
	"sync"

	"cloud.google.com/go/bigtable"
)

// Table remembers rows that tests put into it and mutations that code applied.
type Table struct {
	mu      sync.Mutex
	Rows    map[string]bigtable.Row
	Applied map[string]int
	Err     error
	Opts    int
}

// New returns an empty table.
func New() *Table { return &Table{Rows: map[string]bigtable.Row{}, Applied: map[string]int{}} }

// Put sets a cell.
func (t *Table) Put(key, fam, col string, ts bigtable.Timestamp, val string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.Rows[key]
	if row == nil {
		row = bigtable.Row{}
		t.Rows[key] = row
	}
	row[fam] = append(row[fam], bigtable.ReadItem{Row: key, Column: fam + ":" + col, Timestamp: ts, Value: []byte(val)})
}

// Apply counts.
func (t *Table) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Applied[row]++
	return t.Err
}

// ApplyBulk counts.
func (t *Table) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range keys {
		t.Applied[k]++
	}
	return nil, t.Err
}

// ReadRow returns a row.
func (t *Table) ReadRow(_ context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Opts = len(opts)
	return t.Rows[row], t.Err
}

// ReadRows calls f for all rows; the range is taken for a prefix.
func (t *Table) ReadRows(_ context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Opts = len(opts)
	var keys []string
	for k := range t.Rows {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if rr, ok := arg.(bigtable.RowRange); ok && !rr.Contains(k) {
			continue
		}
		if strings.HasPrefix(k, "_") {
			continue
		}
		if !f(t.Rows[k]) {
			break
		}
	}
	return t.Err
}
