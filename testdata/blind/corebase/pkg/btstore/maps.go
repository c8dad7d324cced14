package btstore

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// TTLMap is one column of an expiring family, as a map.
type TTLMap[V any] struct {
	tbl    *Table
	fam    Expiring
	column string
	codec  Codec[V]
}

// NewTTLMap makes a map of a column.
func NewTTLMap[V any](tbl *Table, fam Expiring, column string, codec Codec[V]) *TTLMap[V] {
	return &TTLMap[V]{tbl: tbl, fam: fam, column: column, codec: codec}
}

// Put stores a value for the family's usual lifetime.
func (m *TTLMap[V]) Put(ctx context.Context, key string, v V) error {
	b, err := m.codec.Encode(v)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	m.fam.Replace(mut, m.column, m.fam.ttl, b) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, key, mut)
}

// Get reads a value that has not expired.
func (m *TTLMap[V]) Get(ctx context.Context, key string) (V, error) {
	return Fetch(ctx, m.tbl, key, m.decode, Where(m.fam.Live()), Columns(m.fam.name, m.column)) // ok ttlread/missing-filter
}

// Peek reads a value that may have expired.
func (m *TTLMap[V]) Peek(ctx context.Context, key string) (V, error) {
	return Fetch(ctx, m.tbl, key, m.decode, Columns(m.fam.name, m.column)) // want ttlread/missing-filter[peek]
}

func (m *TTLMap[V]) decode(row bigtable.Row) (v V, err error) {
	b := Value(row, m.fam.name, m.column)
	if b == nil {
		return v, ErrNotFound
	}
	return m.codec.Decode(b)
}

// Versioned is one column of a numbered family.
type Versioned[V any] struct {
	tbl *Table
	fam Sequence
	col Col[V]
}

// NewVersioned makes it.
func NewVersioned[V any](tbl *Table, fam Sequence, column string, codec Codec[V]) Versioned[V] {
	return Versioned[V]{tbl: tbl, fam: fam, col: NewCol(fam.name, column, codec)}
}

// Put stores version n.
func (v Versioned[V]) Put(ctx context.Context, key string, n int64, val V) error {
	m := bigtable.NewMutation()
	if err := v.col.Set(m, SeqNo(n), val); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	return v.tbl.Apply(ctx, key, m)
}

// Stamp stores a version with a timestamp of the caller's.
func (v Versioned[V]) Stamp(ctx context.Context, key string, ts bigtable.Timestamp, val V) error {
	m := bigtable.NewMutation()
	if err := v.col.Set(m, ts, val); err != nil {
		return err
	}
	return v.tbl.Apply(ctx, key, m)
}

// Last reads the newest version and its number.
func (v Versioned[V]) Last(ctx context.Context, key string) (val V, n int64, err error) {
	row, err := v.tbl.Get(ctx, key, Where(v.fam.Head())) // ok ttlread/version-limit
	if err != nil {
		return val, 0, err
	}
	it, ok := v.col.Item(row)
	if !ok {
		return val, 0, ErrNotFound
	}
	val, err = v.col.Codec.Decode(it.Value)
	return val, NumberOf(it.Timestamp), err
}
