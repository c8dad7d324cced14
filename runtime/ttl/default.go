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
	ttl  time.Duration
	skew time.Duration
}

// Default declares a column family with default expiration, whose cells live
// for ttl, at least a millisecond. The family may already have data; what is
// older than ttl is then deleted, which [Table.Migrate] counts before.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func Default(family string, ttl time.Duration) DefaultFamily {
	return DefaultFamily{declare(family, checkAge("ttl", ttl)), ttl, 0}
}

// Skew returns a copy of the family that allows for clocks which differ by up
// to d: writes set the expiry so much later, and [DefaultFamily.Expiry] takes
// it off again. See the package documentation, under Clocks.
func (f DefaultFamily) Skew(d time.Duration) DefaultFamily {
	f.declaration = f.with(checkSkew(d))
	f.skew = d
	return f
}

// With returns a copy of the family whose writes set the companion column too:
// see [WrittenAt].
func (f DefaultFamily) With(companion WrittenAtColumn) DefaultFamily {
	f.declaration = f.companion(companion)
	return f
}

// Set adds a cell that lives for the default lifetime: its timestamp is now.
func (f DefaultFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	ts, err := timestamp(time.Now().Add(f.skew))
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
	ts, err := expiryIn(time.Now(), lifetime, f.ttl-f.skew)
	return f.put(mut, column, value, ts, err)
}

// SetUntil adds a cell that expires at the deadline: its timestamp is
// deadline − ttl, cut to milliseconds. A deadline that is not after the current
// millisecond is an [ErrPast], the zero time and one that is after 2262, or less
// than ttl after 1970, an [ErrOutOfRange].
func (f DefaultFamily) SetUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, f.ttl-f.skew)
	return f.put(mut, column, value, ts, err)
}

// Replace is [DefaultFamily.SetFor] after deletion of all cells in the column,
// in the same mutation, so that the new cell counts even if an earlier one
// would have expired later.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f DefaultFamily) Replace(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error {
	ts, err := expiryIn(time.Now(), lifetime, f.ttl-f.skew)
	return f.replace(mut, column, value, ts, err)
}

// ReplaceUntil is [DefaultFamily.SetUntil] after deletion of all cells in the
// column, in the same mutation.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f DefaultFamily) ReplaceUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error {
	ts, err := expiryAt(time.Now(), deadline, f.ttl-f.skew)
	return f.replace(mut, column, value, ts, err)
}

// Expiry returns when a cell of this family expires: ttl after its timestamp.
func (f DefaultFamily) Expiry(item bigtable.ReadItem) time.Time {
	return item.Timestamp.Time().Add(f.ttl - f.skew)
}

// LiveFilter returns the filter that passes the cells of this family whose
// timestamp is at most the default lifetime ago, and nothing else. It is good
// for one read, or one condition of [bigtable.NewCondMutation].
func (f DefaultFamily) LiveFilter() bigtable.Filter { return f.only(f.dead().live(time.Now())) }

func (f DefaultFamily) dead() rule { return ruleOf(f.policy()) }

func (f DefaultFamily) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(f.ttl) }

func (f DefaultFamily) works(r rule) bool { return r.same(ruleOf(f.policy())) }
