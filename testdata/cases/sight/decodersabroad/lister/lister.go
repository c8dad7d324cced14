// Package lister has makers of objects that are given a table and what decodes its rows.
package lister

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Lister lists what is decoded.
type Lister[T any] struct {
	table  *bigtable.Table
	decode func(bigtable.Row) T
}

// Over makes a Lister.
func Over[T any](table *bigtable.Table, decode func(bigtable.Row) T) Lister[T] {
	return Lister[T]{table, decode}
}

// List reads the table.
func (l Lister[T]) List(ctx context.Context) (out []T, err error) {
	err = l.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, l.decode(row))
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return out, err
}

// Plain is the same without types.
type Plain struct {
	table  *bigtable.Table
	decode func(bigtable.Row) string
}

// NewPlain makes a Plain, which decodes nothing where it is given nothing for that.
func NewPlain(table *bigtable.Table, decode func(bigtable.Row) string) *Plain {
	if decode == nil {
		decode = func(row bigtable.Row) string { return string(row["profile"][0].Value) }
	}
	return &Plain{table: table, decode: decode}
}

// Tokens is one more maker, which says itself what decodes.
func Tokens(table *bigtable.Table) *Plain {
	return &Plain{table: table, decode: func(row bigtable.Row) string { return string(row["token"][0].Value) }}
}

// List reads the table.
func (l *Plain) List(ctx context.Context) (out []string, err error) {
	err = l.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, l.decode(row))
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
	return out, err
}
