package result

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Run is one way in which values can reach an event, with the steps by
// which they were found, the innermost first.
type Run struct {
	Case  summary.Case
	Steps []eval.Step
}

// Runs resolves an event once more and records how.
func (r *Result) Runs(e *event.Event) []Run {
	p := r.tracer
	if p == nil || e.Resolve == nil {
		return nil
	}
	p.eval.Trace = &eval.Log{}
	defer func() { p.eval.Trace = nil }()
	var runs []Run
	seen := map[string]bool{}
	complete := p.eval.Sample(true, eval.MaxRuns, func(q *eval.Path) []*value.Value {
		p.eval.Trace.Steps = nil
		return e.Resolve(q)
	}, func(q *eval.Path, vs []*value.Value) {
		c := summary.Case{Args: vs, Guards: summary.UniqueGuards(q.Way.Guards), When: summary.UniqueGuards(q.Way.When)}.WithPicks(q.Picks())
		key := summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(vs)
		if !seen[key] {
			seen[key] = true
			runs = append(runs, Run{c, p.eval.Trace.Steps})
		}
	})
	if last := len(e.Cases) - 1; last >= 0 && (!complete || len(runs) == 0) {
		runs = append(runs, Run{Case: e.Cases[last]}) // what was given up on
	}
	return runs
}

// Named returns a value with its parameters under their names, for people to
// read.
func Named(v *value.Value) *value.Value {
	return v.Subst(func(leaf *value.Value) *value.Value {
		fn, ok := leaf.Site.(*ssa.Function)
		if !ok || leaf.Kind != value.Param || int(leaf.Num) >= len(fn.Params) {
			return nil
		}
		name := fn.Params[leaf.Num].Name()
		if name == "" {
			name = "_"
		}
		return &value.Value{Kind: value.Global, Name: name, Class: leaf.Class}
	})
}
