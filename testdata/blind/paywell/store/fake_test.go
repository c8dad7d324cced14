package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// fakeClock stands still until it is moved.
type fakeClock struct{ t time.Time }

func newFakeClock() *fakeClock {
	return &fakeClock{t: time.Date(2024, 5, 17, 10, 30, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time          { return c.t }
func (c *fakeClock) Advance(d time.Duration) { c.t = c.t.Add(d) }

// fakeTable has rows that were put there, and remembers what was asked.
type fakeTable struct {
	rows    map[string]bigtable.Row
	err     error
	applied []string
	counted []string
	reads   int
	options int
}

var _ rows = (*fakeTable)(nil)

func (f *fakeTable) ReadRow(_ context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	f.reads++
	f.options += len(opts)
	return f.rows[row], f.err
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, cb func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	f.reads++
	f.options += len(opts)
	keys := make([]string, 0, len(f.rows))
	for k := range f.rows {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if !cb(f.rows[k]) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, row)
	return f.err
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.applied = append(f.applied, keys...)
	return nil, f.err
}

func (f *fakeTable) ApplyReadModifyWrite(_ context.Context, row string, _ *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	f.counted = append(f.counted, row)
	return f.rows[row], f.err
}

// put adds a cell.
func (f *fakeTable) put(row, family, col string, ts bigtable.Timestamp, value []byte) {
	if f.rows == nil {
		f.rows = make(map[string]bigtable.Row)
	}
	if f.rows[row] == nil {
		f.rows[row] = make(bigtable.Row)
	}
	f.rows[row][family] = append(f.rows[row][family], bigtable.ReadItem{
		Row: row, Column: family + ":" + col, Timestamp: ts, Value: value,
	})
}

// recorder is a mutation that can be looked at.
type recorder struct {
	sets    []cell
	deletes []string
}

type cell struct {
	family, column string
	ts             bigtable.Timestamp
	value          string
}

var _ cells = (*recorder)(nil)

func (r *recorder) Set(family, column string, ts bigtable.Timestamp, value []byte) {
	r.sets = append(r.sets, cell{family, column, ts, string(value)})
}

func (r *recorder) DeleteCellsInColumn(family, column string) {
	r.deletes = append(r.deletes, family+":"+column)
}

func (r *recorder) String() string {
	var b strings.Builder
	for _, s := range r.sets {
		b.WriteString(s.family + ":" + s.column + "@" + s.ts.Time().UTC().Format(time.RFC3339) + " ")
	}
	return b.String()
}

func TestFakeTable(t *testing.T) {
	ft := &fakeTable{}
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colSession, bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	mut.Set(FamTok, colDevice, bigtable.Now(), nil)       // ok ttlwrite/write-time
	if err := ft.Apply(t.Context(), "s#1", mut); err != nil {
		t.Fatal(err)
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamTok, colLogins, 1) // ok ttlwrite/read-modify-write
	if _, err := ft.ApplyReadModifyWrite(t.Context(), "s#1", rmw); err != nil {
		t.Fatal(err)
	}
	if _, err := ft.ReadRow(t.Context(), "s#1"); err != nil { // ok ttlread/missing-filter
		t.Fatal(err)
	}
	if len(ft.applied) != 1 || len(ft.counted) != 1 || ft.reads != 1 {
		t.Errorf("got %+v", ft)
	}
}
