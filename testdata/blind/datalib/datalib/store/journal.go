package store

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Journal numbers what happens to a vehicle.
type Journal struct {
	set *tables.Set
	seq int64
	cnt atomic.Int64
}

// NewJournal makes a store.
func NewJournal(s *tables.Set) *Journal { return &Journal{set: s} }

// Append writes an entry with its number.
func (j *Journal) Append(ctx context.Context, key string, n int64, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", clock.Seq(n), v) // ok ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// AppendNext takes the next number.
func (j *Journal) AppendNext(ctx context.Context, key string, v []byte) error {
	j.seq++
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", bigtable.Timestamp(j.seq), v)           // want ttlwrite/unscaled-sequence
	m.Set(schema.Entry, "scaled", bigtable.Timestamp(j.seq*1000), v) // ok ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// AppendAtomic takes the next number without a lock.
func (j *Journal) AppendAtomic(ctx context.Context, key string, v []byte) error {
	n := j.cnt.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "a", bigtable.Timestamp(n), v) // want ttlwrite/unscaled-sequence
	write.Put(m, schema.Entry, "b", clock.Seq(n), v)   // ok ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// AppendAll numbers a slice.
func (j *Journal) AppendAll(ctx context.Context, key string, vs [][]byte) error {
	m := bigtable.NewMutation()
	for i, v := range vs {
		m.Set(schema.Entry, "e", bigtable.Timestamp(i), v)          // want ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "f", bigtable.Timestamp((i+1)*1000), v) // ok ttlwrite/unscaled-sequence
		write.Put(m, schema.Entry, "g", clock.RawSeq(int64(i)), v)  // want ttlwrite/unscaled-sequence
	}
	m.Set(schema.Entry, "len", bigtable.Timestamp(len(vs)), nil) // want ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// Steps counts in thousands.
func (j *Journal) Steps(ctx context.Context, key string, vs [][]byte) error {
	m := bigtable.NewMutation()
	n := 0
	for _, v := range vs {
		n += 1000
		m.Set(schema.Entry, "e", bigtable.Timestamp(n), v) // ok ttlwrite/unscaled-sequence
	}
	return j.set.Journal.Apply(ctx, key, m)
}

// Genesis writes the first entry.
func (j *Journal) Genesis(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "one", 1, nil)         // want ttlwrite/unscaled-sequence
	m.Set(schema.Entry, "thousand", 1000, nil) // ok ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// Now writes entries by the clock.
func (j *Journal) Now(ctx context.Context, key string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "now", bigtable.Now(), nil)                         // want ttlwrite/clock-in-sequence
	m.Set(schema.Entry, "server", bigtable.ServerTime, nil)                 // want ttlwrite/clock-in-sequence
	m.Set(schema.Entry, "at", bigtable.Time(at), nil)                       // want ttlwrite/clock-in-sequence
	m.Set(schema.Entry, "unix", bigtable.Timestamp(time.Now().Unix()), nil) // want ttlwrite/clock-in-sequence
	write.Stamped(m, schema.Entry, "stamped", nil)                          // want ttlwrite/clock-in-sequence
	write.PutFor(m, schema.Entry, "for", time.Hour, nil)                    // want ttlwrite/clock-in-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// Correct replaces an entry under its own number.
func (j *Journal) Correct(ctx context.Context, key string, it bigtable.ReadItem, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", it.Timestamp, v) // ok ttlwrite/clock-in-sequence
	return j.set.Journal.Apply(ctx, key, m)
}

// Fix replaces two entries.
func (j *Journal) Fix(ctx context.Context, key string, n int64, a, b []byte) error {
	ts := clock.Seq(n)
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "fix", ts, a) // ok ttlwrite/same-timestamp
	m.Set(schema.Entry, "fix", ts, b) // want ttlwrite/same-timestamp
	return j.set.Journal.Apply(ctx, key, m)
}

// Total counts entries.
func (j *Journal) Total(ctx context.Context, key string) error {
	return write.Bump(ctx, j.set.Journal, key, schema.Entry, "total", 1) // want ttlwrite/read-modify-write
}

// Last reads the newest entry.
func (j *Journal) Last(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(read.Latest(1))) // ok ttlread/version-limit
	return read.First(row, schema.Entry), err
}

// Three reads the newest entries.
func (j *Journal) Three(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(bigtable.FamilyFilter(schema.Entry), read.Latest(schema.EntryKeep))) // ok ttlread/version-limit
	return read.First(row, schema.Entry), err
}

// Ten reads more than is kept.
func (j *Journal) Ten(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(bigtable.FamilyFilter(schema.Entry), read.Latest(10))) // want ttlread/version-limit
	return read.First(row, schema.Entry), err
}

// All reads what there is.
func (j *Journal) All(ctx context.Context, key string) (out [][]byte, err error) {
	row, err := j.set.Journal.ReadRow(ctx, key) // want ttlread/missing-filter
	for _, it := range row[schema.Entry] {
		out = append(out, it.Value)
	}
	return out, err
}

// Column reads one column of all versions.
func (j *Journal) Column(ctx context.Context, key string) (out [][]byte, err error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(read.Column(schema.Entry, "e"))) // want ttlread/version-limit
	for _, it := range row[schema.Entry] {
		out = append(out, it.Value)
	}
	return out, err
}

// Since reads the entries of the last hour, which there are none.
func (j *Journal) Since(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(read.Within(time.Hour), read.Latest(3))) // want ttlread/wrong-bound
	return read.First(row, schema.Entry), err
}

// Numbered looks one entry up.
func (j *Journal) Numbered(ctx context.Context, key string, n int64) ([]byte, error) {
	f := bigtable.TimestampRangeFilterMicros(clock.Seq(n), clock.Seq(n+1))
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(bigtable.FamilyFilter(schema.Entry), f, read.Latest(1))) // ok ttlread/wrong-bound
	return read.First(row, schema.Entry), err
}

// Some limits after the value filter.
func (j *Journal) Some(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(bigtable.FamilyFilter(schema.Entry), bigtable.ValueFilter("door.*"), read.Latest(1))) // want ttlread/version-limit
	return read.First(row, schema.Entry), err
}

// SomeRight limits first.
func (j *Journal) SomeRight(ctx context.Context, key string) ([]byte, error) {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(bigtable.FamilyFilter(schema.Entry), read.Latest(1), bigtable.ValueFilter("door.*"))) // ok ttlread/version-limit
	return read.First(row, schema.Entry), err
}

// First starts a journal once.
func (j *Journal) First(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", 1000, nil)                                                                         // ok ttlwrite/unscaled-sequence
	return j.set.Journal.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.Entry), nil, m)) // ok ttlread/conditional-mutation
}

// Age logs how old the newest entry is.
func (j *Journal) Age(ctx context.Context, key string) error {
	row, err := j.set.Journal.ReadRow(ctx, key, read.Opt(read.Latest(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	now := time.Now()
	for _, it := range row[schema.Entry] {
		slog.Info("entry", "age", now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		slog.Info("entry", "number", int64(it.Timestamp)/1000)  // ok ttlage/not-write-time
	}
	return nil
}
