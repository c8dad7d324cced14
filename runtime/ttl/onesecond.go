package ttl

import (
	"fmt"
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
	skew   time.Duration
}

// OneSecond declares a column family with one-second expiration, whose cells
// usually live for ttl, at least a millisecond. The family must be new or come
// through [Table.Migrate].
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func OneSecond(family string, ttl time.Duration) OneSecondFamily {
	return OneSecondFamily{declare(family, checkAge("ttl", ttl)), ttl, time.Second, 0}
}

// MaxAge returns a copy of the family whose GC policy has the given max age
// instead of one second: the time between a cell's expiry and the moment that
// garbage collection may remove it. At least a millisecond, as the service
// demands, and at most a second, beyond which the age would be a lifetime.
func (f OneSecondFamily) MaxAge(d time.Duration) OneSecondFamily {
	f.declaration = f.with(checkAge("max age", d))
	if d > time.Second {
		f.declaration = f.with(fmt.Errorf("the max age %v is longer than 1s: that is default expiration", d))
	}
	f.maxAge = d
	return f
}

// Skew returns a copy of the family that allows for clocks which differ by up
// to d: writes set the expiry so much later, and [OneSecondFamily.Expiry] takes
// it off again. See the package documentation, under Clocks.
func (f OneSecondFamily) Skew(d time.Duration) OneSecondFamily {
	f.declaration = f.with(checkSkew(d))
	f.skew = d
	return f
}

// With returns a copy of the family whose writes set the companion column too:
// see [WrittenAt].
func (f OneSecondFamily) With(companion WrittenAtColumn) OneSecondFamily {
	f.declaration = f.companion(companion)
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
	ts, err := expiryIn(time.Now(), lifetime, -f.skew)
	return f.put(mut, column, value, ts, err)
}

// SetUntil adds a cell that expires at the deadline, cut to milliseconds. A
// deadline that is not after the current millisecond is an [ErrPast], the zero
// time and one before 1970 or after 2262 an [ErrOutOfRange].
func (f OneSecondFamily) SetUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, -f.skew)
	return f.put(mut, column, value, ts, err)
}

// Replace is [OneSecondFamily.SetFor] after deletion of all cells in the
// column, in the same mutation, so that the new cell counts even if an earlier
// one would have expired later.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f OneSecondFamily) Replace(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, -f.skew)
	return f.replace(mut, column, value, ts, err)
}

// ReplaceUntil is [OneSecondFamily.SetUntil] after deletion of all cells in the
// column, in the same mutation.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f OneSecondFamily) ReplaceUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, -f.skew)
	return f.replace(mut, column, value, ts, err)
}

// Expiry returns when a cell of this family expires.
func (f OneSecondFamily) Expiry(item bigtable.ReadItem) time.Time {
	return item.Timestamp.Time().Add(-f.skew)
}

// LiveFilter returns the filter that passes the cells of this family that
// expire now or later, and nothing else. It is good for one read, or one
// condition of [bigtable.NewCondMutation].
func (f OneSecondFamily) LiveFilter() bigtable.Filter { return f.only(f.dead().live(time.Now())) }

// dead is what has an earlier time than now.
func (f OneSecondFamily) dead() rule { return rule{{age: 0}} }

func (f OneSecondFamily) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(f.maxAge) }

// works is true of all ages up to a second, between which the client's report
// does not tell.
func (f OneSecondFamily) works(r rule) bool {
	return len(r) == 1 && r[0].versions == 0 && r[0].age.Truncate(time.Second) <= time.Second
}
