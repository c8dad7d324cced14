package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A ZeroFamily is a column family whose timestamps are always zero, so that
// each column has one cell, which every write replaces. [Zero] makes one.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
type ZeroFamily struct {
	declaration
}

// Zero declares a column family with timestamp zero. The family may already
// have data.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func Zero(family string) ZeroFamily { return ZeroFamily{declare(family, nil)} }

// With returns a copy of the family whose writes set the companion column too:
// see [WrittenAt].
func (f ZeroFamily) With(companion WrittenAtColumn) ZeroFamily {
	f.declaration = f.companion(companion)
	return f
}

// Set adds the cell of the column, in place of the one that was there: also of
// one that has another timestamp than zero, because the column is deleted first,
// in the same mutation. Next to such a cell the new one would be the older, and
// garbage collection would remove it.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func (f ZeroFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	return f.replace(mut, column, value, 0, nil)
}

// LiveFilter returns the filter that passes the latest cell of each column of
// this family, and nothing else.
func (f ZeroFamily) LiveFilter() bigtable.Filter { return f.only(f.dead().live(time.Now())) }

// dead is not by timestamp: a column that was last written when the family had
// another strategy has the value that was written then.
func (f ZeroFamily) dead() rule { return ruleOf(f.policy()) }

// policy is by versions: by age, timestamp zero is garbage from the start.
func (f ZeroFamily) policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(1) }

// works is true of all policies that keep the latest cell, however old it is.
func (f ZeroFamily) works(r rule) bool { return r.end(0, 0) == never }
