package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
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

// storedInParts is the number of stores of a part that is stored in parts.
const storedInParts = 2

// onlyStore returns the only store to the part at path of a local variable
// and 1, where every way to the instruction at leads through it and no call is
// given the variable's address; 0 where there is none, [storedInParts] where
// only parts of it are stored, −1 where it is not as simple. It saves the walk through tables of literals.
func (p *program) onlyStore(a *ssa.Alloc, path pathTo, at ssa.Instruction) (found store, n int) {
	if at == nil || at.Parent() != a.Parent() || p.calledWith[a] {
		return found, -1
	}
	parts := false
	for _, s := range p.stores[a] {
		if !s.path.hasPrefix(path) && !path.hasPrefix(s.path) {
			continue
		}
		if len(s.path) > len(path) {
			parts = true
			continue
		}
		if n > 0 || s.at.Parent() != at.Parent() {
			return found, -1
		}
		found, n = s, 1
	}
	switch {
	case parts && n == 0:
		return found, storedInParts
	case parts:
		return found, -1
	case n == 0:
		return found, 0
	case found.at.Block() == at.Block() && p.indexOf(found.at) > p.indexOf(at):
		return found, -1
	case found.at.Block() != at.Block() && !found.at.Block().Dominates(at.Block()):
		return found, -1
	}
	return found, 1
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
				if r.Val == v && (at == nil || p.precedes(r, at)) && v != ssa.Value(a) {
					return true
				}
			case ssa.CallInstruction:
				if at != nil && !p.precedes(r, at) {
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
