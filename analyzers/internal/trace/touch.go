package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// What happens to an object after it was made: stores to its fields by way of
// the pointer to it, and calls that are given the pointer.

// A FieldSet is what a function sets of an object that it is given.
type FieldSet struct {
	Param  int          // the index among the parameters, receiver first
	Field  string       // [value.AnyField] for any of them
	Value  *value.Value // over the function's parameters; nil when it is not known
	Guards []Guard      // under which it is set; what it was stays otherwise
}

// A touch is a place at which a field of an object may be set.
type touch struct {
	field string
	at    ssa.Instruction
	store *store    // a plain store to the field
	set   *FieldSet // what a call sets
	args  []ssa.Value
	fn    *ssa.Function // the callee, in this package
}

// touches lists the places at which fields of what v points to may be set.
func (p *program) touches(v ssa.Value) []touch {
	if ts, ok := p.touched[v]; ok {
		return ts
	}
	p.touched[v] = nil
	var out []touch
	for _, a := range p.aliases(v) {
		if refs := a.Referrers(); refs != nil {
			for _, r := range *refs {
				out = append(out, p.touchesBy(a, r)...)
			}
		}
	}
	p.touched[v] = out
	return out
}

// aliases lists the values that are the same pointer as v: the other loads
// of the local variable that holds it.
func (p *program) aliases(v ssa.Value) []ssa.Value {
	root := v
	switch x := v.(type) {
	case *ssa.UnOp:
		var path pathTo
		if root, path = p.address(x.X); len(path) > 0 {
			return []ssa.Value{v}
		}
	default:
		// A variable that a closure captures, or a parameter of that kind.
		if refs := v.Referrers(); refs != nil {
			for _, r := range *refs {
				if s, ok := r.(*ssa.Store); ok && s.Val == v {
					if a, ok := s.Addr.(*ssa.Alloc); ok && len(p.stores[a]) == 1 {
						root = a
					}
				}
			}
		}
	}
	switch root.(type) {
	case *ssa.Alloc, *ssa.Global:
	default:
		return []ssa.Value{v}
	}
	if root == v {
		return []ssa.Value{v}
	}
	out := []ssa.Value{v}
	for _, load := range p.pointerLoads[root] {
		if load != v {
			out = append(out, load)
		}
	}
	return out
}

// touchesBy returns what an instruction that uses the pointer a sets.
func (p *program) touchesBy(a ssa.Value, r ssa.Instruction) []touch {
	anyField := []touch{{field: value.AnyField, at: r}}
	switch r := r.(type) {
	case *ssa.FieldAddr:
		f := fieldOf(r)
		if f == nil {
			return nil
		}
		var out []touch
		for _, use := range *r.Referrers() {
			if s, ok := use.(*ssa.Store); ok && s.Addr == r {
				out = append(out, touch{field: f.Name(), at: s, store: &store{pathTo{r.Field}, s.Val, s}})
			} else if p.mayStore(r, use) {
				out = append(out, touch{field: f.Name(), at: use})
			}
		}
		return out
	case *ssa.Store:
		if r.Addr == a {
			return anyField
		}
	case *ssa.MakeInterface:
		var out []touch
		for _, use := range *r.Referrers() {
			if call, ok := use.(ssa.CallInstruction); ok && p.mayStoreBy(call, r) {
				out = append(out, touch{field: value.AnyField, at: call})
			}
		}
		return out
	case ssa.CallInstruction:
		return p.touchesByCall(a, r)
	}
	return nil
}

// touchesByCall returns what a call sets of what it is given.
func (p *program) touchesByCall(a ssa.Value, call ssa.CallInstruction) []touch {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return nil
	}
	t, ok := p.target(common)
	if !ok {
		if common.IsInvoke() && common.Value == a {
			return nil
		}
		return []touch{{field: value.AnyField, at: call}}
	}
	var out []touch
	for i, arg := range t.args {
		if arg != a && stripped(arg) != a {
			continue
		}
		switch {
		case t.api != "":
		case t.fn != nil && i < len(t.fn.Params) && types.IsInterface(t.fn.Params[i].Type()):
			if p.mayStoreBy(call, arg) {
				out = append(out, touch{field: value.AnyField, at: call})
			}
		case t.fn != nil:
			for _, s := range p.sets(t.fn) {
				if s.Param == i {
					out = append(out, touch{field: s.Field, at: call, set: &s, args: t.args, fn: t.fn})
				}
			}
		case t.obj != nil:
			if !p.analysed(t.obj) {
				if !btapi.OnlyReads(btapi.Func(t.obj)) {
					out = append(out, touch{field: value.AnyField, at: call})
				}
				continue
			}
			if s := p.imported(t.obj); s != nil {
				for _, set := range s.Sets {
					if set.Param == i {
						out = append(out, touch{field: set.Field, at: call, set: &set, args: t.args})
					}
				}
			}
		}
	}
	return out
}

