package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A setByCall is a call that sets a part of what it is given the address of.
type setByCall struct {
	call ssa.CallInstruction
	set  *touch // nil when it is not known what it sets
}

// setsPart reports whether instr is a call that is given the address of root
// and may set the part at path.
func (p *program) setsPart(instr ssa.Instruction, root ssa.Value, path pathTo) (set setByCall, stops bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return set, false
	}
	if !p.calledWith[root] {
		return set, false
	}
	common := call.Common()
	for _, arg := range variadic(common) {
		if r, prefix := p.address(arg); r == root && (path.hasPrefix(prefix) || prefix.hasPrefix(path)) && p.mayStoreVariadic(common, arg) {
			return setByCall{call: call}, len(prefix) <= len(path)
		}
	}
	for i, arg := range common.Args {
		if r, prefix := p.address(stripped(arg)); r == root && len(prefix) > 0 && len(path) > 0 {
			if (path.hasPrefix(prefix) || prefix.hasPrefix(path)) && p.mayStoreBy(call, arg) {
				return setByCall{call: call}, true
			}
			continue
		}
		if stripped(arg) != root {
			continue
		}
		callee := common.StaticCallee()
		switch {
		case callee == nil:
		case p.hasBody(callee), object(callee) != nil && p.analysed(object(callee)):
			if i < len(callee.Params) && len(path) == 0 && len(p.stores[callee.Params[i]]) > 0 {
				return setByCall{call: call}, true
			}
			f := (*types.Var)(nil)
			if len(path) > 0 {
				f = structField(deref(root.Type()), path[0])
			}
			for _, t := range p.touchesByCall(arg, call) {
				if f != nil && (t.field == f.Name() || t.field == value.AnyField) {
					return setByCall{call, &t}, true
				}
			}
		case p.mayFill(callee, arg, root):
			return setByCall{call: call}, true
		}
	}
	return set, false
}

// variadic returns the pointers among the arguments of a call that are
// written out behind its last parameter: fmt.Sscan(text, &n).
func variadic(common *ssa.CallCommon) []ssa.Value {
	if !common.Signature().Variadic() || len(common.Args) == 0 {
		return nil
	}
	s, ok := common.Args[len(common.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var out []ssa.Value
	for _, r := range *array.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *ia.Referrers() {
			if st, ok := use.(*ssa.Store); ok && isPointer(stripped(st.Val).Type()) {
				out = append(out, stripped(st.Val))
			}
		}
	}
	return out
}

// mayStoreVariadic reports whether a call may store at a pointer among its
// variadic arguments: what is not traced, or asks for anything, may.
func (p *program) mayStoreVariadic(common *ssa.CallCommon, arg ssa.Value) bool {
	if btapi.IsRootType(arg.Type()) {
		return false
	}
	t, ok := p.target(common)
	switch {
	case !ok:
		return true
	case t.api != "":
		return !btapi.OnlyReads(t.api)
	case t.fn != nil:
		return false // followed by its elements
	case t.obj != nil:
		return !btapi.OnlyReads(btapi.Func(t.obj)) && !p.analysed(t.obj)
	}
	return false
}

// setSomewhere reports whether a call that is given the address of a sets the
// part at path in a way that is not known.
func (p *program) setSomewhere(a *ssa.Alloc, path pathTo) bool {
	for _, call := range p.calls[a.Parent()] {
		if s, stops := p.setsPart(call, a, path); stops && s.set == nil {
			return true
		}
	}
	return false
}

// setInParts reports whether the functions that a local struct is handed to
// before the instruction at set some of its fields.
func (p *program) setInParts(a *ssa.Alloc, at ssa.Instruction) bool {
	s, ok := deref(a.Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := 0; i < s.NumFields(); i++ {
		if len(p.optionCalls(a, pathTo{i}, at)) > 0 {
			return true
		}
	}
	if parts, ok := p.inParts[a]; ok {
		return parts
	}
	p.inParts[a] = false
	for _, call := range p.calls[a.Parent()] {
		for _, arg := range call.Common().Args {
			if r, _ := p.address(stripped(arg)); r != ssa.Value(a) {
				continue
			}
			for i := 0; i < s.NumFields(); i++ {
				if _, stops := p.setsPart(call, a, pathTo{i}); stops {
					p.inParts[a] = true
				}
			}
		}
	}
	return p.inParts[a]
}
