package bt

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/utils/result"
)

// LiveNow passes cells whose timestamp, their expiry, is ahead.
func LiveNow() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// YoungerThan passes cells that a family of age d still keeps.
func YoungerThan(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// InFamily narrows filters to one family.
func InFamily(family string, fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...)
}

// Where is RowFilter for one filter or many.
func Where(fs ...bigtable.Filter) bigtable.ReadOption {
	if len(fs) == 1 {
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

// AnyOf interleaves.
func AnyOf(a, b bigtable.Filter, more ...bigtable.Filter) bigtable.Filter {
	return bigtable.InterleaveFilters(append([]bigtable.Filter{a, b}, more...)...)
}

// FindOne reads a row and maps it.
func FindOne[T any](ctx context.Context, tbl *bigtable.Table, key string, mapRow func(bigtable.Row) T, opts ...bigtable.ReadOption) result.Result[result.Option[T]] {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return result.Err[result.Option[T]](err)
	}
	if len(row) == 0 {
		return result.Ok(result.None[T]())
	}
	return result.Ok(result.Some(mapRow(row)))
}

// FindMany reads rows and maps them.
func FindMany[T any](ctx context.Context, tbl *bigtable.Table, rs bigtable.RowSet, mapRow func(bigtable.Row) T, opts ...bigtable.ReadOption) result.Result[[]T] {
	var out []T
	err := tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
		out = append(out, mapRow(row))
		return true
	}, opts...)
	return result.From(out, err)
}

// FindLatest reads the newest cell of each column.
func FindLatest[T any](ctx context.Context, tbl *bigtable.Table, key string, mapRow func(bigtable.Row) T) result.Result[result.Option[T]] {
	return FindOne(ctx, tbl, key, mapRow, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Exists tells whether a row has any cell.
func Exists(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bool, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Keys lists keys below a prefix.
func Keys(ctx context.Context, tbl *bigtable.Table, prefix string) ([]string, error) {
	var keys []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	return keys, err
}

// DropPrefix deletes everything below a prefix.
func DropPrefix(ctx context.Context, tbl *bigtable.Table, prefix string) (int, error) {
	keys, err := Keys(ctx, tbl, prefix)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), Drop(ctx, tbl, keys)
}
