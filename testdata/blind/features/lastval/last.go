// Package lastval keeps the last value of a signal per entity. All its cells
// have timestamp zero: a new value replaces the old one.
package lastval

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Epoch is the timestamp of every last value.
const Epoch = bigtable.Timestamp(0)

// Store is the table of last values.
type Store[V any] struct {
	tbl btx.Table
	enc func(V) []byte
	dec func([]byte) (V, error)
}

// Floats is a store of numbers.
func Floats(client *bigtable.Client) *Store[float64] {
	return &Store[float64]{tbl: client.Open(schema.Last), enc: btx.EncodeFloat, dec: btx.DecodeFloat}
}

// Ints is a store of counts.
func Ints(client *bigtable.Client) *Store[int64] {
	return &Store[int64]{tbl: client.Open(schema.Last), enc: btx.EncodeInt, dec: btx.DecodeInt}
}

// Put replaces a signal's value.
func (s *Store[V]) Put(ctx context.Context, e btx.Entity, signal string, v V) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLast, signal, Epoch, s.enc(v))                                      // ok ttlwrite/clock-in-zero
	m.Set(schema.FamLast, signal+"_at", Epoch, btx.EncodeTime(time.Now()))              // ok ttlwrite/clock-in-zero ttlwrite/same-timestamp
	m.Set(schema.FamStat, "touched", bigtable.Now().TruncateToMilliseconds(), []byte{}) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, e.Key(), m)
}

// PutAll replaces several signals.
func (s *Store[V]) PutAll(ctx context.Context, e btx.Entity, vs map[string]V) error {
	m := bigtable.NewMutation()
	for _, signal := range slices.Sorted(maps.Keys(vs)) {
		m.Set(schema.FamLast, signal, 0, s.enc(vs[signal])) // ok ttlwrite/clock-in-zero ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// Observe replaces a signal's value by an observation.
func (s *Store[V]) Observe(ctx context.Context, e btx.Entity, signal string, v V) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLast, signal, bigtable.Now(), s.enc(v)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, e.Key(), m)
}

// ObserveAll is Observe for a batch.
func (s *Store[V]) ObserveAll(ctx context.Context, w *btx.Writer, vs iter.Seq2[btx.Entity, V], signal string) error {
	ts := btx.NowTS()
	for e, v := range vs {
		m := bigtable.NewMutation()
		m.Set(schema.FamLast, signal, ts, s.enc(v)) // want ttlwrite/clock-in-zero
		m.Set(schema.FamStat, "observed", ts, nil)  // ok ttlwrite/clock-in-zero
		if err := w.Add(ctx, e.Key(), m); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// Count counts observations. The counter has to survive Put.
func (s *Store[V]) Count(ctx context.Context, e btx.Entity, signal string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLast, signal+"_n", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, e.Key(), rmw)
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamLast, signal+"_n")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return btx.DecodeInt(it.Value)
}

// CountStat counts in the family of counters.
func (s *Store[V]) CountStat(ctx context.Context, e btx.Entity, signal string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamStat, signal+"_n", 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, e.Key(), rmw)
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamStat, signal+"_n")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return btx.DecodeInt(it.Value)
}

// Get reads a signal's value.
func (s *Store[V]) Get(ctx context.Context, e btx.Entity, signal string) (V, error) {
	b, err := btx.Value(ctx, s.tbl, e.Key(), schema.FamLast, signal) // ok ttlread/missing-filter
	if err != nil {
		var zero V
		return zero, err
	}
	return s.dec(b)
}

// All reads an entity's values.
func (s *Store[V]) All(ctx context.Context, e btx.Entity) (map[string]V, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]V{}
	for name, it := range btx.Items(row, schema.FamLast) {
		v, err := s.dec(it.Value)
		if err != nil {
			continue
		}
		out[name] = v
	}
	return out, nil
}

// Age tells how old a signal's value is.
func (s *Store[V]) Age(ctx context.Context, e btx.Entity, signal string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Cell(schema.FamLast, signal))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamLast, signal)
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// AgeOf reads the moment beside the value.
func (s *Store[V]) AgeOf(ctx context.Context, e btx.Entity, signal string) (time.Duration, error) {
	b, err := btx.Value(ctx, s.tbl, e.Key(), schema.FamLast, signal+"_at") // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	at, err := btx.DecodeTime(b)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", e.Key(), signal, err)
	}
	return time.Since(at), nil // ok ttlage/not-write-time
}

// LastTouched is when anything was put.
func (s *Store[V]) LastTouched(ctx context.Context, e btx.Entity) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Cell(schema.FamStat, "touched"))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamStat, "touched")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Swap puts a value and hands back the one before.
func (s *Store[V]) Swap(ctx context.Context, e btx.Entity, signal string, v V) (V, error) {
	old, err := s.Get(ctx, e, signal)
	if err != nil {
		return old, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamLast, signal+"_prev", Epoch, s.enc(old)) // ok ttlwrite/same-timestamp
	m.Set(schema.FamLast, signal, Epoch, s.enc(v))           // ok ttlwrite/clock-in-zero
	return old, s.tbl.Apply(ctx, e.Key(), m)
}

// Log puts the last three values one over the other.
func (s *Store[V]) Log(ctx context.Context, e btx.Entity, vs []V) error {
	m := bigtable.NewMutation()
	for _, v := range vs {
		m.Set(schema.FamLast, "log", Epoch, s.enc(v)) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// LogColumns puts them beside each other.
func (s *Store[V]) LogColumns(ctx context.Context, e btx.Entity, vs []V) error {
	m := bigtable.NewMutation()
	for i, v := range vs {
		m.Set(schema.FamLast, fmt.Sprintf("log%d", i), Epoch, s.enc(v)) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// Clear deletes a signal.
func (s *Store[V]) Clear(ctx context.Context, e btx.Entity, signal string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamLast, signal)
	m.DeleteTimestampRange(schema.FamLast, signal+"_at", 0, 1000) // ok ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, e.Key(), m)
}

// ClearZero deletes what is at zero, and leaves what the first version of
// this package wrote.
func (s *Store[V]) ClearZero(ctx context.Context, e btx.Entity, signal string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamLast, signal, 0, 1) // want ttlunit/sub-millisecond
	return s.tbl.Apply(ctx, e.Key(), m)
}
