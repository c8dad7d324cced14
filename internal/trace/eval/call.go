package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// call resolves the result of a call.
func (p *Path) call(v *ssa.Call) *value.Value {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return p.builtin(b.Name(), v)
	}
	t, ok := p.p.Prog.Target(&v.Call)
	if !ok {
		if r := p.literalResult(v); r != nil {
			return r
		}
		t, ok = p.dynamic(&v.Call, v)
	} else if v.Call.IsInvoke() {
		if r := p.literalResult(v); r != nil {
			return r
		}
		// What the receiver is known to be says more than the interface.
		if d, ok := p.dynamic(&v.Call, v); ok {
			t = d
		}
	}
	if !ok {
		if r := p.agreedResult(v); r != nil {
			return r
		}
		return p.dynamicResult(v)
	}
	return p.result(t, v)
}

// dynamic finds what a call runs by the value of the function or receiver.
func (p *Path) dynamic(common *ssa.CallCommon, at ssa.Instruction) (program.Target, bool) {
	v := p.Way.Eval(common.Value, at)
	b := v.Base()
	if common.IsInvoke() {
		args := append([]ssa.Value{common.Value}, common.Args...)
		m := p.p.Prog.Names.MethodOf(v, common.Method)
		if name := helper.Method(b, common.Method.Name()); m == nil && name != "" {
			return program.Target{API: name, Args: args}, true
		}
		if m == nil {
			return program.Target{}, false
		}
		return p.p.Prog.MethodTarget(m, args), true
	}
	return p.p.runs(p.entry(b, at).Function(), common.Args)
}

// Callee finds what a call of a function of that value runs, or of an object's method; the
// target is without arguments.
func (p *Evaluator) Callee(v *value.Value, method string) (program.Target, bool) {
	if method == "" {
		return p.runs(v.Function(), nil)
	}
	if m := p.Prog.Names.MethodNamed(v, method); m != nil {
		return p.Prog.MethodTarget(m, nil), true
	}
	return program.Target{}, false
}

// runs returns what a call runs of a function of that value.
func (p *Evaluator) runs(f *value.Value, args []ssa.Value) (program.Target, bool) {
	if f.Kind != value.Func {
		return program.Target{}, false
	}
	switch fn := f.Site.(type) {
	case *ssa.Function:
		t := p.Prog.FunctionTarget(fn, args)
		if kind.IsBound(fn) && len(f.Args) == 1 {
			t.Recv = f.Args[0]
			if t.Obj != nil && kind.OfInterface(t.Obj) {
				return p.ofInterface(fn, t)
			}
		}
		return t, true
	case *types.Func:
		if name := btapi.Func(fn); name != "" {
			return program.Target{API: kind.Canonical(name, fn), Args: args}, true
		}
		return program.Target{Obj: fn, Args: args}, true
	}
	return program.Target{}, false
}

// ofInterface finds what a method value of an interface runs, t, as a call of that method
// does: by what its receiver is, or by the types that implement the interface.
func (p *Evaluator) ofInterface(fn *ssa.Function, t program.Target) (program.Target, bool) {
	is, ok := p.Prog.Target(&ssa.CallCommon{Value: fn.FreeVars[0], Method: t.Obj})
	if m := p.Prog.Names.MethodNamed(t.Recv, t.Obj.Name()); m != nil {
		is, ok = p.Prog.MethodTarget(m, nil), true
	}
	is.Args, is.Recv = t.Args, t.Recv
	return is, ok
}

// result resolves the result of a call of a known target: one value, or a
// tuple.
func (p *Path) result(t program.Target, v *ssa.Call) *value.Value {
	switch {
	case t.API != "":
		return p.api(t, v)
	case t.Fn != nil:
		cases := p.p.ResultsOf(t.Fn)
		if p.p.unresolved(t.Fn) {
			p.Way.Blocked = true
		}
		if p.p.endless(t.Fn) && t.Fn == v.Parent() && t.Fn.Signature.Results().Len() == 1 {
			args := p.Reader.Arguments(t, v).All()
			return &value.Value{Kind: value.Call, Name: value.Invoke, Args: append([]*value.Value{p.function(t.Fn)}, args...), Class: kind.ClassOf(v.Type())}
		}
		return p.pick(cases, p.p.Memory.Objects.Sets(t.Fn), t, v, t.Fn, kind.Object(t.Fn))
	case isOnce(t.Obj):
		return &value.Value{Kind: value.Call, Name: Once, Args: p.Reader.Arguments(t, v).All()}
	case t.Obj != nil && (kind.FuncKey(t.Obj) == "iter.Pull" || kind.FuncKey(t.Obj) == "iter.Pull2") && len(t.Args) == 1:
		return p.Settler.Pulled(p.Way.Eval(t.Args[0], v))
	case t.Obj != nil && kind.FuncKey(t.Obj) == "sync.Map.LoadOrStore" && len(t.Args) == 3:
		// What is there under the key is what it was given before.
		return &value.Value{Kind: value.Tuple, Args: []*value.Value{p.Way.Eval(t.Args[2], v), value.UnknownFor("whether a map has a key")}}
	case t.Obj != nil:
		s := p.p.Prog.Imported(t.Obj)
		if s == nil || s.Empty() {
			return p.Reader.UnknownResult(kind.FuncKey(t.Obj), v.Type(), p.p.Prog.Analysed(t.Obj))
		}
		return p.pick(s.Results.Cases(), s.Sets, t, v, nil, t.Obj)
	}
	return kind.UnknownOf(v.Type(), "the result of a call that is not known")
}

