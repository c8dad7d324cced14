package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A RealTimeFamily is an ordinary column family, whose timestamps are the times
// at which values were written or came to be. [RealTime] makes one.
//
// [Table.Live] passes the cells that its GC policy may not delete.
//
// https://cloud.google.com/bigtable/docs/garbage-collection
type RealTimeFamily struct {
	declaration
	// A cell is deleted when any of these says so. nil says nothing.
	maxVersions, maxAge, other bigtable.GCPolicy
}

// RealTime declares an ordinary column family. It has no GC policy unless
// [RealTimeFamily.MaxVersions], [RealTimeFamily.MaxAge] or
// [RealTimeFamily.Policy] give it one.
func RealTime(family string) RealTimeFamily {
	return RealTimeFamily{declaration: declare(family, nil)}
}

// With returns a copy of the family whose writes set the companion column too:
// see [WrittenAt].
func (f RealTimeFamily) With(companion WrittenAtColumn) RealTimeFamily {
	f.declaration = f.companion(companion)
	return f
}

// MaxVersions returns a copy of the family whose GC policy keeps the n most
// recent cells of each column, at least one. With [RealTimeFamily.MaxAge], a
// cell is deleted when either says so.
func (f RealTimeFamily) MaxVersions(n int) RealTimeFamily {
	f.declaration = f.with(checkVersions(n))
	f.maxVersions = bigtable.MaxVersionsPolicy(n)
	return f
}

// MaxAge returns a copy of the family whose GC policy deletes cells older than
// d, at least a millisecond. With [RealTimeFamily.MaxVersions], a cell is
// deleted when either says so.
func (f RealTimeFamily) MaxAge(d time.Duration) RealTimeFamily {
	f.declaration = f.with(checkAge("max age", d))
	f.maxAge = bigtable.MaxAgePolicy(d)
	return f
}

// Policy returns a copy of the family with any GC policy, of what
// [bigtable.MaxAgePolicy], [bigtable.MaxVersionsPolicy], [bigtable.UnionPolicy]
// and [bigtable.IntersectionPolicy] make; [bigtable.NoGcPolicy] is none. Earlier
// calls of it, MaxVersions and MaxAge no longer count, later ones add to it.
func (f RealTimeFamily) Policy(policy bigtable.GCPolicy) RealTimeFamily {
	f.declaration = f.with(checkPolicy(policy))
	f.maxVersions, f.maxAge, f.other = nil, nil, policy
	if policy == bigtable.NoGcPolicy() {
		f.other = nil
	}
	return f
}

// Set adds a cell with the current time, which is the client's, so that the
// mutation can be retried.
func (f RealTimeFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	return f.SetAt(mut, column, value, time.Now())
}

// SetAt adds a cell with the time t, cut to milliseconds. The zero time and a
// time before 1970 or after 2262 are an [ErrOutOfRange].
func (f RealTimeFamily) SetAt(mut *bigtable.Mutation, column string, value []byte, t time.Time) error {
	ts, err := timestamp(t)
	return f.put(mut, column, value, ts, err)
}

// Replace is [RealTimeFamily.Set] after deletion of all cells in the column, in
// the same mutation, so that the column has this value only, and keeps it even
// if an earlier one has a later time.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f RealTimeFamily) Replace(mut *bigtable.Mutation, column string, value []byte) error {
	ts, err := timestamp(time.Now())
	return f.replace(mut, column, value, ts, err)
}

// LiveFilter returns the filter that passes the cells of this family that its
// GC policy may not delete, and nothing else. It is good for one read, or one
// condition of [bigtable.NewCondMutation].
func (f RealTimeFamily) LiveFilter() bigtable.Filter { return f.only(f.dead().live(time.Now())) }

func (f RealTimeFamily) dead() rule { return ruleOf(f.policy()) }

func (f RealTimeFamily) policy() bigtable.GCPolicy {
	var parts []bigtable.GCPolicy
	for _, p := range []bigtable.GCPolicy{f.maxVersions, f.maxAge, f.other} {
		if p != nil {
			parts = append(parts, p)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return bigtable.UnionPolicy(parts...)
}

func (f RealTimeFamily) works(r rule) bool { return r.same(ruleOf(f.policy())) }
