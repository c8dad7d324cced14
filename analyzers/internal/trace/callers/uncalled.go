package callers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/event"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/memory"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A struct of another package that is filled here and handed on as an
// interface — to a decorator, a registry, a framework — is called by somebody
// who is not in view. What its methods do with its fields is judged where it
// is filled.

// uncalled returns events for the methods of such structs that no call of the
// package runs.
func (p *Tracer) uncalled() []*event.Event {
	var events []*event.Event
	var called map[*types.Func]bool
	seen := map[*ast.CompositeLit]bool{}
	for _, fn := range p.Funcs {
		if p.IsTest(fn.Pos()) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				mi, ok := instr.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				lit := p.filled(mi)
				if lit == nil || seen[lit] {
					continue
				}
				seen[lit] = true
				if called == nil {
					called = p.called()
				}
				events = append(events, p.uncalledMethods(fn, mi, lit, called)...)
			}
		}
	}
	return events
}

// filled returns the literal of a struct of another package that is made an
// interface, or nil.
func (p *Tracer) filled(mi *ssa.MakeInterface) *ast.CompositeLit {
	name := kind.StructName(types.NewPointer(kind.Deref(mi.X.Type())))
	if name == nil || name.Pkg() == nil || p.Owns(name) {
		return nil
	}
	if a := madeOf(mi); a != nil {
		return p.Syntax.Literals[a.Pos()]
	}
	return nil
}

// madeOf returns the object that is made an interface, or nil.
func madeOf(mi *ssa.MakeInterface) *ssa.Alloc {
	v := mi.X
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	a, _ := v.(*ssa.Alloc)
	return a
}

// called returns the methods of other packages that calls of this one run.
func (p *Tracer) called() map[*types.Func]bool {
	out := map[*types.Func]bool{}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls[fn] {
			for _, t := range p.Targets(call) {
				if t.Obj != nil {
					out[t.Obj.Origin()] = true
				}
			}
		}
	}
	return out
}

func (p *Tracer) uncalledMethods(fn *ssa.Function, mi *ssa.MakeInterface, lit *ast.CompositeLit, called map[*types.Func]bool) []*event.Event {
	var events []*event.Event
	outer := p.decorated(mi)
	iface := mi.Type().Underlying().(*types.Interface)
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, m.Pkg(), m.Name())
		method, ok := obj.(*types.Func)
		if !ok || outer == nil && called[method.Origin()] || outer != nil && called[p.decorating(outer, m)] {
			continue
		}
		s := p.Imported(method.Origin())
		if s == nil {
			continue
		}
		for _, effect := range s.Effects {
			effect, ok := ofReceiver(effect, p.given(madeOf(mi)))
			if !ok || effect.Op == event.Callback || effect.Uses.Outside() {
				continue
			}
			if e := p.uncalledEvent(fn, mi, lit, effect); e != nil {
				events = append(events, e)
			}
		}
	}
	return events
}

// ofReceiver returns an effect of a method with nothing in it that callers supply
// but the receiver: keys and columns, say, are not known; the mutation is the given
// one. It reports false where what they supply decides anything.
func ofReceiver(e summary.Effect, given *value.Value) (summary.Effect, bool) {
	others := func(leaf *value.Value) *value.Value {
		if leaf.Kind != value.Param || leaf.Num == 0 {
			return nil
		}
		u := value.UnknownFor("what a caller of the method supplies")
		u.Class = leaf.Class
		return u
	}
	cases := make([]summary.Case, len(e.Cases))
	for i, c := range e.Cases {
		cases[i] = c
		cases[i].Args = make([]*value.Value, len(c.Args))
		for j, a := range c.Args {
			cases[i].Args[j] = a.Subst(others)
		}
		if ofMutation(e.Op) && c.Args[0].Kind == value.Param && c.Args[0].Num > 0 {
			cases[i].Args[0] = given
		}
		for _, g := range append(c.Guards[:len(c.Guards):len(c.Guards)], c.When...) {
			if g.Cond.Subst(others) != g.Cond {
				return e, false
			}
		}
	}
	e.Cases = cases
	return e, true
}

// decorated returns the struct of another package into which an interface goes,
// where it goes nowhere else: that package's methods call it, whatever this one
// calls of the same type.
func (p *Tracer) decorated(mi *ssa.MakeInterface) *types.TypeName {
	var found *types.TypeName
	for _, r := range *mi.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			fa, ok := r.Addr.(*ssa.FieldAddr)
			if !ok {
				return nil
			}
			name := kind.StructName(fa.X.Type())
			if name == nil || p.Owns(name) {
				return nil
			}
			found = name
		default:
			return nil
		}
	}
	return found
}

// decorating returns the method of a struct that passes calls of an interface's
// method on to what is stored in it; nil where it is not known to.
func (p *Tracer) decorating(outer *types.TypeName, m *types.Func) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(outer.Type()), true, m.Pkg(), m.Name())
	method, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	if s := p.Imported(method.Origin()); s == nil || len(s.Effects) == 0 {
		return nil
	}
	return method.Origin()
}

func (p *Tracer) uncalledEvent(fn *ssa.Function, mi *ssa.MakeInterface, lit *ast.CompositeLit, effect summary.Effect) *event.Event {
	e := p.NewEvent(effect.Op, fn, mi)
	e.Node, e.Reached, e.ReachedUses = lit, effect.Cases, effect.Uses
	e.Uses, e.Where, e.Depth = effect.Uses, effect.Where, effect.Depth+1
	e.Evaluate(func(q *eval.Path) []*value.Value {
		q.AssumeBlock(mi.Block(), nil, &q.When)
		bind := memory.Binder([]*value.Value{q.Eval(mi.X, mi)}, nil)
		binding := q.Binding(bind, mi)
		var open []summary.Case
		for _, c := range effect.Cases {
			_, ok := binding.Guards(c.Guards)
			_, ok2 := binding.Guards(c.When)
			if ok && ok2 {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			q.Blocked = true
			return nil
		}
		c := open[q.Choose(lit, len(open))]
		guards, _ := binding.Guards(c.Guards)
		when, _ := binding.Guards(c.When)
		q.Guards, q.When = append(q.Guards, guards...), append(q.When, when...)
		var out []*value.Value
		for _, a := range c.Args {
			if !a.Is(kind.Given) { // made here
				a = p.Resited(a, mi, nil)
			}
			out = append(out, q.Force(q.Settle(a.Subst(bind), mi), 4))
		}
		return p.OrFakes(effect.Op, out)
	})
	return e
}
