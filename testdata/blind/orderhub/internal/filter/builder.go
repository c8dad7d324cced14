package filter

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Builder builds a chain step by step.
//
//	filter.NewBuilder().Family("token").Live(now).Latest(1).Build()
type Builder struct {
	parts []bigtable.Filter
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{} }

// Family restricts to a family.
func (b *Builder) Family(name string) *Builder {
	b.parts = append(b.parts, bigtable.FamilyFilter(name))
	return b
}

// Column restricts to a column.
func (b *Builder) Column(name string) *Builder {
	b.parts = append(b.parts, bigtable.ColumnFilter(name))
	return b
}

// Live restricts to cells that expire at now or later.
func (b *Builder) Live(now time.Time) *Builder {
	b.parts = append(b.parts, bigtable.TimestampRangeFilter(now, time.Time{}))
	return b
}

// Latest restricts to the newest n cells of each column.
func (b *Builder) Latest(n int) *Builder {
	b.parts = append(b.parts, bigtable.LatestNFilter(n))
	return b
}

// Build returns the chain.
func (b *Builder) Build() bigtable.Filter {
	switch len(b.parts) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return b.parts[0]
	}
	return bigtable.ChainFilters(b.parts...)
}
