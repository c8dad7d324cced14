package filter

import (
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// sequence decides on a family of sequential numbers, of which only the
// newest versions are alive.
func (p path) sequence(f *strategy.Family) Result {
	r := Result{Verdict: Unbounded, Problem: NoBound}
	var values *Tree // a filter that may drop the newest version
	unknown, lookup := false, false
	var clock *Tree
	for _, l := range p.leaves {
		switch l.Op {
		case Any:
			unknown = true
		case Cell, CellRange, RowOffset:
			values = l
		case TimeRange:
			// A range without an end keeps the newest of what it keeps at all.
			switch {
			case l.Start.Clock() || l.End.Clock():
				clock = l
				if !Open(l.End) {
					values = l
				}
			case Open(l.Start) && Open(l.End):
			case known(l.Start) && known(l.End):
				lookup = true
				if !Open(l.End) {
					values = l
				}
			default:
				unknown = true
			}
		case RowLimit:
			if values == nil && l.NKnown && l.N == 1 && r.Verdict != Bounded {
				r = Result{Verdict: Bounded, By: "a limit of one cell", Node: l}
			}
		case LatestN:
			switch {
			case r.Verdict == Bounded && r.Problem == None:
			case !l.NKnown || f.Versions == 0:
				unknown = true
			case l.N > f.Versions:
				r = Result{Verdict: Unbounded, Problem: TooMany, Node: l}
			case values != nil:
				r = Result{Verdict: Unbounded, Problem: LateLimit, Node: values}
			default:
				r = Result{Verdict: Bounded, By: "a limit of versions", Node: l}
			}
		}
	}
	switch {
	case clock != nil:
		r.Problem, r.Node = WrongBound, clock
	case lookup && r.Verdict == Unbounded:
		// A range of numbers is a lookup of certain versions.
		return Result{}
	case r.Verdict == Unbounded && r.Problem == NoBound && filters(p):
		r.Problem = NoLimit
	}
	if unknown && r.Problem != WrongBound && r.Verdict == Unbounded {
		return Result{}
	}
	return r
}
