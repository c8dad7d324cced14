// Package replaced has filters that are replaced by others where the list of
// which they are made is too short: those are never sent.
package replaced

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

type Store struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *Store { return &Store{c.Open("ledger-ledger")} }

func (s *Store) last(ctx context.Context, of []uint64) (bigtable.Row, error) {
	columns := []bigtable.Filter{}
	if len(of) < 1000 {
		columns = make([]bigtable.Filter, 0, len(of))
		for _, n := range of {
			columns = append(columns, bigtable.ColumnFilter(fmt.Sprintf("%d", n)))
		}
	}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		bigtable.InterleaveFilters(columns...),
		bigtable.LatestNFilter(1),
	)
	if len(columns) == 1 {
		filter = bigtable.ChainFilters(
			bigtable.FamilyFilter("entry"),
			columns[0],
			bigtable.LatestNFilter(1),
		)
	} else if len(columns) == 0 {
		filter = bigtable.ChainFilters(
			bigtable.FamilyFilter("entry"),
			bigtable.LatestNFilter(1),
		)
	}
	return s.tbl.ReadRow(ctx, "last", bigtable.RowFilter(filter))
}

func (s *Store) OkAll(ctx context.Context) (bigtable.Row, error) {
	return s.last(ctx, []uint64{})
}

func (s *Store) bare(ctx context.Context, of []uint64) (bigtable.Row, error) {
	columns := []bigtable.Filter{}
	for _, n := range of {
		columns = append(columns, bigtable.ColumnFilter(fmt.Sprintf("%d", n)))
	}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		bigtable.InterleaveFilters(columns...),
		bigtable.LatestNFilter(1),
	)
	return s.tbl.ReadRow(ctx, "last", bigtable.RowFilter(filter))
}

func (s *Store) All(ctx context.Context) (bigtable.Row, error) {
	return s.bare(ctx, []uint64{}) // want `invalid-filter: InterleaveFilters of no filter`
}

func handed(f bigtable.Filter) bigtable.Filter { return f }

// A helper hands on what may be replaced.
func (s *Store) helped(ctx context.Context, of []uint64) (bigtable.Row, error) {
	columns := []bigtable.Filter{}
	for _, n := range of {
		columns = append(columns, bigtable.ColumnFilter(fmt.Sprintf("%d", n)))
	}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		handed(bigtable.InterleaveFilters(columns...)),
		bigtable.LatestNFilter(1),
	)
	if len(columns) == 1 {
		filter = columns[0]
	} else if len(columns) == 0 {
		filter = bigtable.LatestNFilter(1)
	}
	return s.tbl.ReadRow(ctx, "last", bigtable.RowFilter(filter))
}

func (s *Store) OkHelped(ctx context.Context) (bigtable.Row, error) {
	return s.helped(ctx, []uint64{})
}
