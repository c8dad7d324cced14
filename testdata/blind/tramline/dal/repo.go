package dal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned when a row or its cell is missing.
var ErrNotFound = errors.New("not found")

// Codec turns entities into cells.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// JSONCodec is the codec of almost everything.
type JSONCodec[T any] struct{}

// Encode implements Codec.
func (JSONCodec[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSONCodec[T]) Decode(b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// Repo keeps one entity per row, in the column "v" of a family.
type Repo[T any] struct {
	tbl    Table
	family string
	codec  Codec[T]
	stamp  Stamp
}

// NewRepo returns a repository whose cells get their timestamps from stamp.
func NewRepo[T any](tbl Table, family string, codec Codec[T], stamp Stamp) *Repo[T] {
	return &Repo[T]{tbl: tbl, family: family, codec: codec, stamp: stamp}
}

// Find reads an entity. The options are the caller's business, since each
// family has a rule of its own.
func (r *Repo[T]) Find(ctx context.Context, key string, opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := r.tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, fmt.Errorf("find %s: %w", key, err)
	}
	items := row[r.family]
	if len(items) == 0 {
		return zero, ErrNotFound
	}
	return r.codec.Decode(items[0].Value)
}

// Save writes an entity.
func (r *Repo[T]) Save(ctx context.Context, key string, v T) error {
	b, err := r.codec.Encode(v)
	if err != nil {
		return fmt.Errorf("save %s: %w", key, err)
	}
	m := bigtable.NewMutation()
	m.Set(r.family, "v", r.stamp(), b)
	return r.tbl.Apply(ctx, key, m)
}

// Remove deletes an entity.
func (r *Repo[T]) Remove(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(r.family)
	return r.tbl.Apply(ctx, key, m)
}

// Load is Find without a repository: one typed column of one row.
func Load[T any](ctx context.Context, r Reader, key string, c Column[T], opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := r.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, err
	}
	v, ok, err := c.Get(row)
	if err != nil {
		return zero, err
	}
	if !ok {
		return zero, ErrNotFound
	}
	return v, nil
}

// Store writes one typed column of one row.
func Store[T any](ctx context.Context, w Writer, key string, c Column[T], ts bigtable.Timestamp, v T) error {
	m := bigtable.NewMutation()
	if err := c.Set(m, ts, v); err != nil {
		return err
	}
	return w.Apply(ctx, key, m)
}

// Collect scans a prefix and maps its rows.
func Collect[T any](ctx context.Context, r Reader, prefix string, f func(bigtable.Row) (T, bool), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	err := r.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		if v, ok := f(row); ok {
			out = append(out, v)
		}
		return true
	}, opts...)
	return out, err
}

// Batch collects mutations and writes them in groups.
type Batch struct {
	w    Writer
	max  int
	keys []string
	muts []*bigtable.Mutation
}

// NewBatch returns a Batch that flushes after max mutations.
func NewBatch(w Writer, max int) *Batch { return &Batch{w: w, max: max} }

// Add queues a mutation.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
	if len(b.keys) >= b.max {
		return b.Flush(ctx)
	}
	return nil
}

// Flush writes what is queued.
func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	errs, err := b.w.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = nil, nil
	return errors.Join(append(errs, err)...)
}
