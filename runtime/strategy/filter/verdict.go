package filter

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A Verdict says what a tree does to the dead cells of a family.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota
	Excluded
	Bounded
	Unbounded
)

func (v Verdict) String() string {
	return [...]string{"unknown", "excluded", "bounded", "unbounded"}[v]
}

// A Problem says why a tree is wrong for a family, also where it is bounded.
type Problem uint8

// The problems, from the least to the most specific.
const (
	None         Problem = iota
	NoBound              // nothing bounds the family
	WrongBound           // the bound of another strategy
	Stale                // the clock of the bound was read once
	NoLimit              // sequential numbers: a filter without a limit of versions
	TooMany              // a limit of more versions than are kept
	LateLimit            // a limit of versions after a filter of values: superseded versions pass
	ExpiredOnly          // the range holds only dead cells
	Ends                 // the end of the range hides live cells
	HidesNewer           // the start of the range hides live cells
	LimitsBefore         // a limit of cells before the live filter: dead cells use it up
)

// A Result is the verdict on a tree and a family.
type Result struct {
	Verdict Verdict
	Problem Problem
	// Node is the filter to which the problem is due: the range, the limit;
	// nil when nothing bounds.
	Node *Tree
	// Branch is the interleave or condition through which the path leads
	// that has the problem.
	Branch *Tree
	// By is, of a bounded family, what bounds it, in words.
	By string
}

// maxPaths bounds the paths of one tree, and maxSteps what they have in all.
const (
	maxPaths = 256
	maxSteps = 100_000
)

// Judge returns the verdict on the tree for the family. A nil tree is no
// filter.
func Judge(t *Tree, f *strategy.Family) Result { return JudgeWithin(t, f, math.MaxInt) }

// JudgeWithin is [Judge] for whoever must not take long: it looks at no more
// than so many rows for one that shows a dead cell, and without one the
// verdict is Unknown.
func JudgeWithin(t *Tree, f *strategy.Family, rows int) Result { return Read(t).Judge(f, rows) }

// A Reading is a tree that is judged for several families.
type Reading struct {
	tree   *Tree
	ok     bool // whether ways are all
	ways   []way
	steps  []step
	leaves []*Tree // of the path that is looked at
	none   Tree
}

// Read reads a tree. A nil tree is no filter.
func Read(t *Tree) *Reading {
	r := &Reading{}
	r.Read(t)
	return r
}

// Read reads another tree, with the memory of the one before.
func (r *Reading) Read(t *Tree) {
	if t == nil {
		r.none = Tree{Op: PassAll}
		t = &r.none
	}
	r.tree, r.steps, r.ways = t, r.steps[:0], append(r.ways[:0], way{last: -1})
	r.ok = r.walk(t, 0)
}

// Judge is [JudgeWithin] of the tree that was read.
func (r *Reading) Judge(f *strategy.Family, rows int) Result {
	if !r.ok {
		return Result{}
	}
	result := Result{Verdict: Excluded}
	for _, w := range r.ways {
		closed := r.closed(w, f.Name)
		if closed == yes {
			continue // as most ways are to a family
		}
		p := r.path(w)
		one := p.judge(f, closed == perhaps)
		if one.Verdict == Unbounded && !plain(p) && !witness(r.tree, f, rows) {
			one.Verdict = Unknown
		}
		result = worse(result, one)
	}
	return result
}

