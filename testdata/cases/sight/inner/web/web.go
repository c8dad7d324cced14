// Package web reads tables that lie in objects which it is given: every object of
// their type has the same.
package web

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct{ tickets, other *bigtable.Table }

func NewStore(c *bigtable.Client) *Store { return &Store{c.Open("tickets"), c.Open("other")} }

type Server struct{ store *Store }

func NewServer(s *Store) *Server { return &Server{s} }

func (s *Server) Debug(ctx context.Context, key string) (bigtable.Row, error) {
	return s.store.tickets.ReadRow(ctx, key) // want `missing-filter: .*"ticket"`
}

func Dump(ctx context.Context, s *Store, key string) (bigtable.Row, error) {
	return s.tickets.ReadRow(ctx, key) // want `missing-filter: .*"ticket"`
}

func OkDump(ctx context.Context, s *Store, key string) (bigtable.Row, error) {
	if _, err := s.other.ReadRow(ctx, key); err != nil {
		return nil, err
	}
	return s.tickets.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

// Of these there are two: whoever makes one says which.

type Any struct{ tbl *bigtable.Table }

func NewTickets(c *bigtable.Client) *Any { return &Any{c.Open("tickets")} }
func NewOther(c *bigtable.Client) *Any   { return &Any{c.Open("other")} }

func DumpAny(ctx context.Context, a *Any, key string) (bigtable.Row, error) {
	return a.tbl.ReadRow(ctx, key)
}
