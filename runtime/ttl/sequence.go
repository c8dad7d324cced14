package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A SequenceFamily is a column family whose timestamps are numbers that count
// up, of which each column keeps the highest. [Sequence] makes one.
//
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
type SequenceFamily struct {
	declaration
	versions int
}

// Sequence declares a column family with sequential numbers, of which each
// column keeps the given number of versions, at least one. The family must be
// new: real timestamps are higher than any number, and would hide them all
// ([Table.Migrate] counts them).
//
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
func Sequence(family string, versions int) SequenceFamily {
	return SequenceFamily{declare(family, checkVersions(versions)), versions}
}

// With returns a copy of the family whose writes set the companion column too:
// see [WrittenAt].
func (f SequenceFamily) With(companion WrittenAtColumn) SequenceFamily {
	f.declaration = f.companion(companion)
	return f
}

// Set adds the cell with number n: its timestamp is n milliseconds after 1970,
// which is n × 1000 microseconds. A cell with the same number is replaced. Below
// the numbers that the column has, the cell is an old version, and garbage as
// soon as there are enough above it: numbers must not decrease. A number below 0
// or above 9223372036854775 is an [ErrOutOfRange].
func (f SequenceFamily) Set(mut *bigtable.Mutation, column string, value []byte, n int64) error {
	ts, err := sequence(n)
	return f.put(mut, column, value, ts, err)
}

// Number returns the sequence number of a cell of this family.
func (f SequenceFamily) Number(item bigtable.ReadItem) int64 {
	return int64(item.Timestamp) / microsPerNumber
}

// LiveFilter returns the filter that passes the cells of this family with the
// highest numbers of their columns, as many as are kept, and nothing else.
func (f SequenceFamily) LiveFilter() bigtable.Filter { return f.only(f.dead().live(time.Now())) }

func (f SequenceFamily) dead() rule { return ruleOf(f.policy()) }

func (f SequenceFamily) policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(f.versions) }

func (f SequenceFamily) works(r rule) bool { return r.same(ruleOf(f.policy())) }
