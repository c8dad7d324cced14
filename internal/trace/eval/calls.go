package eval

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Outcome is the operation that stands, in a condition, for the error or the
// boolean that a function returns: Args[0] is the function, the others are its
// arguments, which are not known yet.
const Outcome = "outcome"

// outcome resolves an outcome as far as the arguments decide it.
func (p *Settler) outcome(v *value.Value, call ssa.Instruction) *value.Value {
	fn, ok := v.Args[0].Base().Site.(*ssa.Function)
	if !ok {
		return v
	}
	if p.within[fn] > 0 {
		return v // it asks itself
	}
	defer p.enter(fn)()
	bind := memory.Binder(v.Args[1:], fn)
	binding := p.Reader.Binding(bind, call)
	var found *value.Value
	for _, c := range p.eval.ResultsOf(fn) {
		guards, ok := binding.Guards(c.Guards)
		switch {
		case !ok:
		case len(guards) > 0 || found != nil || len(c.Values) != 1 || !memory.Decided(c.Guards, bind):
			return v
		default:
			found = c.Values[0].Subst(bind)
		}
	}
	if found == nil {
		return v
	}
	return found
}

// enter notes that what a function returns is being resolved, until leave is called: where
// that function calls itself, its result stays open.
func (p *Settler) enter(fn *ssa.Function) (leave func()) {
	p.within[fn]++
	return func() { p.within[fn]-- }
}

// made returns what a function makes that has become known at a call: another
// object at each. fn is the function, nil of another package.
func (p *Settler) made(v *value.Value, call ssa.Instruction, fn *ssa.Function) *value.Value {
	if call == nil {
		return v
	}
	return p.p.Prog.Sites.Resited(v, call, fn)
}

// method resolves the call of a method of a value that has become known, at a
// call.
func (p *Settler) method(v *value.Value, call ssa.Instruction) *value.Value {
	name, ok := v.Args[0].IsStr()
	if !ok {
		return v
	}
	args := v.Args[1:]
	if f := args[0].Method(name); f != nil {
		return p.OneOf(f.Returns(args[1:]), v, nil)
	}
	m := p.p.Prog.Names.MethodNamed(args[0], name)
	if m == nil {
		return v
	}
	if fn := p.p.Prog.Pkg.Prog.FuncValue(m); fn != nil && p.p.Prog.HasBody(kind.Origin(fn)) {
		fn = kind.Origin(fn)
		if v.Class == value.Time && moved(p.p.Prog, fn, p.eval.ResultsOf(fn)) {
			return kind.UnknownOf(fn.Signature.Results().At(0).Type(), "a clock that is moved by hand")
		}
		return p.resultOf(fn, args, v, call)
	}
	if r := p.returnedAbroad(m, args, call); r != nil {
		return r
	}
	return v
}

// returnedAbroad resolves the call of a function of another package that always returns
// the same; nil of others.
func (p *Settler) returnedAbroad(fn *types.Func, args []*value.Value, call ssa.Instruction) *value.Value {
	one := p.p.Prog.Imported(fn).One()
	if one == nil {
		return nil
	}
	return p.Settle(p.made(one, call, nil).Subst(memory.Binder(args, nil)), nil)
}

// invoked resolves the call of a function that has become known, at a call.
func (p *Settler) invoked(v *value.Value, call ssa.Instruction) *value.Value {
	f, args := v.Args[0].Function(), v.Args[1:]
	if f.Is(Once) && len(args) == 0 {
		if r := p.OnceResult(f); r != nil {
			return p.Settle(r, nil)
		}
	}
	if f.Kind != value.Func {
		return v
	}
	if rs := f.Returns(args); len(rs) > 0 {
		return p.OneOf(rs, v, nil)
	}
	switch fn := f.Site.(type) {
	case nil: // from a fact, where its name is all there is
		if strings.HasPrefix(f.Name, "time.") || strings.HasPrefix(f.Name, "bigtable.") {
			return value.Apply(f.Name, args...)
		}
		if m := p.p.Prog.Names.FuncNamed(f.Name); m != nil {
			if r := p.returnedAbroad(m, append(f.Args[:len(f.Args):len(f.Args)], args...), call); r != nil {
				return r
			}
		}
	case *types.Func:
		if name := btapi.Func(fn); name != "" {
			return value.Apply(kind.Canonical(name, fn), args...)
		}
		if r := p.returnedAbroad(fn, args, call); r != nil {
			return r
		}
	case *ssa.Function:
		t := p.p.Prog.FunctionTarget(fn, nil)
		if kind.IsBound(fn) && len(f.Args) == 1 {
			args = append(f.Args[:1:1], args...)
		}
		switch {
		case t.API != "":
			return value.Apply(t.API, args...)
		case t.Fn != nil:
			return p.resultOf(t.Fn, args, v, call)
		case t.Obj == nil:
		case kind.OfInterface(t.Obj):
			return p.method(&value.Value{Kind: value.Call, Name: value.Method, Args: append([]*value.Value{value.StrOf(t.Obj.Name())}, args...), Class: v.Class}, call)
		default:
			if r := p.returnedAbroad(t.Obj, args, call); r != nil {
				return r
			}
		}
	}
	return v
}

