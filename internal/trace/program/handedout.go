package program

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// HandedOut returns where a function is done with what it has made: its only
// return that reports no error, or, of a literal to which nothing is set
// afterwards, where it is used first; nil where neither is so.
func HandedOut(p *Program, a *ssa.Alloc) ssa.Instruction {
	var found ssa.Instruction
	for _, ret := range kind.ReturnsOf(a.Parent()) {
		if kind.Fails(ret.Results, ret) || !a.Block().Dominates(ret.Block()) {
			continue
		}
		if found != nil {
			return firstUse(p, a)
		}
		found = ret
	}
	if found == nil {
		return firstUse(p, a)
	}
	return found
}

// firstUse returns where a literal is used first that is made in one block: in
// a loop, on a branch. It is nil where anything is set later.
func firstUse(p *Program, a *ssa.Alloc) ssa.Instruction {
	if givenToCalls(p, a) {
		return nil
	}
	last := -1
	for _, s := range p.Stores[a] {
		if s.At.Block() != a.Block() {
			return nil
		}
		last = max(last, control.Index(s.At))
	}
	var first ssa.Instruction
	for _, r := range *a.Referrers() {
		switch r.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
			continue
		}
		if r.Block() != a.Block() {
			continue
		}
		i := control.Index(r)
		if i < last {
			return nil
		}
		if first == nil || i < control.Index(first) {
			first = r
		}
	}
	return first
}

// givenToCalls reports whether calls are given the address of a variable;
// append, which only keeps it, aside.
func givenToCalls(p *Program, a *ssa.Alloc) bool {
	if !p.CalledWith[a] {
		return false
	}
	for _, call := range p.Calls[a.Parent()] {
		if _, ok := call.Common().Value.(*ssa.Builtin); ok {
			continue
		}
		for _, arg := range append(kind.Variadic(call.Common()), call.Common().Args...) {
			if root, _ := p.Address(kind.Stripped(arg)); root == ssa.Value(a) {
				return true
			}
		}
	}
	return false
}
