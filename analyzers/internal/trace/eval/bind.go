package eval

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/collection"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/memory"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Operations that stand for calls of what is not known yet.
const (
	Invoke = value.Invoke
	Method = value.Method
)

// Outcome is the operation that stands, in a condition, for the error or the
// boolean that a function returns: Args[0] is the function, the others are its
// arguments, which are not known yet.
const Outcome = "outcome"

// isOutcome reports whether a function of that result tells whether something
// is so.
func isOutcome(t types.Type) bool { return kind.IsError(t) || kind.IsBool(t) }

// outcome resolves an outcome as far as the arguments decide it.
func (p *Path) outcome(v *value.Value, call ssa.Instruction) *value.Value {
	fn, ok := v.Args[0].Base().Site.(*ssa.Function)
	if !ok {
		return v
	}
	bind := memory.Binder(v.Args[1:], fn)
	binding := p.Binding(bind, call)
	var found *value.Value
	for _, c := range p.p.ResultsOf(fn) {
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

// dynamicResult resolves the call of a function value that is not known yet.
func (p *Path) dynamicResult(v *ssa.Call) *value.Value {
	return p.p.Clocks.Reading(p, v, p.laterResult(v))
}

func (p *Path) laterResult(v *ssa.Call) *value.Value {
	_, isTuple := v.Type().(*types.Tuple)
	if !v.Call.IsInvoke() && !isTuple {
		if f := p.Eval(v.Call.Value, v); f.HasParams() && !f.Base().Is(Once) {
			return p.Later(v, f)
		}
	}
	if r := p.onceValue(v); r != nil {
		return r
	}
	if r := p.onceCalled(v); r != nil {
		return r
	}
	if v.Call.IsInvoke() && !isTuple {
		if recv := p.Argument(v.Call.Value, v); recv.HasParams() && btapi.Func(v.Call.Method) == "" {
			return p.Later(v, recv)
		}
	}
	return kind.UnknownOf(v.Type(), "the result of a call that is decided at run time")
}

// Later is the call of a function, or of a method of a value, that is not known
// yet.
func (p *Path) Later(v *ssa.Call, called *value.Value) *value.Value {
	r := &value.Value{Kind: value.Call, Name: Invoke, Args: []*value.Value{called}, Class: kind.ClassOf(v.Type())}
	if v.Call.IsInvoke() {
		r.Name, r.Args = Method, []*value.Value{value.StrOf(v.Call.Method.Name()), called}
	}
	for _, a := range v.Call.Args {
		r.Args = append(r.Args, p.Argument(a, v))
	}
	return r
}

// Settle resolves what the arguments of a call have decided in a value of
// its callee: elements of lists, calls of functions, fields.
func (p *Path) Settle(v *value.Value, call ssa.Instruction) *value.Value {
	if len(v.Args) == 0 || v.Lazy != nil {
		return v
	}
	var args []*value.Value
	for i, a := range v.Args {
		b := p.Settle(a, call)
		if b != a && args == nil {
			args = append(make([]*value.Value, 0, len(v.Args)), v.Args[:i]...)
		}
		if args != nil {
			args = append(args, b)
		}
	}
	if args != nil {
		c := *v
		c.Args = args
		w := &c
		if v.Kind == value.Call && !kind.Makers[v.Name] {
			w = v.Reapply(args...)
		}
		if v.Kind == value.Field {
			w = value.FieldOf(args[0], v.Name, v.Class)
		}
		v = w
	}
	switch {
	case v.Is(value.Elem):
		return p.anyElement(v, call)
	case v.Is(value.Index):
		return p.firstOf(v, call)
	case v.Is(value.If):
		return p.either(v, call)
	case v.Is(Invoke):
		return p.invoked(v, call)
	case v.Is(Method):
		return p.method(v, call)
	case v.Is(Yielded):
		return p.yielded(v, elementOf{call, v.Args[0].String()}, call)
	case v.Is(value.After):
		return p.after(v, call)
	case v.Is(Outcome):
		return p.outcome(v, call)
	case v.Kind == value.Field:
		return p.Closed(v)
	}
	return v
}

// Called resolves the call of a function, or of a method of a value, that has
// become known.
func (p *Path) Called(later *value.Value) *value.Value {
	if later.Is(Method) {
		return p.method(later, nil)
	}
	return p.invoked(later, nil)
}

// An elementOf is the key of the choice of an element of a list.
type elementOf struct {
	call ssa.Instruction
	list string
}

func (p *Path) anyElement(v *value.Value, call ssa.Instruction) *value.Value {
	list := v.Args[0].Base()
	if list.Kind != value.List || len(list.Args) == 0 {
		return v
	}
	known, open := collection.Members(list)
	n := len(known)
	if n == 0 {
		return v
	}
	if open {
		n++
	}
	if i := p.Choose(elementOf{call, list.String()}, n); i < len(known) {
		return known[i]
	}
	return value.UnknownFor("an element of a list that is not known")
}

// either resolves a value that hangs on a condition: both are chosen where the
// condition is none of parameters, which callers know.
func (p *Path) either(v *value.Value, call ssa.Instruction) *value.Value {
	holds, ok := instant.Decide(v.Args[0])
	if !ok {
		if v.Args[0].HasParams() || p.Frozen() {
			return v
		}
		holds = p.Choose(elementOf{call, v.Args[0].String()}, 2) == 1
	}
	if holds {
		return v.Args[1]
	}
	return v.Args[2]
}

// made returns what a function makes that has become known at a call: another
// object at each. fn is the function, nil of another package.
func (p *Path) made(v *value.Value, call ssa.Instruction, fn *ssa.Function) *value.Value {
	if call == nil {
		return v
	}
	return p.p.Resited(v, call, fn)
}

// method resolves the call of a method of a value that has become known, at a
// call.
func (p *Path) method(v *value.Value, call ssa.Instruction) *value.Value {
	name, ok := v.Args[0].IsStr()
	if !ok {
		return v
	}
	args := v.Args[1:]
	if f := args[0].Method(name); f != nil {
		return p.oneOf(f.Returns(args[1:]), v, nil)
	}
	m := p.p.MethodNamed(args[0].Base(), name)
	if m == nil {
		return v
	}
	if fn := p.p.Pkg.Prog.FuncValue(m); fn != nil && p.p.HasBody(kind.Origin(fn)) {
		fn = kind.Origin(fn)
		cases := p.p.ResultsOf(fn)
		if len(cases) == 0 {
			return value.UnknownFor("the result of " + name)
		}
		if c := cases[p.Choose(v, len(cases))]; len(c.Values) == 1 {
			return p.Settle(p.made(c.Values[0], call, fn).Subst(memory.Binder(args, fn)), nil)
		}
		return v
	}
	if s := p.p.Imported(m); s != nil && len(s.Results) == 1 && len(s.Results[0].Values) == 1 {
		return p.Settle(p.made(s.Results[0].Values[0], call, nil).Subst(memory.Binder(args, nil)), nil)
	}
	return v
}

// invoked resolves the call of a function that has become known, at a call.
func (p *Path) invoked(v *value.Value, call ssa.Instruction) *value.Value {
	f, args := v.Args[0].Function(), v.Args[1:]
	if f.Is(Once) && len(args) == 0 {
		if r := p.onceResult(f); r != nil {
			return p.Settle(r, nil)
		}
	}
	if f.Kind != value.Func {
		return v
	}
	if rs := f.Returns(args); len(rs) > 0 {
		return p.oneOf(rs, v, nil)
	}
	switch fn := f.Site.(type) {
	case nil: // from a fact, where its name is all there is
		if strings.HasPrefix(f.Name, "time.") || strings.HasPrefix(f.Name, "bigtable.") {
			return value.Apply(f.Name, args...)
		}
		if m := p.p.FuncNamed(f.Name); m != nil {
			if s := p.p.Imported(m); s != nil && len(s.Results) == 1 && len(s.Results[0].Values) == 1 {
				return p.Settle(p.made(s.Results[0].Values[0], call, nil).Subst(memory.Binder(append(f.Args[:len(f.Args):len(f.Args)], args...), nil)), nil)
			}
		}
	case *types.Func:
		if name := btapi.Func(fn); name != "" {
			return value.Apply(kind.Canonical(name, fn), args...)
		}
		if s := p.p.Imported(fn); s != nil && len(s.Results) == 1 && len(s.Results[0].Values) == 1 {
			return p.made(s.Results[0].Values[0], call, nil).Subst(memory.Binder(args, nil))
		}
	case *ssa.Function:
		t := p.p.FunctionTarget(fn, nil)
		if kind.IsBound(fn) && len(f.Args) == 1 {
			args = append(f.Args[:1:1], args...)
		}
		switch {
		case t.API != "":
			return value.Apply(t.API, args...)
		case t.Fn != nil:
			return p.resultOf(t.Fn, args, v, call)
		case t.Obj == nil:
		case ofInterface(t.Obj):
			return p.method(&value.Value{Kind: value.Call, Name: Method, Args: append([]*value.Value{value.StrOf(t.Obj.Name())}, args...), Class: v.Class}, call)
		default:
			if s := p.p.Imported(t.Obj); s != nil && len(s.Results) == 1 && len(s.Results[0].Values) == 1 {
				return p.Settle(p.made(s.Results[0].Values[0], call, nil).Subst(memory.Binder(args, nil)), nil)
			}
		}
	}
	return v
}

// resultOf resolves the result of a function of this package that is given
// args, in the place of v.
func (p *Path) resultOf(fn *ssa.Function, args []*value.Value, v *value.Value, call ssa.Instruction) *value.Value {
	cases := p.p.ResultsOf(fn)
	if len(cases) == 0 {
		return value.UnknownFor("the result of a function literal")
	}
	if c := cases[p.Choose(v, len(cases))]; len(c.Values) == 1 {
		return p.Settle(p.made(c.Values[0], call, fn).Subst(memory.Binder(args, fn)), nil)
	}
	return v
}

// firstOf chooses the first element of a list of which it is open, for some,
// whether they are in it.
func (p *Path) firstOf(v *value.Value, call ssa.Instruction) *value.Value {
	list := v.Args[0].Base()
	if i, ok := v.Args[1].IsInt(); !ok || i != 0 || list.Kind != value.List {
		return v
	}
	var elements, conds []*value.Value
	for _, e := range list.Args {
		if !e.Is(value.Spread) {
			elements, conds = append(elements, e), append(conds, nil)
			break
		}
		element, cond, ok := value.Maybe(e)
		if !ok {
			return v
		}
		elements, conds = append(elements, element), append(conds, cond)
	}
	if len(elements) == 0 || p.Frozen() {
		return v
	}
	pick := p.Choose(elementOf{call, list.String()}, len(elements))
	for i, c := range conds[:pick+1] {
		if c != nil && c.HasParams() {
			p.Guards = append(p.Guards, summary.Guard{Cond: c, Want: i == pick})
		}
	}
	return elements[pick]
}

// ofInterface reports whether a function is a method of an interface.
func ofInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}
