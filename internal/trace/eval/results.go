package eval

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// results is the memoised result of a function's returns.
type results struct {
	busy    bool // being resolved
	open    bool // for the first time
	asked   bool // by what is being resolved for it
	endless bool // what it gets from itself is known call by call
	depth   int  // how many others are being resolved around it
	low     int  // the outermost of them that it asks for
	cases   []summary.ResultCase
}

// ResultsOf returns the combinations of results of a function of this
// package, over its parameters. While they are being resolved it returns what is
// known so far: see [Evaluator.fixpoint].
func (p *Evaluator) ResultsOf(fn *ssa.Function) []summary.ResultCase {
	r := p.results[fn]
	if r == nil {
		r = &results{busy: true, depth: len(p.resolving)}
		r.low = r.depth
		p.results[fn] = r
		p.resolving = append(p.resolving, r)
		p.fixpoint(fn, r)
		p.resolving = p.resolving[:r.depth]
		r.busy = false
		if r.low < r.depth { // it rests on what is not known to its end
			p.provisional = append(p.provisional, fn)
			outer := p.resolving[r.depth-1]
			outer.low = min(outer.low, r.low)
		}
		return r.cases
	}
	if r.busy && len(p.resolving) > 0 {
		r.asked = true
		last := p.resolving[len(p.resolving)-1]
		last.low = min(last.low, r.depth)
	}
	return r.cases
}

// tangled is the reason for which a result of such functions is not known.
const tangled = "the result of functions that call each other"

// maxRounds bounds how often the results of a recursive function are resolved.
const maxRounds = 4

// fixpoint resolves the results of a function. Those of one that calls itself are
// first what it returns without that, then what it returns with that, until there is
// nothing new; where that does not end, what it gets from itself stays a call, which is
// resolved where it is known what it gives itself.
func (p *Evaluator) fixpoint(fn *ssa.Function, r *results) {
	known := ""
	for round := 1; ; round++ {
		since := len(p.provisional)
		r.open = round == 1
		cases := p.returns(fn)
		if !r.asked || round > maxRounds {
			r.cases = cases
			return
		}
		if r.low < r.depth {
			// Of two that call each other and themselves one at a time is resolved.
			r.cases = append(cases, summary.ResultCase{Values: UnknownCase(fn.Signature.Results().Len(), tangled).Args})
			return
		}
		for _, other := range p.provisional[since:] {
			delete(p.results, other)
		}
		p.provisional = p.provisional[:since]
		now := ""
		r.cases = nil
		for _, c := range cases {
			// What it returns under which condition is another call's matter.
			if s := summary.ArgString(c.Values) + fmt.Sprint(c.Sets); !strings.Contains(now, s+"\n") {
				now += s + "\n"
				r.cases = append(r.cases, summary.ResultCase{Values: c.Values, Sets: c.Sets})
			}
		}
		switch {
		case now == known && now != "":
			r.cases = cases
			return
		case round == maxRounds || now == "":
			r.cases = nil
			r.endless = true
			round = maxRounds
		}
		known = now
	}
}

// unresolved reports whether nothing is known yet of what a function returns: the way
// on which it is asked for is none that its own first results come by.
func (p *Evaluator) unresolved(fn *ssa.Function) bool {
	r := p.results[fn]
	return r != nil && r.busy && r.open
}

// endless reports whether what a function gets from itself hangs on what it gives itself: it
// is known where that is.
func (p *Evaluator) endless(fn *ssa.Function) bool {
	r := p.results[fn]
	return r != nil && r.endless
}

// held returns what a way through a function literal takes from the functions around it.
func held(fn *ssa.Function, q *Path) []summary.Held {
	if fn.Parent() == nil {
		return nil
	}
	return q.Way.Held(fn)
}

