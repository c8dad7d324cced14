package eval

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Clocks that code is given: a function in a field, an interface with a method
// Now. Which clock it is, somebody else says; where all that are known to be
// given tell the current time, so does it, and a fault in what is made of that
// stands where it is made, not where the clock comes from. What a clock is
// called says nothing.

// maxGiven bounds how far it is looked for what gives a clock.
const maxGiven = 8

// asClock returns the result r of a call of which it is not known what it runs
// as a reading of the clock, where that is what is known to be given for it.
func (p *Path) asClock(v *ssa.Call, r *value.Value) *value.Value {
	class := kind.ClassOf(v.Type())
	if len(v.Call.Args) > 0 || class != value.Time && class != value.Timestamp || r.Kind == value.Call && !r.Is(Invoke) && !r.Is(Method) {
		return r
	}
	called := p.Eval(v.Call.Value, v)
	if usual := usually(called).Base(); usual == called.Base() && usual.Kind == value.Nil || !p.p.givesClock(v, usually(called), class) {
		return r
	}
	if r.Kind != value.Call {
		r = p.later(v, called)
	}
	return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{r}, Class: class, Expr: r.Expr}
}

// givesClock reports whether what is known of a call without arguments is that
// it tells the current time: by what it usually is, by what the package gives
// for it, and by the types that implement the interface, here or where that is
// declared.
func (p *Evaluator) givesClock(v *ssa.Call, usual *value.Value, class value.Class) bool {
	q := p.path()
	says := []*value.Value{q.calls(v, usual)}
	for _, g := range p.given(v.Call.Value, maxGiven, map[ssa.Value]bool{}) {
		says = append(says, q.calls(v, q.Eval(g, nil)))
	}
	for _, fn := range p.Implementations(&v.Call) {
		says = append(append(says, returned(p.ResultsOf(fn))...), p.adapted(fn)...)
	}
	now, known := tellNow(says, class)
	if !known && v.Call.IsInvoke() {
		s := p.Imported(v.Call.Method)
		return s != nil && s.Now
	}
	return now
}

// calls returns what a call returns where it runs f, or a method of it.
func (p *Path) calls(v *ssa.Call, f *value.Value) *value.Value {
	if v.Call.IsInvoke() {
		return p.method(p.later(v, f))
	}
	return p.invoked(p.later(v, f))
}

func returned(cases []summary.ResultCase) (out []*value.Value) {
	for _, c := range cases {
		out = append(out, c.Values...)
	}
	return out
}

// TellNow reports whether one of several functions of one type returns the
// current time, and none is known to return another.
func (p *Evaluator) TellNow(fns []*ssa.Function) bool {
	var says []*value.Value
	class := value.NoClass
	for _, fn := range fns {
		res := fn.Signature.Results()
		if res.Len() != 1 {
			return false
		}
		class = kind.ClassOf(res.At(0).Type())
		says = append(append(says, returned(p.ResultsOf(fn))...), p.adapted(fn)...)
	}
	now, _ := tellNow(says, class)
	return now
}

// given lists what the package, its tests aside, gives for a value: what it
// stores in the field or variable, and what it passes for the parameter.
func (p *Evaluator) given(v ssa.Value, depth int, seen map[ssa.Value]bool) (out []ssa.Value) {
	if depth == 0 || seen[v] {
		return nil
	}
	seen[v] = true
	all := func(vs ...ssa.Value) {
		for _, w := range vs {
			out = append(out, p.given(w, depth-1, seen)...)
		}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			all(p.stored(kind.FieldOf(fa), fa.X.Type())...)
			return out
		}
		if fv, ok := v.X.(*ssa.FreeVar); ok && p.Binding(fv) != nil {
			all(p.valuesAt(p.Binding(fv))...)
			return out
		}
		if g, ok := v.X.(*ssa.Global); ok && g.Pkg != p.Pkg {
			return []ssa.Value{v}
		}
		all(p.valuesAt(v.X)...)
	case *ssa.Field:
		all(p.stored(kind.StructField(v.X.Type(), v.Field), v.X.Type())...)
	case *ssa.FreeVar:
		if b := p.Binding(v); b != nil {
			all(b)
		}
	case *ssa.Parameter:
		for _, call := range p.Callers[v.Parent()] {
			args := call.Common().Args
			if i := len(args) - len(v.Parent().Params) + kind.ParamIndex(v); i >= 0 && i < len(args) && !p.IsTest(call.Pos()) {
				all(args[i])
			}
		}
	case *ssa.Phi:
		all(v.Edges...)
	case *ssa.ChangeType:
		all(v.X)
	case *ssa.ChangeInterface:
		all(v.X)
	default:
		return []ssa.Value{v}
	}
	return out
}

// valuesAt lists what is stored at an address.
func (p *Evaluator) valuesAt(addr ssa.Value) (out []ssa.Value) {
	for _, s := range p.Stores[addr] {
		if len(s.Path) == 0 && !p.IsTest(s.At.Pos()) {
			out = append(out, s.Val)
		}
	}
	return out
}

// stored lists what the package stores in a field.
func (p *Evaluator) stored(f *types.Var, t types.Type) (out []ssa.Value) {
	for _, s := range p.Fields[f] {
		if !p.IsTest(s.At.Pos()) {
			out = append(out, s.Val)
		}
	}
	name, index := kind.StructName(kind.Deref(t)), kind.FieldIndex(kind.Deref(t), f)
	for _, a := range p.Created[name] {
		for _, s := range p.Stores[a] {
			if len(s.Path) == 1 && s.Path[0] == index && !p.IsTest(s.At.Pos()) {
				out = append(out, s.Val)
			}
		}
	}
	return out
}

// tellNow reports whether times are the current one, if that is known of one
// of them. What is only held, as a clock of tests holds its time, or not known
// at all, says nothing; what is computed otherwise is no clock's.
func tellNow(times []*value.Value, class value.Class) (now, known bool) {
	for _, v := range times {
		at := instant.OfTime(v)
		if class == value.Timestamp {
			at = instant.OfTimestamp(v)
		}
		d, exact := at.Exact()
		switch b := v.Base(); {
		case exact && !at.Once && d == 0:
			now, known = true, true
		case b.Kind == value.Call && !b.Is(Invoke) && !b.Is(Method) && !b.Is(value.Zero):
			return false, true
		}
	}
	return now, known
}

// usually returns what a field holds that no option sets.
func usually(v *value.Value) *value.Value {
	for v.Base().Is(value.Optioned) {
		v = v.Base().Args[0]
	}
	return v
}
