package filter

import (
	"math"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// JudgeLimits returns the verdict on the tree for a family with real
// timestamps, of which garbage collection removes what is older than its
// registered age, or superseded by as many versions as are registered. A bound
// that is narrower does as well, and of two limits one: whether a cell must
// exceed both of them is not registered.
func JudgeLimits(t *Tree, f *strategy.Family) Result { return JudgeLimitsWithin(t, f, math.MaxInt) }

// JudgeLimitsWithin is to [JudgeLimits] what [JudgeWithin] is to [Judge].
func JudgeLimitsWithin(t *Tree, f *strategy.Family, rows int) Result {
	var all []Result
	if f.MaxAge > 0 {
		all = append(all, JudgeWithin(t, &strategy.Family{Name: f.Name, Strategy: strategy.Default, TTL: f.MaxAge, MaxAge: f.MaxAge}, rows))
	}
	if f.Versions > 0 {
		all = append(all, JudgeWithin(t, &strategy.Family{Name: f.Name, Strategy: strategy.Sequence, Versions: f.Versions}, rows))
	}
	result := Result{Verdict: Bounded, By: "nothing: its cells are not collected"}
	for i, r := range all {
		switch {
		case r.Verdict != Unbounded:
			return Result{Verdict: r.Verdict, By: r.By} // also one that hides live cells, which is no lack of a bound
		case r.Problem == Stale:
			return Result{}
		case i == 0:
			result = r
		}
	}
	return result
}