func (p *Evaluator) returns(fn *ssa.Function) []summary.ResultCase {
	leaves := p.Memory.Objects.Leaves(fn)
	cases := p.returnedAt(fn, exits(fn, false), len(leaves), func(q *Path, ret *ssa.Return) (vs []*value.Value) {
		for _, r := range ret.Results {
			vs = append(vs, q.Settler.Force(q.Reader.Now(r, ret), 4))
		}
		for _, i := range leaves {
			vs = append(vs, q.Settler.Force(q.Reader.Leaves(fn.Params[i], ret), 4))
		}
		q.succeeds(ret)
		return vs
	})
	n := fn.Signature.Results().Len()
	for i, c := range cases {
		for j, param := range leaves {
			cases[i].Sets = append(cases[i].Sets, summary.FieldSet{Param: param, Value: c.Values[n+j]})
		}
		cases[i].Values = c.Values[:n:n]
	}
	return cases
}

// Source returns what a call is given where that comes out of it as it went in, and
// otherwise the value itself.
func (p *Evaluator) Source(v ssa.Value) ssa.Value {
	for {
		call, ok := v.(*ssa.Call)
		if !ok {
			return v
		}
		var cases []summary.ResultCase
		t, _ := p.Prog.Target(&call.Call)
		if t.Fn != nil {
			cases = p.ResultsOf(t.Fn)
		} else if s := p.Prog.Imported(t.Obj); s != nil {
			cases = s.Results.Cases()
		}
		if len(cases) != 1 || len(cases[0].Guards) > 0 || len(cases[0].Values) != 1 {
			return v
		}
		given := cases[0].Values[0]
		if given.Kind != value.Param || given.Name != "" || int(given.Num) >= len(t.Args) || t.Fn != nil && given.Site != any(t.Fn) {
			return v
		}
		v = t.Args[given.Num]
	}
}

// Failures returns under which conditions a function returns an error: whether it does
// is all that anybody asks of a call that fails. It is nil where that hangs on others.
func (p *Evaluator) Failures(fn *ssa.Function) []summary.ResultCase {
	known, ok := p.failing[fn]
	if !ok && p.Prog.Failures.Decides(fn) {
		p.failing[fn] = nil // recursion adds nothing
		known = p.returnedAt(fn, exits(fn, true), 0, func(*Path, *ssa.Return) []*value.Value {
			n := fn.Signature.Results().Len()
			return append(UnknownCase(n-1, "what is returned beside an error").Args, value.Apply("errors.New", value.UnknownFor("an error")))
		})
		for i := range known {
			known[i].Fails = true
		}
		p.failing[fn] = known
	}
	return known
}

// exits lists the returns of a function at which it fails, or all others.
func exits(fn *ssa.Function, fails bool) (rets []*ssa.Return) {
	return slices.DeleteFunc(kind.ReturnsOf(fn), func(r *ssa.Return) bool { return kind.Fails(r.Results, r) != fails })
}

// returnedAt returns the combinations of what a function returns at some of its returns, and
// of so many values beside.
func (p *Evaluator) returnedAt(fn *ssa.Function, rets []*ssa.Return, beside int, results func(*Path, *ssa.Return) []*value.Value) []summary.ResultCase {
	if len(rets) == 0 {
		return nil
	}
	var cases []summary.ResultCase
	var d distinct
	complete := p.Explore(false, MaxRuns, func(q *Path) []*value.Value {
		ret := rets[q.Way.Choose(fn, len(rets))]
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.Guards)
		return results(q, ret)
	}, func(q *Path, vs []*value.Value) {
		c := summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs}.WithHeld(held(fn, q))
		if d.index(func() string { return summary.GuardString(c.Guards) + fmt.Sprint(c.Held()) + summary.ArgString(vs) }) == len(cases) {
			cases = append(cases, c)
		}
	})
	n := fn.Signature.Results().Len() + beside
	switch {
	case !complete:
		return []summary.ResultCase{{Values: UnknownCase(n, TooMany).Args}}
	case len(cases) > MaxResults:
		cases = append(cases[:MaxResults], summary.ResultCase{Values: UnknownCase(n, TooMany).Args})
	}
	return cases
}
