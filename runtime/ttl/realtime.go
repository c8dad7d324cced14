package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A RealTimeFamily is an ordinary column family, whose timestamps are the times
// at which values were written or came to be. [RealTime] makes one.
//
// [Table.Live] passes all its cells, also those that its GC policy may delete.
//
// https://cloud.google.com/bigtable/docs/garbage-collection
type RealTimeFamily struct {
	declaration
	maxVersions bigtable.GCPolicy
	maxAge      bigtable.GCPolicy
}

// RealTime declares an ordinary column family. It has no GC policy unless
// [RealTimeFamily.MaxVersions] or [RealTimeFamily.MaxAge] give it one.
func RealTime(family string) RealTimeFamily {
	return RealTimeFamily{declaration: declare(family, nil)}
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

func (f RealTimeFamily) live(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }

func (f RealTimeFamily) policy() bigtable.GCPolicy {
	switch {
	case f.maxAge == nil:
		return f.maxVersions
	case f.maxVersions == nil:
		return f.maxAge
	}
	return bigtable.UnionPolicy(f.maxVersions, f.maxAge)
}
