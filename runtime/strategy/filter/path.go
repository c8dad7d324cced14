package filter

import (
	"slices"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A path is the filters that a cell passes in order, with the innermost
// branch that led there.
type path struct {
	leaves      []*Tree
	branch      *Tree
	conditional bool // whether a predicate decides that the path is taken
}

// A step is a filter on a way through the tree, behind another: many ways begin
// alike.
type step struct {
	leaf   *Tree
	before int // in Reading.steps, -1 for none
}

// A way is a path, by its last step.
type way struct {
	last        int
	branch      *Tree
	conditional bool
}

// walk lengthens the ways from the one with that index on by those through a
// tree. It fails when there are too many.
func (r *Reading) walk(t *Tree, from int) bool {
	switch t.Op {
	case Chain:
		for _, s := range t.Sub {
			if !r.walk(s, from) {
				return false
			}
		}
	case Interleave:
		return r.branches(t, t.Sub, from)
	case Condition:
		return r.branches(t, reachable(t), from)
	default:
		if len(r.steps)+len(r.ways)-from > maxSteps {
			return false
		}
		for i := from; i < len(r.ways); i++ {
			r.steps = append(r.steps, step{t, r.ways[i].last})
			r.ways[i].last = len(r.steps) - 1
		}
	}
	return true
}

// branches is walk for a tree of which a cell takes one branch.
func (r *Reading) branches(t *Tree, subs []*Tree, from int) bool {
	before := len(r.ways)
	for _, s := range subs {
		begin := len(r.ways)
		for _, w := range r.ways[from:before] {
			w.branch, w.conditional = t, w.conditional || t.Op == Condition
			r.ways = append(r.ways, w)
		}
		if len(r.ways)-before > maxPaths || !r.walk(s, begin) {
			return false
		}
	}
	r.ways = append(r.ways[:from], r.ways[before:]...)
	return len(r.ways)-from <= maxPaths
}

// closed reports whether some filter on a way lets no cell of the family pass.
func (r *Reading) closed(w way, family string) ternary {
	closed := no
	for i := w.last; i >= 0; i = r.steps[i].before {
		if closed = max(closed, excludes(r.steps[i].leaf, family)); closed == yes {
			break
		}
	}
	return closed
}

// path returns a way as a path, which is good until the next is asked for.
func (r *Reading) path(w way) path {
	r.leaves = r.leaves[:0]
	for i := w.last; i >= 0; i = r.steps[i].before {
		r.leaves = append(r.leaves, r.steps[i].leaf)
	}
	slices.Reverse(r.leaves)
	return path{r.leaves, w.branch, w.conditional}
}

// reachable returns the branches of a condition that can be taken. A row
// that is read has a cell, so that a predicate which passes everything
// always holds.
func reachable(t *Tree) []*Tree {
	var subs []*Tree
	for i, s := range t.Sub[1:] {
		p := t.Sub[0]
		switch {
		case s == nil:
		case i == 0 && p.Op == BlockAll:
		case i == 1 && (p.Op == PassAll || p.Op == StripValue || p.Op == Label):
		default:
			subs = append(subs, s)
		}
	}
	return subs
}

type ternary uint8

const (
	no ternary = iota
	perhaps
	yes
)

// excludes reports whether a single filter lets no cell of the family pass.
func excludes(l *Tree, family string) ternary {
	switch l.Op {
	case Any:
		return perhaps
	case BlockAll:
		return yes
	case Family:
		re := l.matcher()
		if re == nil {
			return perhaps
		}
		if l.asked != family || family == "" { // many paths go through one filter
			l.asked, l.answer = family, re.MatchString(family)
		}
		if !l.answer {
			return yes
		}
	case ColumnRange:
		if !l.Pattern.Known {
			return perhaps
		}
		if l.Pattern.S != family {
			return yes
		}
	case TimeRange:
		if emptyRange(l) {
			return yes
		}
	case LatestN, RowLimit:
		if l.NKnown && l.N <= 0 {
			return perhaps // the service rejects it
		}
	}
	return no
}

// emptyRange reports whether the bounds are constants that hold nothing.
func emptyRange(l *Tree) bool {
	s, e := l.Start, l.End
	if e.Kind == strategy.Fixed && !Open(e) && (s.Kind == strategy.Fixed || s.Kind == strategy.Never) {
		return s.Micros/1000 >= e.Micros/1000
	}
	if s.Kind == strategy.Now && e.Kind == strategy.Fixed && !Open(e) && e.Micros < longPast {
		return s.Lo >= -float64(24*365*time.Hour)
	}
	return s.Kind == strategy.Now && e.Kind == strategy.Now && s.Lo >= e.Hi
}

// filters reports whether the path restricts anything at all.
func filters(p path) bool {
	for _, l := range p.leaves {
		if l.Op != PassAll {
			return true
		}
	}
	return false
}
