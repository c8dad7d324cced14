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

// Zero declares a column family with timestamp zero.
//
// https://cloud.google.com/bigtable/docs/gc-latest-value
func Zero(family string) ZeroFamily { return ZeroFamily{declare(family, nil)} }

// Set adds the cell of the column, in place of the one that was there.
func (f ZeroFamily) Set(mut *bigtable.Mutation, column string, value []byte) error {
	return f.put(mut, column, value, 0, nil)
}

func (f ZeroFamily) live(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }

// policy is by versions: by age, timestamp zero is garbage from the start.
func (f ZeroFamily) policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(1) }
