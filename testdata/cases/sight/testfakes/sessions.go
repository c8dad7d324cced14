// Package fakes keeps sessions in a table, or in what tests have for one.
package fakes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Clock interface{ Now() time.Time }

type rows interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type Sessions struct {
	tbl rows
	clk Clock
}

func NewSessions(tbl rows, clk Clock) *Sessions { return &Sessions{tbl, clk} }

func Open(c *bigtable.Client, clk Clock) *Sessions { return NewSessions(c.Open("sessions"), clk) }

func (s *Sessions) Get(ctx context.Context) ([]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}))
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f))
	if err != nil || len(row["token"]) == 0 {
		return nil, err
	}
	return row["token"][0].Value, nil
}

func (s *Sessions) Put(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(s.clk.Now().Add(time.Minute)), nil)
	return s.tbl.Apply(ctx, "k", mut)
}

func expiresIn(clk Clock, d time.Duration) bigtable.Timestamp { return bigtable.Time(clk.Now().Add(d)) }

func (s *Sessions) Put2(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", expiresIn(s.clk, time.Minute), nil)
	return s.tbl.Apply(ctx, "k", mut)
}
