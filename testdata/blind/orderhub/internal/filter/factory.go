// Package filter makes the filters of reads, so that DAOs need not know how lifetimes are stored.
package filter

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// Factory makes filters.
type Factory interface {
	// LiveOnly passes the cells that have not expired, where the timestamp is the expiry.
	LiveOnly() bigtable.Filter
	// Recent passes the cells that were written at most age ago.
	Recent(age time.Duration) bigtable.Filter
	// Latest passes the newest cells of a column.
	Latest(n int) bigtable.Filter
	// Family passes a family.
	Family(name string) bigtable.Filter
}

// DefaultFactory is the only Factory so far.
type DefaultFactory struct {
	clock clock.Clock
}

var _ Factory = (*DefaultFactory)(nil)

// NewDefaultFactory returns a DefaultFactory.
func NewDefaultFactory(c clock.Clock) *DefaultFactory { return &DefaultFactory{clock: c} }

// LiveOnly implements Factory.
func (f *DefaultFactory) LiveOnly() bigtable.Filter {
	return bigtable.TimestampRangeFilter(f.clock.Now(), time.Time{})
}

// Recent implements Factory.
func (f *DefaultFactory) Recent(age time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(f.clock.Now().Add(-age), time.Time{})
}

// Latest implements Factory.
func (f *DefaultFactory) Latest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// Family implements Factory.
func (f *DefaultFactory) Family(name string) bigtable.Filter { return bigtable.FamilyFilter(name) }

// Live returns a live filter without a factory, for tools.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// LiveFamily restricts Live to a family.
func LiveFamily(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live())
}

// Within returns the live filter of a family whose default lifetime is d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// Inbox is the live filter of the inbox family.
func Inbox() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), Within(constants.InboxTTL))
}

// Revisions passes the last n revisions.
func Revisions(n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyRevision), bigtable.LatestNFilter(n))
}

// Option wraps a filter as an option, which the older DAOs want.
func Option(f bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(f) }
