// Package relatedfields has structs whose fields are set together in the branches
// of a switch: which of them arrives is asked of one of the fields.
package relatedfields

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Kind int

const (
	Invalid Kind = iota
	ByKey
	Everything
)

type Query struct {
	Kind   Kind
	Key    string
	Latest int
}

type Store struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *Store { return &Store{c.Open("ledger-ledger")} }

type Request struct{ What, Key string }

func convert(r Request) Query {
	var q Query
	switch r.What {
	case "all":
		q.Kind = Everything
	case "key":
		q.Kind = ByKey
		q.Key = r.Key
		q.Latest = 1
	}
	return q
}

func (s *Store) OkGet(ctx context.Context, r Request) (bigtable.Row, error) {
	return s.get(ctx, convert(r))
}

func (s *Store) get(ctx context.Context, q Query) (bigtable.Row, error) {
	switch q.Kind {
	case ByKey:
		return s.tbl.ReadRow(ctx, q.Key, bigtable.RowFilter(bigtable.LatestNFilter(q.Latest)))
	}
	return nil, nil
}

func convertBadly(r Request) Query {
	var q Query
	switch r.What {
	case "all":
		q.Kind = Everything
		q.Latest = 1
	case "key":
		q.Kind = ByKey
		q.Key = r.Key
	}
	return q
}

func (s *Store) Get(ctx context.Context, r Request) (bigtable.Row, error) {
	return s.get(ctx, convertBadly(r)) // want `invalid-filter: LatestNFilter\(0\)`
}
