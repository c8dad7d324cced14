// Package ownmutation has a mutation type of its own, with the client's method
// names, that is turned into the client's later. Two of them are two mutations.
package ownmutation

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Operation struct {
	Family, Column string
	Stamp          bigtable.Timestamp
	Value          []byte
}

type Mutation struct {
	Key string
	Ops []Operation
}

func NewMutation(key string) *Mutation { return &Mutation{Key: key} }

func (m *Mutation) Set(family, column string, ts bigtable.Timestamp, value []byte) {
	m.Ops = append(m.Ops, Operation{family, column, ts, value})
}

func (m *Mutation) client() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, op := range m.Ops {
		mut.Set(op.Family, op.Column, op.Stamp, op.Value)
	}
	return mut
}

func two(ctx context.Context, c *bigtable.Client) error {
	a := NewMutation("a")
	a.Set("latest", "v", 0, []byte("1"))
	b := NewMutation("b")
	b.Set("latest", "v", 0, []byte("2"))
	tbl := c.Open("catalog")
	if err := tbl.Apply(ctx, a.Key, a.client()); err != nil {
		return err
	}
	return tbl.Apply(ctx, b.Key, b.client())
}

func loop(keys []string) (muts []Mutation) {
	for _, key := range keys {
		a := NewMutation(key)
		a.Set("latest", "v", 0, []byte("1"))
		muts = append(muts, *a)
		b := NewMutation(key + "#2")
		b.Set("latest", "v", 0, []byte("2"))
		muts = append(muts, *b)
	}
	return muts
}

func one() *Mutation {
	a := NewMutation("a")
	a.Set("latest", "v", 0, []byte("1"))
	a.Set("latest", "v", 0, []byte("2")) // want `same-timestamp: .*"latest"`
	return a
}
