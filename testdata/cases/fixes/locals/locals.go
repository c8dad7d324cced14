package locals

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ tbl *bigtable.Table }

// A filter in a local variable that is used once is changed there.
func (s *store) local(ctx context.Context) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), f))) // want `wrong-bound`
}

func (s *store) option(ctx context.Context) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))
	opt := bigtable.RowFilter(f)
	return s.tbl.ReadRow(ctx, "k", opt) // want `missing-filter`
}

func (s *store) declared(ctx context.Context) (bigtable.Row, error) {
	var f = bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(5))
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `version-limit`
}

// One that is used twice, assigned again or made before a loop stays.
func (s *store) twice(ctx context.Context) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter`
	if err != nil || len(row["token"]) == 0 {
		return err
	}
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool { return len(row["token"]) > 0 }, bigtable.RowFilter(f)) // want `missing-filter`
}

func (s *store) loop(ctx context.Context, keys []string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))
	for _, key := range keys {
		row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want `missing-filter`
		if err != nil || len(row["token"]) == 0 {
			return err
		}
	}
	return nil
}