// pick chooses one of the results of a function and puts the arguments in
// the place of its parameters.
func (p *Path) pick(cases []summary.ResultCase, sets []summary.FieldSet, t program.Target, v *ssa.Call, site *ssa.Function, obj *types.Func) *value.Value {
	name := "a function literal"
	if obj != nil {
		name = kind.FuncKey(obj)
	}
	last := len(cases) - 1
	if last < 0 {
		return p.Reader.UnknownResult(name, v.Type(), true)
	}
	tooMany := isTooMany(t, cases[last])
	if tooMany {
		cases = cases[last:] // field by field
	}
	args := p.Reader.Arguments(t, v)
	bind := args.Binder(site)
	// Cases that the arguments rule out are no choice.
	binding := p.Reader.Binding(bind, v)
	if p.Way.Frozen() && !p.Way.Chose(v) && p.p.Prog.Failures.Tells(v) { // a condition may ask
		if site != nil {
			cases = append(cases[:len(cases):len(cases)], p.p.Failures(site)...)
		} else {
			cases = append(cases[:len(cases):len(cases)], p.p.Prog.Imported(obj).Results.Failures()...)
		}
	}
	open, hangs := openCases(cases, binding)
	if hangs && !alike(open) {
		return kind.UnknownOf(v.Type(), "the result of "+name+", which hangs on what a loop collects")
	}
	if len(open) == 0 {
		return kind.UnknownOf(v.Type(), "the result of "+name)
	}
	if p.Way.Frozen() && len(open) > 1 && site != nil && isOutcome(v.Type()) {
		return &value.Value{Kind: value.Call, Name: Outcome, Args: append([]*value.Value{p.function(site)}, args.All()...)}
	}
	if p.Way.Frozen() && len(open) > 1 && !p.Way.Chose(v) {
		if r := p.undecided(open, binding, v, bind); r != nil {
			return r
		}
	}
	c := p.choose(open, binding, t, v, site)
	test := p.p.Prog.IsTest(v.Pos())
	var out []*value.Value
	for i, raw := range c.Values {
		if tooMany && raw.Kind == value.Unknown && raw.Name == TooMany {
			if s := p.apart(part{fn: site, result: i}, c, t, v, args); s != nil {
				out = append(out, s.At(p.p.Prog.Syntax.Expr(v.Pos())))
				continue
			}
		}
		if test {
			raw = p.WithoutTestClocks(raw, bind, v)
		}
		r := p.Reader.Returned(raw, p.p.Prog.Sites.Resited(raw, v, site).Subst(bind), sets, v, site, bind)
		r = p.p.Clocks.Readings(p.Settler.Settle(r, v), t, args)
		if raw.Kind != value.Param || r.Expr == nil || kind.IsPointer(v.Type()) {
			r = r.At(p.p.Prog.Syntax.Expr(v.Pos()))
		} // what comes out as it went in is made elsewhere
		out = append(out, r)
	}
	switch {
	case len(out) == 1 && c.Values[0].Kind == value.Param:
		return out[0] // nor does it come from the function
	case len(out) == 1:
		return memory.ViaHandle(name, out[0], v.Type())
	}
	return p.Reader.Via(name, &value.Value{Kind: value.Tuple, Args: out}, v.Type())
}

// openCases returns the results of a function that the arguments of a call do not rule out,
// and whether they hang on what a loop collects.
func openCases(cases []summary.ResultCase, binding *memory.Binding) (open []summary.ResultCase, hangs bool) {
	for _, c := range cases {
		if _, ok := binding.Guards(c.Guards); ok {
			open = append(open, c)
			for _, g := range c.Guards {
				hangs = hangs || ofCollected(binding.Value(g.Cond))
			}
		}
	}
	return open, hangs
}

// choose chooses one of the results that a call can have.
func (p *Path) choose(open []summary.ResultCase, binding *memory.Binding, t program.Target, v *ssa.Call, site *ssa.Function) summary.ResultCase {
	c := open[p.Way.Choose(v, len(open))]
	guards, _ := binding.Guards(c.Guards)
	p.Way.Guards = append(p.Way.Guards, guards...)
	if len(open) > 1 || len(c.Held()) > 0 {
		p.assumeCase(c, t, site)
	}
	return c
}

