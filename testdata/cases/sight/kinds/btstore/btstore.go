// Package btstore is a library that describes families by what they are.
package btstore

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Kind is what a family is for.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Expiring
	Numbered
)

// Family is a column family.
type Family struct {
	Name     string
	Lifetime time.Duration
	Versions int
	Kind     Kind
}

// ExpiringFamily has cells that expire.
func ExpiringFamily(name string, ttl time.Duration) Family {
	return Family{Name: name, Lifetime: ttl, Kind: Expiring}
}

// NumberedFamily has versions by number.
func NumberedFamily(name string, versions int) Family {
	return Family{Name: name, Versions: versions, Kind: Numbered}
}

// Policy returns the policy of the family.
func (f Family) Policy() bigtable.GCPolicy {
	switch f.Kind {
	case Expiring:
		return bigtable.MaxAgePolicy(time.Second)
	case Numbered:
		return bigtable.MaxVersionsPolicy(f.Versions)
	}
	return bigtable.MaxVersionsPolicy(1)
}

// Schema is what a table consists of.
type Schema struct {
	Table    string
	Families []Family
}

// Apply sets the policies.
func (s Schema) Apply(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range s.Families {
		if err := ac.SetGCPolicy(ctx, s.Table, f.Name, f.Policy()); err != nil {
			return err
		}
	}
	return nil
}

// Query reads, with a filter or without.
type Query[T any] struct {
	t      *bigtable.Table
	decode func(bigtable.Row) (T, error)
	filter bigtable.Filter
}

// NewQuery has no filter.
func NewQuery[T any](t *bigtable.Table, decode func(bigtable.Row) (T, error)) *Query[T] {
	return &Query[T]{t: t, decode: decode}
}

// Where returns a copy with a filter.
func (q *Query[T]) Where(f bigtable.Filter) *Query[T] {
	c := *q
	c.filter = f
	return &c
}

// Get reads a row.
func (q *Query[T]) Get(ctx context.Context, key string) (T, error) {
	var opts []bigtable.ReadOption
	if q.filter != nil {
		opts = append(opts, bigtable.RowFilter(q.filter))
	}
	row, err := q.t.ReadRow(ctx, key, opts...)
	if err != nil {
		var zero T
		return zero, err
	}
	return q.decode(row)
}
