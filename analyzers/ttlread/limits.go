package ttlread

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// collected reports whether garbage collection removes cells of a family with
// real timestamps.
func collected(f *registry.Family) bool {
	return f.Strategy == registry.Real && (f.MaxAge > 0 || f.Versions > 0)
}

// unlimited reports, under the strict rules, reads of families with real
// timestamps that are not bounded as garbage collection is: what it has not
// removed yet is returned.
func (r *read) unlimited(families []check.Target) []check.Finding {
	if !r.p.Strict() {
		return nil
	}
	var js []judged
	for _, t := range families {
		if !collected(t.Family) || t.Family.MaxAge > 0 && r.uses.Checks(t.Family.Name) {
			continue
		}
		if res := filter.JudgeLimits(r.tree, t.Family); res.Verdict == filter.Unbounded {
			js = append(js, judged{t, res})
		}
	}
	if len(js) == 0 {
		return nil
	}
	f := r.finding("missing-filter", js)
	f.Fix = r.limitingFix(js)
	return []check.Finding{f}
}

// limitingFix bounds a read of one family, where that touches no other.
func (r *read) limitingFix(js []judged) *analysis.SuggestedFix {
	if len(js) != 1 || r.bareIn(js[0].target.Family, js[0].target.Table) {
		return nil
	}
	return r.fix("missing-filter", js)
}
