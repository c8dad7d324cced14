package atcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/fixes/atcalls/kit"
)

// The clock of a type is that of all its methods.
type byField struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newByField(tbl *bigtable.Table) *byField { return &byField{tbl, time.Now} }

func (s *byField) reads() time.Time { return s.now() }

func (s *byField) read(ctx context.Context) (int, error) {
	row, err := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"ticket"`
	return len(row["ticket"]), err
}

func (s *byField) write(mut *bigtable.Mutation) {
	mut.Set("ticket", "a", bigtable.Now(), nil)         // want `write-time: .*"ticket"`
	mut.Set("ticket", "b", bigtable.ServerTime, nil)    // want `server-timestamp: .*"ticket"`
	mut.Set("ticket", "c", bigtable.Time(s.now()), nil) // want `write-time: .*"ticket"`
}

type byObject struct {
	tbl   *bigtable.Table
	clock kit.Clock
}

func (s byObject) reads() time.Time { return s.clock.Now() }

func (s byObject) read(ctx context.Context) (int, error) {
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("ticket"))) // want `missing-filter: .*"ticket"`
	return len(row["ticket"]), err
}

// Of two, or where none is read, none is taken.
type byTwo struct {
	tbl        *bigtable.Table
	now, start func() time.Time
}

func (s *byTwo) reads() time.Duration { return s.now().Sub(s.start()) }

func (s *byTwo) read(ctx context.Context) (int, error) {
	row, err := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"ticket"`
	return len(row["ticket"]), err
}

type unread struct {
	tbl *bigtable.Table
	now func() time.Time
}

func (s *unread) read(ctx context.Context) (int, error) {
	row, err := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"ticket"`
	return len(row["ticket"]), err
}