// worse merges the results of alternatives: the family is as badly guarded
// as on its worst path, and the first problem is the one to report.
func worse(a, b Result) Result {
	rank := func(r Result) int {
		switch {
		case r.Verdict == Unbounded:
			return 4
		case r.Verdict == Unknown:
			return 2
		case r.Problem != None:
			return 3
		case r.Verdict == Bounded:
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		if a.Verdict == Unknown && b.Verdict == Bounded {
			b.Verdict = Unknown // the problem is certain, the verdict is not
		}
		return b
	}
	if a.Problem != None && a.Verdict == Bounded && b.Verdict == Unknown {
		a.Verdict = Unknown
	}
	return a
}

// judge decides on one path, which is open to the family, or may be.
func (p path) judge(f *strategy.Family, maybe bool) Result {
	var r Result
	switch f.Strategy {
	case strategy.OneSecond, strategy.Default:
		r = p.expiring(f)
	case strategy.Sequence:
		r = p.sequence(f)
	default:
		r = Result{Verdict: Bounded, By: "nothing: its cells do not expire"}
	}
	if r.Problem != None {
		r.Branch = p.branch
	}
	if maybe && (r.Verdict == Unbounded || r.Problem != None && p.elsewhere()) {
		return Result{} // the problem of a family that may not be asked for
	}
	return r
}

// Constants, in microseconds, that no program of today means as the past
// (the year 2096) or as near the present (2001).
const (
	farFuture = 4e15
	longPast  = 1e15
)

// slack is how far a bound that is known within limits may lie from the
// exact one: Truncate(time.Second) is no mistake.
const slack = float64(time.Second)

// expiring decides on a family whose cells die by their timestamps.
func (p path) expiring(f *strategy.Family) Result {
	age := f.MaxAge
	if age == 0 {
		return p.unknownAge()
	}
	r := Result{Verdict: Unbounded, Problem: NoBound}
	unknown := false
	var limit *Tree // a limit of cells before the range
	for _, l := range p.leaves {
		switch l.Op {
		case RowLimit, RowOffset:
			if limit == nil {
				limit = l
			}
		case Any:
			unknown = true
		case TimeRange:
			q := judgeRange(l, f, -float64(age))
			switch {
			case q.Verdict == Unknown:
				unknown = true
			case q.Verdict == Bounded:
				if limit != nil && q.Problem == None {
					q.Problem, q.Node = LimitsBefore, limit
				}
				if r.Verdict != Bounded || q.Problem != None && r.Problem == None {
					r = q
				}
			case r.Verdict == Unbounded && q.Problem > r.Problem:
				r = q
			}
		}
	}
	if unknown && r.Verdict == Unbounded {
		return Result{}
	}
	return r
}

// unknownAge decides on an expiring family whose age is not known: any start
// that is read from the clock may be right.
func (p path) unknownAge() Result {
	for _, l := range p.leaves {
		if l.Op == Any || l.Op == TimeRange && !Open(l.Start) {
			return Result{}
		}
	}
	return Result{Verdict: Unbounded, Problem: NoBound}
}

// judgeRange decides on one time range over an expiring family whose cells
// are dead below the clock plus dead (nanoseconds, negative).
func judgeRange(l *Tree, f *strategy.Family, dead float64) Result {
	start, end := l.Start, l.End
	r := Result{Verdict: Unbounded, Problem: NoBound, Node: l}
	if end.Kind == strategy.Now && (f.Strategy == strategy.OneSecond && end.Hi <= 0 || end.Hi <= dead) {
		r.Problem = ExpiredOnly // wherever it starts
		return r
	}
	switch {
	case Open(start), start.Kind == strategy.Fixed && start.Micros < farFuture:
		return r // below the range nothing is kept out
	case start.Kind != strategy.Now:
		return Result{}
	}
	tolerance := 0.0
	if start.Lo != start.Hi {
		tolerance = slack
	}
	switch {
	case start.Hi < dead-tolerance:
		r.Problem = WrongBound
		return r
	case start.Lo < dead-tolerance:
		// It may start too early, which is not known; that it ends now is.
		if end.Kind != strategy.Now || end.Hi > 0 {
			return Result{}
		}
		return Result{Verdict: Bounded, Problem: Ends, By: "a time range", Node: l}
	}
	if start.Stale() && !(f.Strategy == strategy.Default && start.Lo > dead+slack) {
		r.Problem = Stale
		return r
	}
	r = Result{Verdict: Bounded, By: "a time range", Node: l}
	if f.Strategy == strategy.Default && start.Lo > dead+slack {
		r.Problem = HidesNewer
		return r
	}
	if hides(f, end) {
		r.Problem = Ends
	}
	return r
}

// hides reports whether the end of a range hides live cells of the family.
func hides(f *strategy.Family, end strategy.Instant) bool {
	switch end.Kind {
	case strategy.Fixed:
		return !Open(end) && end.Micros < farFuture
	case strategy.Now:
		if f.Strategy != strategy.OneSecond {
			return end.Bounded()
		}
		return f.TTL == 0 || end.Hi < float64(f.TTL) // without a usual lifetime whatever ends
	}
	return false
}

// known reports whether an instant is a constant or open.
func known(i strategy.Instant) bool { return i.Kind == strategy.Fixed || i.Kind == strategy.Never }
