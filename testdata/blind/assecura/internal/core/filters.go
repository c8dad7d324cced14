package core

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
)

// FilterFactory makes the filters of the agreement.
type FilterFactory interface {
	// CreateLiveFilter lets pass what expires later than now.
	CreateLiveFilter() bigtable.Filter
	// CreateYoungerThanFilter lets pass what is younger than d.
	CreateYoungerThanFilter(d time.Duration) bigtable.Filter
	// CreateExpiredFilter lets pass what has expired.
	CreateExpiredFilter() bigtable.Filter
	// CreateFamilyFilter lets one family pass through f.
	CreateFamilyFilter(family string, f bigtable.Filter) bigtable.Filter
	// CreateLatestFilter lets n versions pass.
	CreateLatestFilter(n int) bigtable.Filter
}

type filterFactoryImpl struct{ clock common.Clock }

// NewFilterFactory makes the factory.
func NewFilterFactory(clock common.Clock) FilterFactory { return &filterFactoryImpl{clock: clock} }

// CreateLiveFilter implements FilterFactory.
func (f *filterFactoryImpl) CreateLiveFilter() bigtable.Filter {
	return bigtable.TimestampRangeFilter(f.clock.Now(), time.Time{})
}

// CreateYoungerThanFilter implements FilterFactory.
func (f *filterFactoryImpl) CreateYoungerThanFilter(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(f.clock.Now().Add(-d), time.Time{})
}

// CreateExpiredFilter implements FilterFactory.
func (f *filterFactoryImpl) CreateExpiredFilter() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Time{}, f.clock.Now())
}

// CreateFamilyFilter implements FilterFactory.
func (f *filterFactoryImpl) CreateFamilyFilter(family string, inner bigtable.Filter) bigtable.Filter {
	if inner == nil {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), inner)
}

// CreateLatestFilter implements FilterFactory.
func (f *filterFactoryImpl) CreateLatestFilter(n int) bigtable.Filter {
	return bigtable.LatestNFilter(n)
}

// FilterSupplier makes a filter whenever it is asked.
type FilterSupplier func() bigtable.Filter

// ReadOptionsBuilder collects read options.
type ReadOptionsBuilder struct {
	filters []bigtable.Filter
	limit   int64
}

// NewReadOptionsBuilder makes a builder.
func NewReadOptionsBuilder() *ReadOptionsBuilder { return &ReadOptionsBuilder{} }

// WithFilter adds a filter.
func (b *ReadOptionsBuilder) WithFilter(f bigtable.Filter) *ReadOptionsBuilder {
	b.filters = append(b.filters, f)
	return b
}

// WithLimit limits the rows.
func (b *ReadOptionsBuilder) WithLimit(n int64) *ReadOptionsBuilder { b.limit = n; return b }

// Build returns the options: one filter, however many were added.
func (b *ReadOptionsBuilder) Build() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	switch len(b.filters) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(b.filters[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(b.filters...)))
	}
	if b.limit > 0 {
		opts = append(opts, bigtable.LimitRows(b.limit))
	}
	return opts
}
