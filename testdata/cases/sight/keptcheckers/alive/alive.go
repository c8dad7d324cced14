// Package alive makes checkers of cells, and keeps them in structs.
package alive

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Opts say which cells are kept.
type Opts struct {
	Keep func(bigtable.ReadItem) bool
}

// At keeps the cells that are alive.
func At(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

// Long keeps the cells with long values.
func Long(n int) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return len(it.Value) > n }
}

// Live are the options that keep the cells that are alive.
func Live(now time.Time) Opts { return Opts{Keep: At(now)} }

// Longer are the options that keep the cells with long values.
func Longer(n int) Opts { return Opts{Keep: Long(n)} }

// A Checker keeps a moment.
type Checker struct{ now time.Time }

// NewChecker returns a checker.
func NewChecker(now time.Time) *Checker { return &Checker{now} }

// Keep says whether a cell is alive.
func (c *Checker) Keep(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now) }

// A Sizer keeps a size.
type Sizer struct{ n int }

// Keep says whether a cell is long.
func (s Sizer) Keep(it bigtable.ReadItem) bool { return len(it.Value) > s.n }
