// Package filters builds the read filters. Three people wrote it.
package filters

import (
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/schema"
)

// Live passes the cells that have not expired at now, for the families whose
// timestamps are moments of expiry.
func Live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// LiveFamily is Live for one family.
func LiveFamily(family string, now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live(now))
}

// Since passes the cells written within the lifetime d, for default families.
func Since(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// Seen bounds the exposure family.
func Seen(now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), Since(now, schema.SeenLifetime))
}

// Versions keeps the newest n cells of a column.
func Versions(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// FreqCap is the whole row of the freqcap table, each family by its rule.
func FreqCap(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		LiveFamily(schema.FamCap, now), // ok ttlread/unfiltered-branch
		Seen(now),                      // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(schema.FamSeg),
	)
}
