// Package app asks whether rows are there that another package reads.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/existence"
)

// Has asks.
func Has(ctx context.Context, s *existence.Store) bool {
	row, err := s.Row(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry")))
	return err == nil && len(row) > 0
}

// Last reads, and not only the last.
func Last(ctx context.Context, s *existence.Store) (bigtable.ReadItem, error) {
	row, err := s.Row(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want `version-limit: .*"entry"`
	return row["entry"][0], err
}
