package trace

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// returns finds what the functions of a package return to others.
type returns struct {
	prog   *program.Program
	eval   *eval.Evaluator
	client *event.Tracer
	acts   map[*types.Func]bool   // which of the package's functions have effects
	known  map[*ssa.Function]bool // whether a result of a function may be known
}

func newReturns(t *event.Tracer, acts map[*types.Func]bool) *returns {
	return &returns{t.Prog, t.Eval, t, acts, map[*ssa.Function]bool{}}
}

// simple reports whether it takes less to find what a function returns than to keep it for
// later: that of a getter.
func (p *returns) simple(fn *ssa.Function) bool {
	return len(fn.Blocks) <= 3 && len(p.prog.Calls[fn]) == 0
}

// exported returns what callers in other packages may know of a
// function's results, of which some carry a meaning.
func (p *returns) exported(fn *ssa.Function) []summary.ResultCase {
	if !p.knowable(fn) {
		return nil
	}
	res := fn.Signature.Results()
	var out []summary.ResultCase
	useful := false
	cases, failures := p.eval.ResultsOf(fn), p.eval.Failures(fn)
	parts := p.parts(fn)
	if len(parts) > 0 {
		cases, useful = cases[len(cases)-1:], true
	}
	for _, c := range append(cases[:len(cases):len(cases)], failures...) {
		n := summary.ResultCase{Fails: c.Fails}
		if !c.Fails {
			n.Parts = parts
		}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, p.portableGuard(g, fn))
		}
		for i, v := range c.Values {
			w := value.UnknownFor("an uninteresting result")
			if b := v.Base(); b.Kind == value.Bool {
				w = value.BoolOf(b.Num != 0) // whether there is such a thing, beside it
			} else if i == res.Len()-1 && p.prog.Failures.Decides(fn) {
				w = portable(v, fn) // whether it fails
			} else if i < res.Len() && (p.tells(fn, i) || kind.IsBool(res.At(i).Type()) && v.HasParams()) {
				w = portable(p.withMethods(p.eval.UniquelyClosed(v), res.At(i).Type()), fn)
			}
			w.Class = v.Class
			useful = useful || w.Base().Kind != value.Unknown && w.Kind != value.Bool || w.Kind == value.Via || res.Len() == 1
			n.Values = append(n.Values, w)
		}
		for _, set := range c.Sets {
			of := fn.Params[set.Param].Type()
			w := portable(p.withMethods(p.eval.UniquelyClosed(set.Value), kind.Deref(of)), fn)
			useful = useful || w.Base().Kind != value.Unknown || w.Kind == value.Via
			n.Sets = append(n.Sets, summary.FieldSet{Param: set.Param, Value: w})
		}
		out = append(out, n)
	}
	if !useful {
		return nil
	}
	return out
}

// portableGuard returns what a fact of fn may carry of a condition. Whether
// something succeeds that a call tries, and what a table answers, callers know no more
// of than of anything else that is tried.
func (p *returns) portableGuard(g summary.Guard, fn *ssa.Function) summary.Guard {
	cond := g.Cond.Rewrite(func(v *value.Value) *value.Value {
		if !v.Is(eval.Outcome) || !p.client.Tries(v) && !p.client.AsksTable(v) {
			return nil
		}
		return value.UnknownFor("the outcome of " + v.Args[0].Base().Name)
	})
	return summary.Guard{Cond: portable(cond, fn), Want: g.Want}
}

// meaningful reports whether a value, or what it hands out, carries a meaning.
func meaningful(t types.Type) bool {
	return memory.Meaningful(t, 3) || slices.ContainsFunc(handsOut(t), func(t types.Type) bool { return memory.Meaningful(t, 3) })
}

// handsOut returns the types of what a function hands out: the first
// result of one such as sync.OnceValue returns, what an iterator yields; other types as
// they are.
func handsOut(t types.Type) []types.Type {
	var out []types.Type
	if yielded := kind.Yielded(t); yielded != nil && yielded.Len() > 0 {
		for v := range yielded.Variables() {
			out = append(out, v.Type())
		}
		return out
	}
	if sig, ok := t.Underlying().(*types.Signature); ok && sig.Results().Len() > 0 {
		t = sig.Results().At(0).Type()
	}
	return append(out, t)
}
