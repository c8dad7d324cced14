package filters

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Builder is Marek's fluent form of the same.
type Builder struct {
	parts []bigtable.Filter
}

// For starts a builder for one family.
func For(family string) *Builder {
	return &Builder{parts: []bigtable.Filter{bigtable.FamilyFilter(family)}}
}

// Column restricts to a column.
func (b *Builder) Column(name string) *Builder {
	b.parts = append(b.parts, bigtable.ColumnFilter(name))
	return b
}

// From sets the start of the time range.
func (b *Builder) From(t time.Time) *Builder {
	b.parts = append(b.parts, bigtable.TimestampRangeFilter(t, time.Time{}))
	return b
}

// Newest limits the versions.
func (b *Builder) Newest(n int) *Builder {
	b.parts = append(b.parts, bigtable.LatestNFilter(n))
	return b
}

// Build returns the filter.
func (b *Builder) Build() bigtable.Filter {
	if len(b.parts) == 1 {
		return b.parts[0]
	}
	return bigtable.ChainFilters(b.parts...) // ok ttlunit/invalid-filter
}

// Option returns it as a read option.
func (b *Builder) Option() bigtable.ReadOption { return bigtable.RowFilter(b.Build()) }
