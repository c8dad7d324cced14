package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// results is the memoised result of a function's returns.
type results struct {
	busy  bool
	cases []summary.ResultCase
}

// ResultsOf returns the combinations of results of a function of this
// package, over its parameters.
func (p *Evaluator) ResultsOf(fn *ssa.Function) []summary.ResultCase {
	r := p.results[fn]
	if r == nil {
		r = &results{busy: true}
		p.results[fn] = r
		r.cases = p.returns(fn)
		r.busy = false
	}
	if r.busy {
		return nil
	}
	return r.cases
}

func (p *Evaluator) returns(fn *ssa.Function) []summary.ResultCase {
	var rets []*ssa.Return
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 || b == fn.Recover {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !kind.Fails(r) {
			rets = append(rets, r)
		}
	}
	if len(rets) == 0 {
		return nil
	}
	var cases []summary.ResultCase
	var d distinct
	complete := p.Explore(false, MaxRuns, func(q *Path) []*value.Value {
		ret := rets[q.Choose(fn, len(rets))]
		q.AssumeBlock(ret.Block(), nil, &q.Guards)
		var vs []*value.Value
		for _, r := range ret.Results {
			vs = append(vs, q.Force(q.Eval(r, ret), 4))
		}
		return vs
	}, func(q *Path, vs []*value.Value) {
		c := summary.ResultCase{Guards: summary.UniqueGuards(q.Guards), Values: vs}
		if d.isNew(func() string { return summary.GuardString(c.Guards) + summary.ArgString(vs) }) {
			cases = append(cases, c)
		}
	})
	n := fn.Signature.Results().Len()
	switch {
	case !complete:
		return []summary.ResultCase{{Values: UnknownCase(n, TooMany).Args}}
	case len(cases) > MaxResults:
		cases = append(cases[:MaxResults], summary.ResultCase{Values: UnknownCase(n, TooMany).Args})
	}
	return cases
}