// assumeCase records what a result of a function says of the conditions of its caller:
// those that it is given, and those that a literal captures.
func (p *Path) assumeCase(c summary.ResultCase, t program.Target, fn *ssa.Function) {
	for _, h := range c.Held() {
		p.Way.AssumeHeld(h)
	}
	for _, g := range c.Guards {
		if param := g.Cond; param.Kind == value.Param && param.Site == any(fn) && fn != nil && t.Recv == nil && len(t.Args) == len(fn.Params) {
			p.Way.AssumeHeld(summary.Held{Cond: t.Args[param.Num], Want: g.Want})
		}
	}
}

// alike reports whether a function returns the same in all these cases.
func alike(cases []summary.ResultCase) bool {
	for _, c := range cases[1:] {
		if !slices.EqualFunc(c.Values, cases[0].Values, func(x, y *value.Value) bool { return x.String() == y.String() }) {
			return false
		}
	}
	return true
}

// ofCollected reports whether a condition hangs on a list of which it is not
// known, and no parameter says, which elements it has. Of the cells of a family
// it does not matter.
func ofCollected(cond *value.Value) bool {
	return !cond.HasParams() && cond.Has(func(v *value.Value) bool {
		return v.Is(value.Where) && !v.Args[0].Base().Is(kind.Cells) || v.Kind == value.Unknown && v.Name == listed
	})
}

// builtin resolves append, len, min and max.
func (p *Path) builtin(name string, v *ssa.Call) *value.Value {
	args := v.Call.Args
	switch name {
	case "append":
		if len(args) == 1 {
			return p.Way.Eval(args[0], v)
		}
		return value.Concat(p.Way.Eval(args[0], v), p.Way.Eval(args[1], v))
	case "len":
		if p.Way.Empty(args[0]) {
			return value.IntOf(0)
		}
		return value.Apply(value.Len, p.Way.Eval(args[0], v))
	case value.Min, value.Max:
		var of []*value.Value
		for _, a := range args {
			of = append(of, p.Way.Eval(a, v))
		}
		return value.Apply(name, of...)
	case "recover":
		if p.deferred != nil {
			return value.NilValue() // what a function returns that does not panic
		}
	}
	return kind.UnknownOf(v.Type(), "the result of "+name)
}

// maxTargets bounds the ways on which it is asked what one call runs.
const maxTargets = 24

// Targets finds what a call may run, by its instruction or by values.
func (p *Evaluator) Targets(call ssa.CallInstruction) []program.Target {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok || common.IsInvoke() && common.Method.Pkg() == nil {
		return nil // the Error of an error says what went wrong, and does nothing
	}
	known, ok := p.Prog.Target(common)
	if ok && !common.IsInvoke() {
		return []program.Target{known}
	}
	byInterface := ok && known.API == ""
	if ts, ok := p.dynamics[call]; ok {
		return ts
	}
	var found []program.Target
	seen := map[any]bool{}
	p.Explore(true, maxTargets, func(q *Path) []*value.Value {
		if t, ok := q.dynamic(common, call); ok {
			key := any(t.API)
			if t.Fn != nil {
				key = t.Fn
			} else if t.Obj != nil {
				key = t.Obj
			}
			if !seen[key] {
				seen[key] = true
				found = append(found, t)
			}
		}
		return nil
	}, func(*Path, []*value.Value) {})
	switch {
	case byInterface:
		// What is known of the interface's method, by its only type in this
		// package or by facts, and those of the types that values are known to
		// have.
		found = slices.DeleteFunc(found, func(t program.Target) bool { return t.Fn == known.Fn && t.Obj == known.Obj })
		found = append(found, known)
	case ok:
		// The client's method by its shape, unless the value is known to have
		// one of its own.
		found = slices.DeleteFunc(found, func(t program.Target) bool { return t.Fn == nil && !p.adds(t.Obj, known.API) })
		if len(found) == 0 {
			found = []program.Target{known}
		}
	}
	if len(found) == 0 {
		p.dynamics[call] = nil // while it is looked for
		if common.IsInvoke() {
			found = p.given(call)
		} else {
			found = p.handler(call)
		}
	}
	p.dynamics[call] = found
	for _, t := range found {
		if t.Fn != nil && t.Fn != known.Fn {
			p.Prog.Callers[t.Fn] = append(p.Prog.Callers[t.Fn], call)
		}
	}
	return found
}

// adds reports whether a function of another package is known to make a call of
// the client with options of its own: a decorator. One that only passes on what
// it is given is its table.
func (p *Evaluator) adds(fn *types.Func, api string) bool {
	if fn == nil {
		return false
	}
	s := p.Prog.Imported(fn)
	relevant, _ := btapi.Relevant(api)
	last := 0
	if len(relevant) > 0 {
		last = relevant[len(relevant)-1]
	}
	return s != nil && slices.ContainsFunc(s.Effects, func(e summary.Effect) bool {
		return e.Op == api && slices.ContainsFunc(e.Cases, func(c summary.Case) bool {
			return len(relevant) > 0 && last < len(c.Args) && c.Args[last].Base().Kind != value.Param
		})
	})
}
