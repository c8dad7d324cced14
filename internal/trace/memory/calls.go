package memory

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A SetByCall is a call that sets a part of what it is given the address of.
type SetByCall struct {
	Call   ssa.CallInstruction
	Set    *Touch      // nil when it is not known what it sets
	Prefix kind.PathTo // the part that it is given the address of, where it stores that as a whole
}

// tells reports whether it is known which field the call sets, or which functions it runs
// that may set any.
func (s SetByCall) tells() bool {
	if s.Set == nil || s.Set.Field != value.AnyField {
		return s.Set != nil && (s.Set.Field != whole || s.Set.Set != nil)
	}
	by := s.Set.Set
	return by != nil && by.Value != nil && by.Value.Base().Kind != value.Unknown
}

// SetsPart reports whether instr is a call that is given the address of root
// and may set the part at path.
func (p *Objects) SetsPart(instr ssa.Instruction, root ssa.Value, path kind.PathTo) (set SetByCall, stops bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return set, false
	}
	if !p.Prog.CalledWith[root] {
		return set, false
	}
	if set, found := p.leaves(call, root, path); found {
		return set, true
	}
	common := call.Common()
	for _, arg := range kind.Variadic(common) {
		if r, prefix := p.Prog.Address(arg); r == root && (path.HasPrefix(prefix) || prefix.HasPrefix(path)) && p.mayStoreVariadic(common, arg) {
			return SetByCall{Call: call}, len(prefix) <= len(path)
		}
	}
	for i, arg := range common.Args {
		if r, prefix := p.Prog.Address(kind.Stripped(arg)); r == root && len(prefix) > 0 && len(path) > 0 {
			if p.onOption(common) {
				continue // field by field: see OptionCalls
			}
			if !path.HasPrefix(prefix) && !prefix.HasPrefix(path) {
				continue
			}
			if set, known := p.setsOfPart(call, arg, path); len(prefix) > 1 {
				// of a part of a part the heap tells
			} else if known && set == nil {
				continue
			} else if known {
				return SetByCall{Call: call, Set: set}, true
			}
			if p.mayStoreBy(call, arg) {
				return SetByCall{Call: call}, true
			}
			continue
		}
		if kind.Stripped(arg) != root {
			continue
		}
		callee := common.StaticCallee()
		if callee != nil {
			callee = kind.Origin(callee)
		}
		switch {
		case callee == nil:
			// Of the fields of an object that goes there others tell.
			if !hasFields(root.Type()) && len(p.Prog.Heap().Calls(call)) == 0 && p.mayStoreBy(call, arg) {
				return SetByCall{Call: call}, true
			}
		case p.Prog.HasBody(callee), kind.Object(callee) != nil && p.Prog.Analysed(kind.Object(callee)):
			if i < len(callee.Params) && len(path) == 0 && len(p.Prog.Stores[callee.Params[i]]) > 0 {
				return SetByCall{Call: call}, true
			}
			f := (*types.Var)(nil)
			if len(path) > 0 {
				f = kind.StructField(kind.Deref(root.Type()), path[0])
			}
			for _, t := range p.touchesByCall(arg, call) {
				if outer, _, _ := strings.Cut(t.Field, "."); t.Field == whole || f != nil && (outer == f.Name() || t.Field == value.AnyField) {
					return SetByCall{Call: call, Set: &t}, true
				}
			}
		case p.Prog.MayFill(callee, arg, root):
			return SetByCall{Call: call}, true
		}
	}
	return set, false
}

// leaves returns what a call stores as a whole at one of its arguments, where that is the
// address of the part at path of root, or of what holds it.
func (p *Objects) leaves(call ssa.CallInstruction, root ssa.Value, path kind.PathTo) (set SetByCall, found bool) {
	for _, arg := range call.Common().Args {
		r, prefix := p.Prog.Address(arg)
		if r != root || !path.HasPrefix(prefix) {
			continue
		}
		t := p.wholly(arg, call)
		switch {
		case t == nil:
		case found:
			return SetByCall{Call: call}, true // by one of two
		default:
			set, found = SetByCall{call, t, prefix}, true
		}
	}
	return set, found
}