// maxWithin bounds how deep in each other the parts are followed for which a function calls
// itself.
const maxWithin = 3

// resultOf resolves the result of a function of this package that is given
// args, in the place of v.
func (p *Settler) resultOf(fn *ssa.Function, args []*value.Value, v *value.Value, call ssa.Instruction) *value.Value {
	switch {
	case !p.eval.endless(fn):
		if p.within[fn] > 0 {
			return v
		}
	case slices.ContainsFunc(args, (*value.Value).HasParams):
		return v // which parts there are, callers say
	case p.within[fn] >= maxWithin:
		return p.Reader.UnknownResult(fn.String(), fn.Signature.Results().At(0).Type(), true)
	}
	defer p.enter(fn)()
	bind := memory.Binder(args, fn)
	var left []summary.ResultCase // those that what is given leaves, with what stays open
	for _, c := range p.eval.ResultsOf(fn) {
		if open, ok := p.Reader.BindGuards(c.Guards, bind, call); ok {
			left = append(left, summary.ResultCase{Guards: open, Values: c.Values})
		}
	}
	if len(left) == 0 {
		return value.UnknownFor("the result of " + fn.Name())
	}
	c := left[p.Way.Choose(v, len(left))]
	if len(c.Values) != 1 {
		return v
	}
	p.Way.Guards = append(p.Way.Guards, c.Guards...)
	return p.Settle(p.made(c.Values[0], call, fn).Subst(bind), nil)
}

// OneOf chooses one of the results that a literal can return at a call, of those
// that its conditions leave.
func (p *Settler) OneOf(returns []*value.Value, key any, call ssa.Instruction) *value.Value {
	type result struct {
		v    *value.Value
		open []summary.Guard
	}
	var left []result
	for _, r := range returns {
		if !r.Is(value.When) {
			left = append(left, result{v: r})
			continue
		}
		var guards []summary.Guard
		for i := 1; i+1 < len(r.Args); i += 2 {
			guards = append(guards, summary.Guard{Cond: r.Args[i], Want: r.Args[i+1].Num != 0})
		}
		if open, ok := p.Reader.BindGuards(guards, func(*value.Value) *value.Value { return nil }, call); ok {
			left = append(left, result{r.Args[0], open})
		}
	}
	if len(left) == 0 {
		return value.UnknownFor("the result of a function literal")
	}
	r := left[p.Way.Choose(key, len(left))]
	p.Way.Guards = append(p.Way.Guards, r.open...)
	return p.Settle(r.v, call)
}

// Once is the operation that stands for the function that sync.OnceValue or
// OnceValues returns. Args[0] is the function given, or, of another package,
// what it returns.
const Once = "sync.OnceValue"

// OnceResult returns what the function of a [Once] returns, nil where that is
// not known.
func (p *Settler) OnceResult(once *value.Value) *value.Value {
	f := once.Args[0].Base()
	fn, ok := f.Site.(*ssa.Function)
	if f.Kind != value.Func {
		return once.Args[0]
	}
	if rs := f.Returns(nil); len(rs) > 0 {
		return p.OneOf(rs, once.Args[0].String(), nil)
	}
	if !ok || !p.p.Prog.HasBody(kind.Origin(fn)) {
		if r := p.Called(value.Apply(value.Invoke, f)); !r.Is(value.Invoke) {
			return r
		}
		return nil
	}
	cases := p.eval.ResultsOf(kind.Origin(fn))
	if len(cases) == 0 {
		return nil
	}
	c := cases[p.Way.Choose(fn, len(cases))]
	if len(c.Values) == 1 {
		return c.Values[0]
	}
	return &value.Value{Kind: value.Tuple, Args: c.Values}
}
