package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Timetable keeps revisions of trips.
type Timetable struct {
	tbl  *bigtable.Table
	revs map[string]int64
}

// NewTimetable makes a store.
func NewTimetable(s *tables.Set) *Timetable {
	return &Timetable{tbl: s.Timetable, revs: map[string]int64{}}
}

// Publish writes a revision.
func (t *Timetable) Publish(ctx context.Context, trip string, v []byte) error {
	t.revs[trip]++
	m := bigtable.NewMutation()
	m.Set(schema.Rev, "trip", bigtable.Timestamp(t.revs[trip]), v)       // want ttlwrite/unscaled-sequence
	m.Set(schema.Rev, "trip2", bigtable.Timestamp(t.revs[trip]*1000), v) // ok ttlwrite/unscaled-sequence
	return t.tbl.Apply(ctx, trip, m)
}

// Import writes revisions, newest first.
func (t *Timetable) Import(ctx context.Context, trip string, vs [][]byte) error {
	m := bigtable.NewMutation()
	for i, v := range vs {
		m.Set(schema.Rev, "trip", bigtable.Timestamp(len(vs)-i), v) // want ttlwrite/unscaled-sequence
		m.Set(schema.Rev, "alt", clock.Seq(int64(len(vs)-i)), v)    // ok ttlwrite/unscaled-sequence
	}
	return t.tbl.Apply(ctx, trip, m)
}

// Draft writes an unnumbered draft.
func (t *Timetable) Draft(ctx context.Context, trip string, v []byte) error {
	m := bigtable.NewMutation()
	write.Put(m, schema.Rev, "draft", clock.NowTS(), v) // want ttlwrite/clock-in-sequence
	return t.tbl.Apply(ctx, trip, m)
}

// Valid writes when a revision becomes valid.
func (t *Timetable) Valid(ctx context.Context, trip string, from time.Time, v []byte) error {
	m := bigtable.NewMutation()
	write.Put(m, schema.Rev, "valid", clock.At(from), v) // want ttlwrite/clock-in-sequence
	return t.tbl.Apply(ctx, trip, m)
}

// Migrate writes revisions whose numbers were stored as seconds.
func (t *Timetable) Migrate(ctx context.Context, trip string, n int64, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.Rev, "trip", bigtable.Time(time.UnixMilli(n)), v) // ok ttlwrite/clock-in-sequence
	return t.tbl.Apply(ctx, trip, m)
}

// Edits counts edits.
func (t *Timetable) Edits(ctx context.Context, trip string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.Rev, "edits", []byte("x")) // want ttlwrite/read-modify-write
	_, err := t.tbl.ApplyReadModifyWrite(ctx, trip, rmw)
	return err
}

// Current reads the current revision.
func (t *Timetable) Current(ctx context.Context, trip string) ([]byte, error) {
	row, err := read.Row(ctx, t.tbl, trip, read.Opt(read.Latest(1))) // ok ttlread/version-limit
	return read.First(row, schema.Rev), err
}

// Any forgets the limit.
func (t *Timetable) Any(ctx context.Context, trip string) ([]byte, error) {
	row, err := read.Row(ctx, t.tbl, trip) // want ttlread/missing-filter
	return read.First(row, schema.Rev), err
}

// Six reads one more than is kept.
func (t *Timetable) Six(ctx context.Context, trip string) ([]byte, error) {
	row, err := read.Row(ctx, t.tbl, trip, read.Opt(read.Latest(schema.RevKeep+1))) // want ttlread/version-limit
	return read.First(row, schema.Rev), err
}

// Month reads the revisions of a month.
func (t *Timetable) Month(ctx context.Context, prefix string) (n int, err error) {
	err = read.Scan(ctx, t.tbl, prefix, func(r bigtable.Row) error { // want ttlread/wrong-bound[m1]
		n += len(read.First(r, schema.Rev))
		return nil
	}, read.Opt(read.Within(30*24*time.Hour), read.Latest(1))) // want ttlread/wrong-bound[m1]
	return n, err
}

// Year reads the current revisions.
func (t *Timetable) Year(ctx context.Context, prefix string) (n int, err error) {
	err = read.Scan(ctx, t.tbl, prefix, func(r bigtable.Row) error { // ok ttlread/wrong-bound
		n += len(read.First(r, schema.Rev))
		return nil
	}, read.Opt(read.Latest(schema.RevKeep)))
	return n, err
}

// Revision is what the editors see.
type Revision struct {
	Number  int64
	Updated string
}

// Revisions lists revisions.
func (t *Timetable) Revisions(ctx context.Context, trip string) (out []Revision, err error) {
	row, err := t.tbl.ReadRow(ctx, trip, read.Opt(read.Latest(schema.RevKeep))) // ok ttlread/missing-filter
	for _, it := range row[schema.Rev] {
		n := int64(it.Timestamp) / 1000                                                           // ok ttlage/not-write-time
		out = append(out, Revision{Number: n, Updated: it.Timestamp.Time().Format(time.RFC3339)}) // want ttlage/not-write-time
	}
	return out, err
}