// setsOfPart returns what a call sets of the part at path of a struct, which is given the
// address of the field in which that lies: s.Expires.In(d); nil where it sets nothing there.
func (p *Objects) setsOfPart(call ssa.CallInstruction, addr ssa.Value, path kind.PathTo) (set *Touch, known bool) {
	outer, ok := addr.(*ssa.FieldAddr)
	if !ok || len(path) < 2 || kind.FieldOf(outer) == nil || !kind.IsStruct(kind.Deref(outer.Type())) {
		return nil, false
	}
	f := kind.StructField(kind.Deref(outer.Type()), path[1])
	for _, t := range p.ofPart(outer, p.touchesByCall(addr, call)) {
		_, inner, part := strings.Cut(t.Field, ".")
		switch {
		case !part || f == nil || inner == f.Name() && set != nil:
			return nil, false
		case inner == f.Name():
			set = &t
		}
	}
	return set, true
}

// mayStoreVariadic reports whether a call may store at a pointer among its
// variadic arguments: what is not traced, or asks for anything, may.
func (p *Objects) mayStoreVariadic(common *ssa.CallCommon, arg ssa.Value) bool {
	if hasFields(arg.Type()) && btapi.IsRootType(arg.Type()) {
		return false
	}
	t, ok := p.Prog.Target(common)
	switch {
	case !ok:
		return true
	case t.API != "":
		return !btapi.OnlyReads(t.API)
	case t.Fn != nil:
		return false // followed by its elements
	case t.Obj != nil:
		return !btapi.OnlyReads(btapi.Func(t.Obj)) && !btapi.Encodes(t.Obj) && !p.Prog.Analysed(t.Obj)
	}
	return false
}

// SetSomewhere reports whether a call that is given the address of a sets the
// part at path in a way that is not known.
func (p *Objects) SetSomewhere(a *ssa.Alloc, path kind.PathTo) bool {
	for _, call := range p.Prog.Calls[a.Parent()] {
		if s, stops := p.SetsPart(call, a, path); stops && s.Set == nil {
			return true
		}
	}
	return false
}

// SetInParts reports whether the functions that a local struct is handed to
// before the instruction at set some of its fields.
func (p *Objects) SetInParts(a *ssa.Alloc, at ssa.Instruction) bool {
	s, ok := kind.Deref(a.Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := 0; i < s.NumFields(); i++ {
		if len(p.OptionCalls(a, kind.PathTo{i}, at)) > 0 {
			return true
		}
	}
	if parts, ok := p.inParts[a]; ok {
		return parts
	}
	p.inParts[a] = false
	for _, call := range p.Prog.Calls[a.Parent()] {
		for _, arg := range call.Common().Args {
			if r, _ := p.Prog.Address(kind.Stripped(arg)); r != ssa.Value(a) {
				continue
			}
			for i := 0; i < s.NumFields(); i++ {
				if _, stops := p.SetsPart(call, a, kind.PathTo{i}); stops {
					p.inParts[a] = true
				}
			}
		}
	}
	return p.inParts[a]
}

// givenVariadic reports whether an address is stored, as an interface, among
// the variadic arguments of a call that may store there: Sscan(text, &s.n).
func (p *Objects) givenVariadic(v ssa.Value, s *ssa.Store) bool {
	ia, ok := s.Addr.(*ssa.IndexAddr)
	if !ok || s.Val != v {
		return false
	}
	for _, r := range *ia.X.Referrers() {
		slice, ok := r.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, use := range *slice.Referrers() {
			if call, ok := use.(ssa.CallInstruction); ok && p.mayStoreVariadic(call.Common(), kind.Stripped(v)) {
				return true
			}
		}
	}
	return false
}