// analysed reports whether the package of a function was traced, so that
// what its facts do not say is not so.
func (p *program) analysed(fn *types.Func) bool {
	pkg := fn.Pkg()
	if pkg == nil || p.pass.ImportPackageFact == nil {
		return false
	}
	traced, ok := p.traced[pkg]
	if !ok {
		traced = p.pass.ImportPackageFact(pkg, &Reach{})
		p.traced[pkg] = traced
	}
	return traced
}

// mayStore reports whether the use of an address, of a field or of an
// element, may store there.
func (p *program) mayStore(addr ssa.Value, use ssa.Instruction) bool {
	switch use := use.(type) {
	case *ssa.UnOp:
		return false
	case *ssa.Store:
		return use.Addr == addr
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.Slice:
		for _, u := range *use.(ssa.Value).Referrers() {
			if p.mayStore(use.(ssa.Value), u) {
				return true
			}
		}
	case ssa.CallInstruction:
		return p.mayStoreBy(use, addr)
	}
	return false
}

// mayStoreBy reports whether a call may store at an address that it is given.
func (p *program) mayStoreBy(call ssa.CallInstruction, addr ssa.Value) bool {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return false
	}
	t, ok := p.target(common)
	switch {
	case !ok:
		return !common.IsInvoke() || common.Value != addr
	case t.api != "":
		return !btapi.OnlyReads(t.api)
	case t.fn != nil:
		for i, a := range t.args {
			if a == addr && i < len(t.fn.Params) {
				if param := t.fn.Params[i]; len(p.stores[param]) > 0 || len(p.touches(param)) > 0 {
					return true
				}
			}
		}
		return false
	case t.obj != nil:
		return !btapi.OnlyReads(btapi.Func(t.obj)) && !p.analysed(t.obj)
	}
	return true
}

// sets returns what a function of this package sets of the objects that it
// is given.
func (p *program) sets(fn *ssa.Function) []FieldSet {
	if s, ok := p.settings[fn]; ok {
		return s
	}
	p.settings[fn] = nil // recursion adds nothing
	var out []FieldSet
	for i, param := range fn.Params {
		if structName(param.Type()) == nil || !isPointer(param.Type()) {
			continue
		}
		byField := map[string][]touch{}
		for _, t := range p.touches(param) {
			byField[t.field] = append(byField[t.field], t)
		}
		for _, field := range sortedNames(byField) {
			set := FieldSet{Param: i, Field: field}
			if ts := byField[field]; len(ts) == 1 && len(byField[value.AnyField]) == 0 {
				p.setOnce(fn, ts[0], &set)
			}
			out = append(out, set)
		}
	}
	p.settings[fn] = out
	return out
}

// setOnce resolves what the only touch of a field sets.
func (p *program) setOnce(fn *ssa.Function, t touch, set *FieldSet) {
	if t.at.Parent() != fn || t.store == nil && (t.set == nil || t.set.Value == nil) {
		return
	}
	unconditional := always(t.at)
	n := 0
	var found *value.Value
	var guards []Guard
	complete := p.explore(false, 2, func(q *path) []*value.Value {
		if !unconditional {
			q.assumeBlock(t.at.Block(), nil, &q.guards)
		}
		if t.store != nil {
			return []*value.Value{q.force(q.eval(t.store.val, t.at), 4)}
		}
		return []*value.Value{q.boundSet(t)}
	}, func(q *path, vs []*value.Value) {
		found, guards = vs[0], uniqueGuards(q.guards)
		n++
	})
	if !complete || n != 1 || found == nil || !unconditional && len(guards) != 1 {
		return
	}
	set.Value, set.Guards = found, guards
	if t.set != nil && len(t.set.Guards) > 0 {
		// A condition of the callee's, in this function's terms.
		if len(guards) > 0 {
			set.Value, set.Guards = nil, nil
			return
		}
		q := &path{p: p}
		q.reset()
		set.Guards, _ = q.bindGuards(t.set.Guards, q.binder(t), t.at)
		if len(set.Guards) != len(t.set.Guards) {
			set.Value, set.Guards = nil, nil
		}
	}
}

// binder puts the arguments of a call in the place of its callee's
// parameters.
func (p *path) binder(t touch) func(*value.Value) *value.Value {
	return binder(p.args(target{fn: t.fn, args: t.args}, t.at), t.fn)
}

// boundSet returns what a call sets, in terms of its caller.
func (p *path) boundSet(t touch) *value.Value {
	return p.p.resited(t.set.Value, t.at, t.fn).Subst(p.binder(t))
}
