// Package lib retries, keeps rows and writes cells.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Do runs f until it succeeds.
func Do(ctx context.Context, f func(ctx context.Context) error) error {
	var err error
	for range 3 {
		if err = f(ctx); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

// Values returns the values of a family.
func Values(rows []bigtable.Row, family string) (out []string) {
	for _, r := range rows {
		for _, it := range r[family] {
			out = append(out, string(it.Value))
		}
	}
	return out
}

// Alive returns the values of a family that are alive.
func Alive(rows []bigtable.Row, family string, now time.Time) (out []string) {
	for _, r := range rows {
		for _, it := range r[family] {
			if it.Timestamp.Time().After(now) {
				out = append(out, string(it.Value))
			}
		}
	}
	return out
}

// A Cell is what is written.
type Cell struct {
	Family, Column string
	TS             bigtable.Timestamp
	Value          []byte
}

// Writer writes cells.
type Writer struct{ tbl *bigtable.Table }

// NewWriter returns a writer.
func NewWriter(tbl *bigtable.Table) *Writer { return &Writer{tbl} }

// Write writes them.
func (w *Writer) Write(ctx context.Context, key string, cells []Cell) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(c.Family, c.Column, c.TS, c.Value)
	}
	return w.tbl.Apply(ctx, key, m)
}

// Mutation makes one of cells.
func Mutation(cells ...*Cell) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(c.Family, c.Column, c.TS, c.Value)
	}
	return m
}
