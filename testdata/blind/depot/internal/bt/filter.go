package bt

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/names"
)

// Live lets through the cells that expire at now or later.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// Since lets through the cells of the last d.
func Since(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Only lets through some families.
func Only(fs ...names.Family) bigtable.Filter {
	s := make([]string, len(fs))
	for i, f := range fs {
		s[i] = string(f)
	}
	return bigtable.FamilyFilter(strings.Join(s, "|"))
}

// LiveOnly lets through what is alive of one family.
func LiveOnly(f names.Family, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), Live(now))
}

// Newest lets through the newest cell of each column of a family.
func Newest(f names.Family) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), bigtable.LatestNFilter(1))
}

// With is the read option of a chain of filters.
func With(fs ...bigtable.Filter) bigtable.ReadOption {
	if len(fs) == 1 {
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

type clockKey struct{}

// Clock tells the time.
type Clock func() time.Time

// WithClock returns a context in which Now asks c.
func WithClock(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, c)
}

// Now is the time by the context's clock, or else by the machine's.
func Now(ctx context.Context) time.Time {
	if c, ok := ctx.Value(clockKey{}).(Clock); ok {
		return c()
	}
	return time.Now()
}
