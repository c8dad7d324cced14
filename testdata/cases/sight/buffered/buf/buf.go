// Package buf has a buffered writer that keeps its table and its mutations in
// fields; callers make one for each table.
package buf

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Table interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

type Writer struct {
	tbl  Table
	keys []string
	muts []*bigtable.Mutation
}

func NewWriter(tbl Table) *Writer { return &Writer{tbl: tbl} }

func (w *Writer) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	w.keys = append(w.keys, key)
	w.muts = append(w.muts, m)
	return nil
}

func (w *Writer) Set(ctx context.Context, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v)
	return w.Add(ctx, key, m)
}

func (w *Writer) Flush(ctx context.Context) error {
	_, err := w.tbl.ApplyBulk(ctx, w.keys, w.muts)
	return err
}
