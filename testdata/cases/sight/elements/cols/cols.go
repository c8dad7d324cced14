// Package cols has columns and a builder of mutations for others.
package cols

import "cloud.google.com/go/bigtable"

// A Col is a column of a family.
type Col struct{ Family, Name string }

// In makes columns of one family.
func In(family string) func(name string) Col {
	return func(name string) Col { return Col{family, name} }
}

// Mut builds a mutation.
type Mut struct{ m *bigtable.Mutation }

// New returns an empty one.
func New() *Mut { return &Mut{bigtable.NewMutation()} }

// Put sets a cell now.
func (m *Mut) Put(c Col, v []byte) *Mut {
	m.m.Set(c.Family, c.Name, bigtable.Now(), v)
	return m
}

// Done returns the mutation.
func (m *Mut) Done() *bigtable.Mutation { return m.m }
