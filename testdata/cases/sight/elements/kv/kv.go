// Package kv writes cells that callers describe.
package kv

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// A Cell is one that Store writes.
type Cell[F ~string] struct {
	Family F
	Name   string
	At     bigtable.Timestamp
	Value  []byte
}

// Store writes cells of a row at once.
func Store[F ~string](ctx context.Context, tbl *bigtable.Table, key string, cells ...Cell[F]) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(string(c.Family), c.Name, c.At, c.Value)
	}
	return tbl.Apply(ctx, key, m)
}
