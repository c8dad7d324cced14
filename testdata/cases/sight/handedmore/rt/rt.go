// Package rt writes rows that it does not know, in other ways.
package rt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Row interface {
	Key() string
	Encode(mut *bigtable.Mutation, ts bigtable.Timestamp) error
}

// A Batch has rows of one type.
type Batch[R Row] struct {
	keys []string
	muts []*bigtable.Mutation
}

func NewBatch[R Row]() *Batch[R] { return &Batch[R]{} }

func (b *Batch[R]) Add(r R, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	if err := r.Encode(mut, ts); err != nil {
		return err
	}
	b.keys, b.muts = append(b.keys, r.Key()), append(b.muts, mut)
	return nil
}

func (b *Batch[R]) Flush(ctx context.Context, tbl *bigtable.Table) error {
	_, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// A Write is a row with its time.
type Write struct {
	Row Row
	At  bigtable.Timestamp
}

func WriteAll(ctx context.Context, tbl *bigtable.Table, writes ...Write) error {
	for _, w := range writes {
		mut := bigtable.NewMutation()
		if err := w.Row.Encode(mut, w.At); err != nil {
			return err
		}
		if err := tbl.Apply(ctx, w.Row.Key(), mut); err != nil {
			return err
		}
	}
	return nil
}

// A Table encodes by a function that it keeps.
type Table struct {
	tbl    *bigtable.Table
	encode func(mut *bigtable.Mutation, ts bigtable.Timestamp, v []byte)
}

func NewTable(tbl *bigtable.Table, encode func(mut *bigtable.Mutation, ts bigtable.Timestamp, v []byte)) *Table {
	return &Table{tbl: tbl, encode: encode}
}

func (t *Table) Put(ctx context.Context, key string, v []byte, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	t.encode(mut, ts, v)
	return t.tbl.Apply(ctx, key, mut)
}

// OrNow writes with the current time where none is given.
func OrNow(mut *bigtable.Mutation, r Row, ts bigtable.Timestamp) error {
	if ts == 0 {
		ts = bigtable.Now()
	}
	return r.Encode(mut, ts)
}

// Build applies what a function makes.
func Build(ctx context.Context, tbl *bigtable.Table, key string, build func(ts bigtable.Timestamp) *bigtable.Mutation, ts bigtable.Timestamp) error {
	return tbl.Apply(ctx, key, build(ts))
}
