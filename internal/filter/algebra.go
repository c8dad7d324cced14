// Package filter reads filters, as far as they can be traced, as trees of the
// algebra of row filters, which is in
// [github.com/ttlvet/ttlvet/runtime/strategy/filter].
package filter

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/filter"
)

// What is judged, and what comes of it: see the algebra.
type (
	Op      = filter.Op
	Tree    = filter.Tree
	Text    = filter.Text
	Result  = filter.Result
	Verdict = filter.Verdict
	Problem = filter.Problem
)

// The kinds of filters.
const (
	Any         = filter.Any
	PassAll     = filter.PassAll
	BlockAll    = filter.BlockAll
	RowKey      = filter.RowKey
	Family      = filter.Family
	Column      = filter.Column
	ColumnRange = filter.ColumnRange
	Cell        = filter.Cell
	CellRange   = filter.CellRange
	TimeRange   = filter.TimeRange
	LatestN     = filter.LatestN
	RowLimit    = filter.RowLimit
	RowOffset   = filter.RowOffset
	RowSample   = filter.RowSample
	StripValue  = filter.StripValue
	Label       = filter.Label
	Chain       = filter.Chain
	Interleave  = filter.Interleave
	Condition   = filter.Condition
)

// The verdicts.
const (
	Unknown   = filter.Unknown
	Excluded  = filter.Excluded
	Bounded   = filter.Bounded
	Unbounded = filter.Unbounded
)

// The problems.
const (
	None         = filter.None
	NoBound      = filter.NoBound
	WrongBound   = filter.WrongBound
	Stale        = filter.Stale
	NoLimit      = filter.NoLimit
	TooMany      = filter.TooMany
	LateLimit    = filter.LateLimit
	ExpiredOnly  = filter.ExpiredOnly
	Ends         = filter.Ends
	HidesNewer   = filter.HidesNewer
	LimitsBefore = filter.LimitsBefore
)

// Judge returns the verdict on the tree for the family. A nil tree is no
// filter.
func Judge(t *Tree, f *registry.Family) Result { return filter.Judge(t, f.Agreement()) }

// JudgeLimits returns the verdict on the tree for a family with real
// timestamps, by the limits that are declared for it.
func JudgeLimits(t *Tree, f *registry.Family) Result { return filter.JudgeLimits(t, f.Agreement()) }

// FromClock reports whether all that passes the tree is in a time range that begins at
// a time that was read from a clock: no cell with the timestamp 0 is.
func FromClock(t *Tree) bool {
	if t == nil {
		return false
	}
	switch t.Op {
	case TimeRange:
		return t.Start.Kind == strategy.Now
	case Chain:
		return slices.ContainsFunc(t.Sub, FromClock)
	case Interleave:
		return len(t.Sub) > 0 && !slices.ContainsFunc(t.Sub, func(s *Tree) bool { return !FromClock(s) })
	}
	return false
}

// Open reports whether a bound of a time range leaves its side open.
func Open(i strategy.Instant) bool { return filter.Open(i) }

// ValueOf returns what a tree was made of, nil where that is not known.
func ValueOf(t *Tree) *value.Value {
	if t == nil {
		return nil
	}
	v, _ := t.From.(*value.Value)
	return v
}
