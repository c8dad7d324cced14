// Package rt writes what it is given: it does not know of which family that is.
package rt

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Marshaler puts a row in a mutation.
type Marshaler interface {
	Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp)
}

// A Func is a Marshaler by itself.
type Func func(mut *bigtable.Mutation, ts bigtable.Timestamp)

func (f Func) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) { f(mut, ts) }

// Batch collects rows.
type Batch struct {
	keys []string
	muts []*bigtable.Mutation
}

func (b *Batch) Add(key string, m Marshaler, ts bigtable.Timestamp) {
	mut := bigtable.NewMutation()
	m.Marshal(mut, ts)
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
}

func (b *Batch) Flush(ctx context.Context, tbl *bigtable.Table) error {
	_, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// Put writes one row.
func Put(ctx context.Context, t *bigtable.Table, key string, m Marshaler, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	m.Marshal(mut, ts)
	return t.Apply(ctx, key, mut)
}

// PutAt hands the row on, with a time.
func PutAt(ctx context.Context, t *bigtable.Table, key string, m Marshaler, at time.Time) error {
	return Put(ctx, t, key, m, bigtable.Time(at))
}

// All writes several.
func All(mut *bigtable.Mutation, ts bigtable.Timestamp, ms ...Marshaler) {
	for _, m := range ms {
		if m == nil {
			continue
		}
		m.Marshal(mut, ts)
	}
}

// Generic is told the type.
func Generic[M Marshaler](mut *bigtable.Mutation, m M, ts bigtable.Timestamp) { m.Marshal(mut, ts) }

// With calls a function.
func With(mut *bigtable.Mutation, f func(*bigtable.Mutation, bigtable.Timestamp), ts bigtable.Timestamp) {
	f(mut, ts)
}

// Update makes the mutation for a function.
func Update(ctx context.Context, t *bigtable.Table, key string, f func(*bigtable.Mutation)) error {
	mut := bigtable.NewMutation()
	f(mut)
	return t.Apply(ctx, key, mut)
}

// Retried calls it in a function literal.
func Retried(mut *bigtable.Mutation, m Marshaler, ts bigtable.Timestamp) error {
	return retry(func() error {
		m.Marshal(mut, ts)
		return nil
	})
}

func retry(f func() error) error {
	for range 3 {
		if err := f(); err == nil {
			return nil
		}
	}
	return nil
}

// A Writer keeps who marshals.
type Writer struct{ m Marshaler }

func NewWriter(m Marshaler) *Writer { return &Writer{m} }

func (w *Writer) Write(mut *bigtable.Mutation, ts bigtable.Timestamp) { w.m.Marshal(mut, ts) }

// Now supplies the time itself.
func Now(mut *bigtable.Mutation, m Marshaler) { m.Marshal(mut, bigtable.Now()) }
