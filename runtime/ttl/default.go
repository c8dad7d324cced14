package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A DefaultFamily is a column family with default expiration: cells live for
// the default lifetime, which is the max age of the GC policy, unless their
// timestamp is moved by the difference to another. [Default] makes one.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
type DefaultFamily struct {
	declaration
	ttl time.Duration
}

// Default declares a column family with default expiration, whose cells live
// for ttl, at least a millisecond. The family may already have data.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func Default(family string, ttl time.Duration) DefaultFamily {
	return DefaultFamily{declare(family, checkAge("ttl", ttl)), ttl}
}

// Set adds a cell that lives for the default lifetime: its timestamp is now.
func (f DefaultFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	ts, err := timestamp(time.Now())
	return f.put(mut, column, value, ts, err)
}

// SetFor adds a cell that expires after the lifetime, counted from now: its
// timestamp is now + lifetime − ttl. A lifetime below a millisecond is an
// [ErrLifetime], one that ends after 2262 or whose timestamp would lie before
// 1970 an [ErrOutOfRange].
//
// If the column may hold a cell that expires later, that one stays the most
// recent: use [DefaultFamily.Replace].
func (f DefaultFamily) SetFor(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, f.ttl)
	return f.put(mut, column, value, ts, err)
}

// SetUntil adds a cell that expires at the deadline: its timestamp is
// deadline − ttl, cut to milliseconds. A deadline that is not after the current
// millisecond is an [ErrPast], the zero time and one that is after 2262, or less
// than ttl after 1970, an [ErrOutOfRange].
func (f DefaultFamily) SetUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, f.ttl)
	return f.put(mut, column, value, ts, err)
}

// Replace is [DefaultFamily.SetFor] after deletion of all cells in the column,
// in the same mutation, so that the new cell counts even if an earlier one
// would have expired later.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f DefaultFamily) Replace(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, f.ttl)
	return f.replace(mut, column, value, ts, err)
}

// Expiry returns when a cell of this family expires: ttl after its timestamp.
func (f DefaultFamily) Expiry(item bigtable.ReadItem) time.Time {
	return item.Timestamp.Time().Add(f.ttl)
}

func (f DefaultFamily) live(now time.Time) bigtable.Filter { return since(now.Add(-f.ttl)) }

func (f DefaultFamily) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(f.ttl) }
