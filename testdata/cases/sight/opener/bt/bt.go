// Package bt opens tables for all packages.
package bt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Table is what repositories use of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Opener is what *bigtable.Client has.
type Opener interface {
	Open(table string) *bigtable.Table
}

// Name is the name of a table.
type Name string

const (
	History Name = "history"
	Scratch Name = "scratch"
)

// Middleware wraps a table.
type Middleware func(Table) Table

type logged struct{ Table }

func (l *logged) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return l.Table.Apply(ctx, row, m, opts...)
}

// Logged logs.
func Logged() Middleware { return func(t Table) Table { return &logged{t} } }

// Open opens a table and wraps it.
func Open[T ~string](o Opener, id T, mw ...Middleware) Table {
	var t Table = o.Open(string(id))
	for i := len(mw) - 1; i >= 0; i-- {
		t = mw[i](t)
	}
	return t
}
