package program

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// RunsOnce reports whether a function certainly runs once in the life of a
// program: it initialises the package, a sync.Once that is a package variable
// runs it, or only such functions call it.
func (p *Program) RunsOnce(fn *ssa.Function) bool { return p.runsOnce(fn, 4) }

func (p *Program) runsOnce(fn *ssa.Function, depth int) bool {
	switch obj := kind.Object(fn); {
	case fn == p.Pkg.Func("init"), fn.Parent() == nil && obj != nil && obj.Name() == "init" && fn.Signature.Recv() == nil:
		return true
	case depth == 0, fn.Signature.Recv() != nil, obj != nil && obj.Exported():
		return false
	}
	used := false
	for _, user := range p.Funcs {
		for instr := range kind.Instructions(user) {
			for _, op := range instr.Operands(nil) {
				if !isFunction(*op, fn) {
					continue
				}
				if mc, ok := instr.(*ssa.MakeClosure); ok && mc.Fn == fn {
					continue // its uses are seen by themselves
				}
				used = true
				if !p.usedOnce(instr, *op, user, depth) {
					return false
				}
			}
		}
	}
	return used
}

// isFunction reports whether v is the function, or a literal with what it
// captures.
func isFunction(v ssa.Value, fn *ssa.Function) bool {
	mc, ok := v.(*ssa.MakeClosure)
	return v == ssa.Value(fn) || ok && mc.Fn == fn
}

// usedOnce reports whether an instruction of user that uses a function runs
// it no more than once.
func (p *Program) usedOnce(instr ssa.Instruction, fn ssa.Value, user *ssa.Function, depth int) bool {
	call, ok := instr.(*ssa.Call) // not go, which may run for ever
	if !ok {
		return false
	}
	if call.Call.Value == fn {
		return p.runsOnce(user, depth-1)
	}
	callee := kind.CalledFunc(&call.Call)
	if callee == nil {
		return false
	}
	switch kind.FuncKey(callee) {
	case "sync.Once.Do":
		once, path := p.Address(call.Call.Args[0])
		_, isGlobal := once.(*ssa.Global)
		return isGlobal && len(path) == 0 && len(p.Stores[once]) == 0
	case "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
		return p.runsOnce(user, depth-1)
	}
	return false
}
