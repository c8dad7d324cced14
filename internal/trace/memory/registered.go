package memory

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// registered returns a list or map of functions in a field f of objects of the
// package's type t with what the calls in view of a method give that fills it, in
// the place of what the method is given: handlers that are registered. Where there
// may be several objects it is not known which of them has which.
func (p *closed) registered(v *value.Value, f *types.Var, t types.Type) *value.Value {
	b, name := v.Base(), kind.StructName(kind.Deref(t))
	guard := creationStore{f, "registered"}
	if b.Kind != value.Map && b.Kind != value.List || !holdsFunctions(f.Type()) || p.closing[guard] {
		return v
	}
	p.closing[guard] = true
	defer delete(p.closing, guard)
	out := *b
	out.Args = nil
	if b.Kind == value.List {
		for _, e := range b.Args {
			out.Args = append(out.Args, p.given([]*value.Value{e}, name)...)
		}
		return &out
	}
	for i := 0; i+1 < len(b.Args); i += 2 {
		if b.Args[i].Kind != value.Unknown {
			out.Args = append(out.Args, b.Args[i:i+2]...)
		}
	}
	for _, up := range p.p.fieldUpdates(f) {
		entry := []*value.Value{p.Way.Eval(up.Key, up), p.Way.Eval(up.Value, up)}
		if p.registrar(entry, name) != nil {
			out.Args = append(out.Args, p.given(entry, name)...)
		} else if made := p.p.Prog.MadeOf(name); len(made) != 1 || made[0].Parent() != up.Parent() {
			return v
		}
	}
	return &out
}

// given returns an entry of a list or map once for each call of the method that
// makes it, as that call has it; the entry where no method does.
func (p *closed) given(entry []*value.Value, name *types.TypeName) []*value.Value {
	method := p.registrar(entry, name)
	if method == nil {
		return entry
	}
	var out []*value.Value
	for _, call := range p.p.Prog.Callers[method] {
		target, ok := p.p.Prog.Target(call.Common())
		if !ok || p.p.Prog.IsTest(call.Pos()) {
			continue
		}
		bind := p.r.Arguments(target, call).Binder(method)
		for _, e := range entry {
			out = append(out, p.r.settle.Settle(e.Subst(bind), call))
		}
	}
	return out
}

// holdsFunctions reports whether a type is a list or map of functions.
func holdsFunctions(t types.Type) bool {
	var elem types.Type
	switch t := t.Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Map:
		elem = t.Elem()
	default:
		return false
	}
	_, ok := elem.Underlying().(*types.Signature)
	return ok
}

// registrar returns the method of a type whose parameters an entry of a list or map
// is made of; nil where there is none, or more than one object of the type.
func (p *closed) registrar(entry []*value.Value, name *types.TypeName) *ssa.Function {
	var found *ssa.Function
	for _, e := range entry {
		e.Walk(func(w *value.Value) {
			if fn, ok := w.Site.(*ssa.Function); ok && w.Kind == value.Param && w.Num > 0 {
				found = fn
			}
		})
	}
	if found == nil || found.Signature.Recv() == nil || kind.StructName(found.Params[0].Type()) != name || p.p.Prog.Taken[found] {
		return nil
	}
	made := p.p.Prog.MadeOf(name)
	if len(made) != 1 || len(p.p.Prog.Callers[kind.Outermost(made[0].Parent())]) > 1 {
		return nil
	}
	return found
}

// fieldUpdates lists the assignments to elements of maps in a field, in source order.
func (p *Memory) fieldUpdates(f *types.Var) (out []*ssa.MapUpdate) {
	for _, updates := range p.Prog.MapUpdates {
		for _, up := range updates {
			load, ok := up.Map.(*ssa.UnOp)
			if !ok {
				continue
			}
			if fa, ok := load.X.(*ssa.FieldAddr); ok && kind.FieldOf(fa) == f {
				out = append(out, up)
			}
		}
	}
	slices.SortFunc(out, func(a, b *ssa.MapUpdate) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return out
}
