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

// paths returns the ways through the tree. It fails when there are too many.
func (t *Tree) paths() ([]path, bool) {
	switch t.Op {
	case Chain:
		paths := []path{{}}
		for i, s := range t.Sub {
			sub, ok := s.paths()
			if ok && i == 0 {
				paths = sub
				continue
			}
			if !ok || len(paths)*len(sub) > maxPaths {
				return nil, false
			}
			joined := make([]path, 0, len(paths)*len(sub))
			for _, p := range paths {
				for _, q := range sub {
					j := path{slices.Concat(p.leaves, q.leaves), p.branch, p.conditional || q.conditional}
					if q.branch != nil {
						j.branch = q.branch
					}
					joined = append(joined, j)
				}
			}
			paths = joined
		}
		return paths, true
	case Interleave, Condition:
		subs := t.Sub
		if t.Op == Condition {
			subs = reachable(t)
		}
		var paths []path
		for _, s := range subs {
			sub, ok := s.paths()
			if !ok || len(paths)+len(sub) > maxPaths {
				return nil, false
			}
			for _, p := range sub {
				if p.branch == nil {
					p.branch = t
				}
				p.conditional = p.conditional || t.Op == Condition
				paths = append(paths, p)
			}
		}
		return paths, true
	}
	return []path{{leaves: []*Tree{t}}}, true
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
