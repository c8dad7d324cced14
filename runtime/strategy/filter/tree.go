// Package filter is the algebra of row filters: given a filter tree and a
// column family with its strategy, it decides whether the tree keeps out the
// cells that garbage collection may already have removed.
//
// A cell is dead when the family's garbage collection may remove it: below
// now − max-age for one-second expiration, below now − ttl for default
// expiration, beyond the newest n versions of its column for sequential
// numbers. The verdict on a tree and a family is
//
//   - [Excluded]: no cell of the family passes, whatever the row holds;
//   - [Bounded]: no dead cell of the family passes;
//   - [Unbounded]: some row has a dead cell of the family that passes;
//   - [Unknown]: none of these is certain.
//
// A tree is read as the paths that a cell can take through it: a chain is a
// sequence, an interleave and a condition are alternatives. Excluded and
// bounded are decided path by path. What remains is unbounded only if a row
// can be constructed of which a dead cell passes ([witness]): two value
// filters of which no value passes both let nothing through. The package's
// tests hold the verdicts on random trees against the Bigtable emulator.
//
// Semantics of the single filters: google.bigtable.v2.RowFilter and
// https://cloud.google.com/bigtable/docs/using-filters.
package filter

import (
	"slices"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// An Op is a kind of filter.
type Op uint8

// The kinds, with the fields of Tree that they use.
const (
	Any         Op = iota // a filter of which nothing is known
	PassAll               //
	BlockAll              //
	RowKey                // Pattern
	Family                // Pattern
	Column                // Pattern
	ColumnRange           // Pattern (the family's name, not a regular expression), Lo, Hi (columns)
	Cell                  // Pattern (of the value)
	CellRange             // Lo, Hi (values)
	TimeRange             // Start, End
	LatestN               // N: cells per column
	RowLimit              // N: cells per row
	RowOffset             // N: cells per row
	RowSample             //
	StripValue
	Label
	Chain      // Sub
	Interleave // Sub
	Condition  // Sub: predicate, true, false (nil: nothing passes)
)

// A Text is a string argument of a filter. The zero Text is not known.
type Text struct {
	Known bool
	S     string
}

// A Tree is a filter. One goroutine judges it at a time. Fields that are used together
// lie together: the guard reads trees when the processor's caches hold other things.
type Tree struct {
	Op       Op
	NKnown   bool
	compiled bool
	answer   bool // whether the pattern matches the family that was asked last
	N        int
	Sub      []*Tree
	Pattern  Text

	matches *matcher // of Pattern, once compiled
	literal matcher  // what matches is, mostly
	asked   string   // the family of which the pattern was asked last

	Start, End strategy.Instant // Unknown End is not known; an open end is Never
	Lo, Hi     Text

	// From is what the tree was made of, for whoever made it.
	From any
}

// Reset makes a tree of that kind of one that is not needed any more, whoever uses so
// many that to make them costs. The fields that the kind uses are to be set.
func (t *Tree) Reset(op Op) {
	t.Op, t.Sub, t.matches, t.compiled, t.asked = op, nil, nil, false, ""
}

// Open reports whether a bound of a time range leaves its side open: it is
// the zero time, or a constant below a millisecond, which is cut to 0.
func Open(i strategy.Instant) bool {
	return i.Kind == strategy.Never || i.Kind == strategy.Fixed && i.Micros >= 0 && i.Micros < 1000
}

// NamesFamily reports whether the tree restricts families by name anywhere.
func (t *Tree) NamesFamily() bool {
	return t.some(func(t *Tree) bool { return t.Op == Family || t.Op == ColumnRange })
}

// Has reports whether a filter of that kind stands anywhere in the tree.
func (t *Tree) Has(op Op) bool { return t.some(func(t *Tree) bool { return t.Op == op }) }

// some reports whether a filter that is so stands anywhere in the tree.
func (t *Tree) some(is func(*Tree) bool) bool {
	return t != nil && (is(t) || slices.ContainsFunc(t.Sub, func(s *Tree) bool { return s.some(is) }))
}
