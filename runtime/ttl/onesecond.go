package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A OneSecondFamily is a column family with one-second expiration: the
// timestamp of a cell is the moment it expires, and the GC policy deletes what
// is older than a second. [OneSecond] makes one.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
type OneSecondFamily struct {
	declaration
	ttl    time.Duration
	maxAge time.Duration
}

// OneSecond declares a column family with one-second expiration, whose cells
// usually live for ttl, at least a millisecond. The family must be new or come
// through [Table.Migrate].
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func OneSecond(family string, ttl time.Duration) OneSecondFamily {
	return OneSecondFamily{declare(family, checkAge("ttl", ttl)), ttl, time.Second}
}

// MaxAge returns a copy of the family whose GC policy has the given max age
// instead of one second: the time between a cell's expiry and the moment that
// garbage collection may remove it. At least a millisecond, as the service
// demands.
func (f OneSecondFamily) MaxAge(d time.Duration) OneSecondFamily {
	f.declaration = f.with(checkAge("max age", d))
	f.maxAge = d
	return f
}

// Set adds a cell that expires in the declared ttl.
func (f OneSecondFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	return f.SetFor(mut, column, value, f.ttl)
}

// SetFor adds a cell that expires after the lifetime, counted from now. A
// lifetime below a millisecond is an [ErrLifetime], one that ends after 2262 an
// [ErrOutOfRange].
//
// If the column may hold a cell that expires later, that one stays the most
// recent: use [OneSecondFamily.Replace].
func (f OneSecondFamily) SetFor(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, 0)
	return f.put(mut, column, value, ts, err)
}

// SetUntil adds a cell that expires at the deadline, cut to milliseconds. A
// deadline that is not after the current millisecond is an [ErrPast], the zero
// time and one before 1970 or after 2262 an [ErrOutOfRange].
func (f OneSecondFamily) SetUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, 0)
	return f.put(mut, column, value, ts, err)
}

// Replace is [OneSecondFamily.SetFor] after deletion of all cells in the
// column, in the same mutation, so that the new cell counts even if an earlier
// one would have expired later.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f OneSecondFamily) Replace(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, 0)
	return f.replace(mut, column, value, ts, err)
}

// Expiry returns when a cell of this family expires.
func (f OneSecondFamily) Expiry(item bigtable.ReadItem) time.Time { return item.Timestamp.Time() }

func (f OneSecondFamily) live(now time.Time) bigtable.Filter { return since(now) }

func (f OneSecondFamily) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(f.maxAge) }
