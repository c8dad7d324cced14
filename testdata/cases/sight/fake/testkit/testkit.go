// Package testkit has a table for tests.
package testkit

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Fake keeps what is applied to it.
type Fake struct {
	Muts []*bigtable.Mutation
	Rows map[string]bigtable.Row
}

func (f *Fake) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	f.Muts = append(f.Muts, m)
	return nil
}
