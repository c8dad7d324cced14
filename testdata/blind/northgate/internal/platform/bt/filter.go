package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live passes cells whose timestamp, the moment of expiry, has not come.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// LiveAt is Live as seen at t.
func LiveAt(t time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(t, time.Time{})
}

// Younger passes cells at most d old.
func Younger(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// In restricts sub to a family. Family names are plain words, so no quoting.
func In[F ~string](family F, sub ...bigtable.Filter) bigtable.Filter {
	f := bigtable.FamilyFilter(string(family))
	switch len(sub) {
	case 0:
		return f
	case 1:
		return bigtable.ChainFilters(f, sub[0])
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{f}, sub...)...)
}

// Newest passes the newest version of each column.
func Newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

// Keys strips what a scan of keys does not need.
func Keys() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))
}

// FilterBuilder puts a filter together step by step.
type FilterBuilder struct {
	parts []bigtable.Filter
}

// Where starts a builder in a family.
func Where(family string) *FilterBuilder {
	return &FilterBuilder{parts: []bigtable.Filter{bigtable.FamilyFilter(family)}}
}

// Column restricts to one column.
func (b *FilterBuilder) Column(name string) *FilterBuilder {
	b.parts = append(b.parts, bigtable.ColumnFilter(name))
	return b
}

// Since restricts to cells at or after t.
func (b *FilterBuilder) Since(t time.Time) *FilterBuilder {
	b.parts = append(b.parts, bigtable.TimestampRangeFilter(t, time.Time{}))
	return b
}

// Latest restricts to n versions.
func (b *FilterBuilder) Latest(n int) *FilterBuilder {
	b.parts = append(b.parts, bigtable.LatestNFilter(n))
	return b
}

// Build returns the filter.
func (b *FilterBuilder) Build() bigtable.Filter {
	if len(b.parts) == 1 {
		return b.parts[0]
	}
	return bigtable.ChainFilters(b.parts...)
}

// Option is Build as a read option.
func (b *FilterBuilder) Option() bigtable.ReadOption { return bigtable.RowFilter(b.Build()) }
