package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A function that wraps another returns a literal that has captured it: which one a
// call of the literal runs is the wrapping call's to say.

// closure resolves a function literal or a method value.
func (p *Path) closure(v *ssa.MakeClosure) *value.Value {
	fn := v.Fn.(*ssa.Function)
	f := p.function(fn)
	if kind.IsBound(fn) && len(v.Bindings) == 1 {
		f.Args = []*value.Value{p.Way.Eval(v.Bindings[0], v)}
	}
	if p.p.IsClosure(fn) {
		keys, args := f.Keys, f.Args
		for _, param := range p.p.Prog.CapturedBy(v) {
			keys, args = append(keys, program.BesideKey(param)), append(args, p.Way.Eval(param, nil))
		}
		f = value.Closure(f, keys, args)
	}
	return f
}

// IsClosure reports whether a function is a literal that is known by what it has
// captured: of one that only sets fields or returns something, that is known.
func (p *Evaluator) IsClosure(fn *ssa.Function) bool {
	if fn.Parent() == nil || !kind.TakesCommands(fn.Signature) || len(p.Prog.CapturedBy(p.Prog.Closures[fn])) == 0 {
		return false
	}
	f := p.path(false).function(fn)
	return plain(f) || f.Captures()
}

// plain reports whether nothing is known of a function but which it is.
func plain(f *value.Value) bool { return f.Num == 0 && len(f.Args) == 0 }

// BindCaptured is like bind, which puts the arguments of a call in the place of its
// callee's parameters, and puts what a literal has captured that the call runs in
// the place of the parameters of the functions around it. A callback of those is
// not known where the literal is not.
func (p *Path) BindCaptured(bind func(*value.Value) *value.Value, call ssa.CallInstruction, callee *ssa.Function) func(*value.Value) *value.Value {
	if callee == nil || call.Common().IsInvoke() || call.Common().StaticCallee() != nil || !p.p.IsClosure(callee) || kind.Within(call.Parent(), callee.Parent()) || call.Parent() == callee.Parent() {
		return bind
	}
	f := p.Way.Eval(call.Common().Value, call)
	return func(leaf *value.Value) *value.Value {
		if v := bind(leaf); v != nil {
			return v
		}
		return CapturedOf(f, leaf, callee)
	}
}

// CapturedOf returns what a function, of which it may not be known yet that it is
// the literal, has captured of a parameter of a function around that; nil of other
// values.
func CapturedOf(f, leaf *value.Value, literal *ssa.Function) *value.Value {
	fn, ok := leaf.Site.(*ssa.Function)
	if !ok || leaf.Kind != value.Param || !kind.Within(literal, fn) || int(leaf.Num) >= len(fn.Params) {
		return nil
	}
	return value.Apply(value.Captured, f, value.StrOf(program.BesideKey(fn.Params[leaf.Num])))
}

// unwrapped reports whether a function that a loop wraps may be the one that it was
// before, on a way that takes no turn of the loop: where the loop has nothing to run
// over, which callers may say.
func (p *Path) unwrapped(v *ssa.Phi) bool {
	if _, ok := v.Type().Underlying().(*types.Signature); !ok {
		return true
	}
	if _, ok := p.Way.Turnless(v.Block()); !ok {
		return true
	}
	over := control.RunsOver(v.Block())
	if over == nil {
		return false
	}
	empty := value.Apply("==", value.Apply(value.Len, p.Way.Eval(over, nil)), value.IntOf(0))
	if holds, ok := instant.Decide(empty); ok || !empty.HasParams() {
		return holds
	}
	p.Way.Guards = append(p.Way.Guards, summary.Guard{Cond: empty, Want: true})
	return true
}
