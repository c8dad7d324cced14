// Package scan has generic helpers for reads of many rows.
package scan

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"
)

// Reader is what the package needs of a table.
type Reader interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// All decodes the rows of a prefix.
func All[T any](ctx context.Context, r Reader, prefix string, decode func(bigtable.Row) (T, error), opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	var bad error
	err := r.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		v, err := decode(row)
		if err != nil {
			bad = err
			return false
		}
		out = append(out, v)
		return true
	}, opts...)
	return out, errors.Join(bad, err)
}

// Stream sends the rows of a prefix to a channel.
func Stream(ctx context.Context, r Reader, prefix string, f bigtable.Filter) (<-chan bigtable.Row, <-chan error) {
	rows, errc := make(chan bigtable.Row, 16), make(chan error, 1)
	go func() {
		defer close(rows)
		errc <- r.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
			select {
			case rows <- row:
				return true
			case <-ctx.Done():
				return false
			}
		}, bigtable.RowFilter(f))
	}()
	return rows, errc
}
