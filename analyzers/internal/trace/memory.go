package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A store is an assignment to a place in memory: to the part at path of what
// its root denotes.
type store struct {
	path pathTo
	val  ssa.Value
	at   ssa.Instruction
}

// A pathTo leads from a root to a part of it: field numbers, and for
// elements of arrays the index, or anyElement, below zero.
type pathTo []int

// elements are written as −1−index so that they differ from fields.
const anyElement = -1 << 30

func (a pathTo) equal(b pathTo) bool {
	return len(a) == len(b) && a.hasPrefix(b)
}

func (a pathTo) hasPrefix(b pathTo) bool {
	if len(a) < len(b) {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// address splits an address into its root — an allocation, a parameter, a
// global, or a pointer that was loaded — and the path from there. The root of
// a captured variable is the variable itself, in the enclosing function.
func (p *program) address(v ssa.Value) (root ssa.Value, path pathTo) {
	root, path = localAddress(v)
	for {
		free, ok := root.(*ssa.FreeVar)
		if !ok {
			return root, path
		}
		b := p.binding(free)
		if b == nil {
			return root, path
		}
		outer, prefix := localAddress(b)
		root, path = outer, append(prefix[:len(prefix):len(prefix)], path...)
	}
}

// binding returns what a captured variable is bound to where its function
// literal is made, or nil.
func (p *program) binding(v *ssa.FreeVar) ssa.Value {
	mc := p.closures[v.Parent()]
	if mc == nil {
		return nil
	}
	for i, f := range v.Parent().FreeVars {
		if f == v {
			return mc.Bindings[i]
		}
	}
	return nil
}

// localAddress is address within one function.
func localAddress(v ssa.Value) (root ssa.Value, path pathTo) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		root, path = localAddress(v.X)
		return root, append(path[:len(path):len(path)], v.Field)
	case *ssa.IndexAddr:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok { // to an array
			root, path = localAddress(v.X)
			step := anyElement
			if c, ok := v.Index.(*ssa.Const); ok {
				if n, ok := intConst(c); ok {
					step = -1 - int(n)
				}
			}
			return root, append(path[:len(path):len(path)], step)
		}
	case *ssa.ChangeType:
		return localAddress(v.X)
	}
	return v, nil
}

// reaching returns the stores to path, or to something that holds it or is
// part of it, that reach the instruction at, and whether the beginning of
// the function reaches it past all of them. Without an instruction, or from
// another function, every store counts.
//
// barrier is asked for each other instruction on the way and stops the walk
// when it returns true: it stands for a store that is not one, such as a call
// that sets a field of its argument.
func reaching(stores []store, path pathTo, at ssa.Instruction, barrier func(ssa.Instruction) bool) (defs []store, entry bool) {
	byInstr := map[ssa.Instruction]store{}
	foreign := at == nil
	for _, s := range stores {
		if !s.path.hasPrefix(path) && !path.hasPrefix(s.path) {
			continue
		}
		if at != nil && s.at.Parent() != at.Parent() {
			// Stores of closures may happen at any time.
			defs = append(defs, s)
			continue
		}
		byInstr[s.at] = s
	}
	if foreign {
		for _, s := range stores {
			if _, ok := byInstr[s.at]; ok {
				defs = append(defs, s)
			}
		}
		return defs, len(defs) == 0
	}
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock, from int)
	walk = func(b *ssa.BasicBlock, from int) {
		for i := from; i >= 0; i-- {
			if s, ok := byInstr[b.Instrs[i]]; ok {
				defs = append(defs, s)
				if path.hasPrefix(s.path) {
					return
				}
				continue // a store to a part: other parts come from before
			}
			if barrier != nil && barrier(b.Instrs[i]) {
				return
			}
		}
		if len(b.Preds) == 0 {
			entry = true
		}
		for _, p := range b.Preds {
			if !seen[p] {
				seen[p] = true
				walk(p, len(p.Instrs)-1)
			}
		}
	}
	walk(at.Block(), instrIndex(at)-1)
	return defs, entry
}

// instrIndex returns the place of an instruction in its block.
func instrIndex(at ssa.Instruction) int {
	for i, instr := range at.Block().Instrs {
		if instr == at {
			return i
		}
	}
	return len(at.Block().Instrs)
}

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
	common := call.Common()
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

// stripped returns v without a conversion to an interface.
func stripped(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return v
}

// mayFill reports whether a function of another package may set what it is
// given the address of. Those of the client and of the standard library's
// time take what they are given as it is.
func (p *program) mayFill(callee *ssa.Function, arg, root ssa.Value) bool {
	obj := object(callee)
	if obj == nil || btapi.OnlyReads(btapi.Func(obj)) {
		return false
	}
	// Only this package can reach unexported fields, but by reflection,
	// which asks for an interface.
	if name := structName(root.Type()); name != nil && p.owns(name) {
		_, reflected := arg.(*ssa.MakeInterface)
		return reflected
	}
	return true
}

// escapes reports whether the address of a is given away at all.
func (p *program) escapes(a *ssa.Alloc) bool { return p.escapesBefore(a, nil) }

// escapesBefore reports whether the address of a is given to somebody who
// may store to it, before the instruction at.
func (p *program) escapesBefore(a *ssa.Alloc, at ssa.Instruction) bool {
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		for _, r := range *v.Referrers() {
			if r == at {
				continue
			}
			switch r := r.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface:
				if visit(r.(ssa.Value)) {
					return true
				}
			case *ssa.Store:
				if r.Val == v && (at == nil || precedes(r, at)) && v != ssa.Value(a) {
					return true
				}
			case ssa.CallInstruction:
				if at != nil && !precedes(r, at) {
					continue
				}
				callee := r.Common().StaticCallee()
				if callee == nil || !p.hasBody(callee) && p.mayFill(callee, v, a) {
					return true
				}
			}
		}
		return false
	}
	return visit(a)
}

// precedes reports whether control can pass from a to b without returning
// to where it has been: a comes before b.
func precedes(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() {
		return instrIndex(a) < instrIndex(b)
	}
	return reaches(a.Block(), b.Block())
}

// reaches reports whether a path leads from one block to another without
// another turn of a loop that holds both.
func reaches(from, to *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] && !(s.Dominates(b) && loopHolds(s, to)) && walk(s) {
				return true
			}
		}
		return false
	}
	return walk(from)
}

// loopHolds reports whether a block is in the loop, or one of the loops, that
// begin with a header.
func loopHolds(header, b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{header: true}
	var walk func(c *ssa.BasicBlock) bool
	walk = func(c *ssa.BasicBlock) bool {
		if c == b {
			return true
		}
		seen[c] = true
		for _, p := range c.Preds {
			if !seen[p] && walk(p) {
				return true
			}
		}
		return false
	}
	for _, back := range header.Preds {
		if header.Dominates(back) && !seen[back] && walk(back) {
			return true
		}
	}
	return b == header
}
