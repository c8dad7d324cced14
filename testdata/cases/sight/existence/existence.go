// Package existence asks whether rows are there: of a sequence of numbers a superseded
// version tells as much as the newest.
package existence

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store is a table of entries.
type Store struct{ tbl *bigtable.Table }

// New returns a store.
func New(c *bigtable.Client) *Store { return &Store{c.Open("a-ledger")} }

// Has asks by the family.
func (s *Store) Has(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.StripValueFilter())))
	return len(row) > 0, err
}

// Limited asks for one cell.
func (s *Store) Limited(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.CellsPerRowLimitFilter(1))))
	return row != nil, err
}

// Checked asks once the error is known.
func (s *Store) Checked(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("entry")))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Bare asks without a filter.
func (s *Store) Bare(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, k)
	return len(row) > 0, err
}

// Paid asks for a value, which may have been superseded.
func (s *Store) Paid(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ValueFilter("paid")))) // want `version-limit: .*"entry"`
	return len(row) > 0, err
}

// Count asks how many cells there are.
func (s *Store) Count(ctx context.Context, k string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want `version-limit: .*"entry"`
	return len(row["entry"]), err
}

// Held asks for a token, which may be dead.
func Held(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
	return len(row) > 0, err
}

// Row reads, for those who ask.
func (s *Store) Row(ctx context.Context, k string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, k, opts...)
}

// Online asks for a live cell: that others are not seen is meant.
func Online(ctx context.Context, c *bigtable.Client) (bool, error) {
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live, bigtable.CellsPerRowLimitFilter(1))))
	return len(row) > 0, err
}

// Shown asks for both families.
func Shown(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(live)) // want `hides-other-families: .*"profile"`
}
