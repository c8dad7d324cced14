package memory

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Touch is a place at which a field of an object may be set.
type Touch struct {
	Field string // "" of what the pointer points to itself
	At    ssa.Instruction
	Store *program.Store    // a plain store there
	Set   *summary.FieldSet // what a call sets
	Args  []ssa.Value
	Fn    *ssa.Function // the callee, in this package
}

// Touches lists the places at which fields of what v points to may be set.
func (p *Objects) Touches(v ssa.Value) []Touch {
	if ts, ok := p.touched[v]; ok {
		return ts
	}
	p.touched[v] = nil
	var out []Touch
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
func (p *Objects) aliases(v ssa.Value) []ssa.Value {
	root := v
	switch x := v.(type) {
	case *ssa.UnOp:
		var path kind.PathTo
		if root, path = p.Prog.Address(x.X); len(path) > 0 {
			return p.sameField(x, root, path)
		}
	default:
		// A variable that a closure captures, or a parameter of that kind.
		if refs := v.Referrers(); refs != nil {
			for _, r := range *refs {
				if s, ok := r.(*ssa.Store); ok && s.Val == v {
					if a, ok := s.Addr.(*ssa.Alloc); ok && len(p.Prog.Stores[a]) == 1 {
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
	for _, load := range p.Prog.PointerLoads[root] {
		if load != v {
			out = append(out, load)
		}
	}
	return out
}

// sameField lists the loads, in the function of one, of a field that holds a pointer and is
// set nowhere in it but where its object is made.
func (p *Objects) sameField(v *ssa.UnOp, root ssa.Value, path kind.PathTo) []ssa.Value {
	out := []ssa.Value{v}
	n := 0
	for _, s := range p.Prog.Stores[root] {
		if len(s.Path) > 0 && (path.HasPrefix(s.Path) || s.Path.HasPrefix(path)) {
			n++
		}
	}
	if !kind.IsPointer(v.Type()) || n > 1 {
		return out
	}
	for _, load := range p.Prog.PartLoads[root] {
		if _, same := p.Prog.Address(load.X); load != v && load.Parent() == v.Parent() && slices.Equal(same, path) {
			out = append(out, load)
		}
	}
	return out
}

// touchesBy returns what an instruction that uses the pointer a sets.
func (p *Objects) touchesBy(a ssa.Value, r ssa.Instruction) []Touch {
	switch r := r.(type) {
	case *ssa.FieldAddr:
		f := kind.FieldOf(r)
		if f == nil {
			return nil
		}
		var out []Touch
		for _, use := range *r.Referrers() {
			if s, ok := use.(*ssa.Store); ok && s.Addr == r {
				out = append(out, Touch{Field: f.Name(), At: s, Store: &program.Store{Path: kind.PathTo{r.Field}, Val: s.Val, At: s}})
			} else if load, ok := use.(*ssa.UnOp); ok {
				out = append(out, slices.DeleteFunc(p.behind(r, load), func(t Touch) bool {
					_, inner, part := strings.Cut(t.Field, ".")
					return !part || !tells(load.Type(), inner)
				})...)
			} else if inner, ok := use.(*ssa.FieldAddr); ok { // c.settings.family = name
				out = append(out, p.ofPart(r, p.touchesBy(r, inner))...)
			} else if t := p.wholly(r, use); t != nil {
				out = append(out, Touch{Field: f.Name(), At: use, Set: t.Set, Args: t.Args, Fn: t.Fn})
			} else if p.mayStore(r, use) {
				out = append(out, Touch{Field: f.Name(), At: use})
			}
		}
		return out
	case *ssa.Store:
		if r.Addr == a {
			return []Touch{{Field: whole, At: r, Store: &program.Store{Val: r.Val, At: r}}}
		}
	case *ssa.MakeInterface:
		var out []Touch
		for _, use := range *r.Referrers() {
			if call, ok := use.(ssa.CallInstruction); ok && p.mayStoreBy(call, r) {
				out = append(out, Touch{Field: value.AnyField, At: call})
			}
		}
		return out
	case *ssa.MakeClosure:
		return p.touchesInside(a, r)
	case ssa.CallInstruction:
		return p.touchesByCall(a, r)
	}
	return nil
}

// touchesInside returns what a function literal that captures a local struct sets
// of it, whenever it runs.
func (p *Objects) touchesInside(a ssa.Value, literal *ssa.MakeClosure) []Touch {
	switch a.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
	default:
		return nil // an object that has its methods run
	}
	var out []Touch
	for i, b := range literal.Bindings {
		if b != a {
			continue
		}
		for _, t := range p.Touches(literal.Fn.(*ssa.Function).FreeVars[i]) {
			out = append(out, Touch{Field: t.Field, At: literal})
		}
	}
	return out
}

// behind returns what is set of the object that a field points to, by a store or by a call
// that is given it: s.query.wheres = append(s.query.wheres, f), s.query.Where(f).
func (p *Objects) behind(outer *ssa.FieldAddr, load *ssa.UnOp) (out []Touch) {
	if !kind.IsPointer(load.Type()) || kind.StructName(load.Type()) == nil || btapi.IsRootType(load.Type()) {
		return nil
	}
	for _, r := range *load.Referrers() {
		switch r.(type) {
		case *ssa.FieldAddr, ssa.CallInstruction:
			out = append(out, p.ofPart(outer, p.touchesBy(load, r))...)
		}
	}
	return out
}

// ofPart returns touches of a field, or of what it points to, as those of its struct.
func (p *Objects) ofPart(outer *ssa.FieldAddr, touches []Touch) (out []Touch) {
	name := kind.FieldOf(outer).Name()
	for _, t := range touches {
		if t.Field == value.AnyField || t.Field == whole {
			out = append(out, Touch{Field: name, At: t.At})
			continue
		}
		if inner, _, deeper := strings.Cut(t.Field, "."); deeper { // of which only so much is told
			out = append(out, Touch{Field: name + "." + inner, At: t.At})
			continue
		}
		t.Field = name + "." + t.Field
		if t.Set != nil && t.Set.Field != whole {
			set := *t.Set
			set.Field = t.Field
			t.Set = &set
		}
		if t.Store != nil {
			t.Store = &program.Store{Path: append(kind.PathTo{outer.Field}, t.Store.Path...), Val: t.Store.Val, At: t.Store.At}
		}
		out = append(out, t)
	}
	return out
}

// ByField sorts touches by their fields. Of a field that is touched whole too
// nothing is known of its parts.
func ByField(touches []Touch) map[string][]Touch {
	byField := map[string][]Touch{}
	for _, t := range touches {
		byField[t.Field] = append(byField[t.Field], t)
	}
	for field, ts := range byField {
		outer, _, ok := strings.Cut(field, ".")
		if whole := byField[outer]; ok && len(whole) > 0 {
			for _, t := range ts {
				t.Store, t.Set = nil, nil
				whole = append(whole, t)
			}
			byField[outer] = whole
			delete(byField, field)
		}
	}
	return byField
}

// touchesByCall returns what a call sets of what it is given.
func (p *Objects) touchesByCall(a ssa.Value, call ssa.CallInstruction) []Touch {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return nil
	}
	t, ok := p.Prog.Target(common)
	if !ok {
		if common.IsInvoke() && common.Value == a {
			return nil
		}
		return []Touch{{Field: value.AnyField, At: call}}
	}
	var out []Touch
	for i, arg := range t.Args {
		if arg != a && kind.Stripped(arg) != a {
			continue
		}
		switch {
		case t.API != "":
		case t.Fn != nil && i < len(t.Fn.Params) && types.IsInterface(t.Fn.Params[i].Type()):
			if p.mayStoreBy(call, arg) {
				out = append(out, Touch{Field: value.AnyField, At: call})
			}
		case t.Fn == nil && t.Obj != nil && !p.Prog.Analysed(t.Obj):
			if !btapi.OnlyReads(btapi.Func(t.Obj)) {
				out = append(out, Touch{Field: value.AnyField, At: call})
			}
		default:
			for _, s := range p.SetsOf(t) {
				if s.Param == i {
					out = append(out, Touch{Field: s.Field, At: call, Set: &s, Args: t.Args, Fn: t.Fn})
				}
			}
		}
	}
	return out
}

// mayStore reports whether the use of an address, of a field or of an
// element, may store there.
func (p *Objects) mayStore(addr ssa.Value, use ssa.Instruction) bool {
	switch use := use.(type) {
	case *ssa.UnOp:
		return false
	case *ssa.Store:
		return use.Addr == addr || p.givenVariadic(addr, use)
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
func (p *Objects) mayStoreBy(call ssa.CallInstruction, addr ssa.Value) bool {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return false
	}
	t, ok := p.Prog.Target(common)
	switch {
	case !ok:
		return !common.IsInvoke() || common.Value != addr
	case t.API != "":
		return !btapi.OnlyReads(t.API)
	case t.Fn != nil:
		for i, a := range t.Args {
			if a == addr && i < len(t.Fn.Params) {
				if param := t.Fn.Params[i]; len(p.Prog.Stores[param]) > 0 || len(p.Touches(param)) > 0 {
					return true
				}
			}
		}
		return false
	case t.Obj != nil && p.Prog.Analysed(t.Obj):
		return len(p.touchesByCall(addr, call)) > 0
	case t.Obj != nil:
		return !btapi.OnlyReads(btapi.Func(t.Obj))
	}
	return true
}
