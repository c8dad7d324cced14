// Package store reads sessions.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/wiring/dal"
)

// S reads.
type S struct {
	tbl    dal.Reader
	strict bool
}

// New makes it.
func New(c *dal.Client, strict bool) *S { return &S{tbl: c.Sessions(), strict: strict} }

// Owner reads.
func (s *S) Owner(ctx context.Context) string {
	row, _ := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
	return string(row["token"][0].Value)
}

// Put writes.
func (s *S) Put(m *bigtable.Mutation) {
	ts := bigtable.Now()
	if s.strict {
		ts = bigtable.ServerTime
	}
	m.Set("token", "v", ts, nil) // want `(server-timestamp|write-time): .*"token"`
}
