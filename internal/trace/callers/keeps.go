package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Keeps reports whether what a call of another package makes is nobody's but
// this program's: a command that makes it and hands it to nobody.
func (p *Escapes) Keeps(call ssa.CallInstruction) bool {
	made := call.Value()
	if made == nil || p.Pass.Pkg.Name() != "main" {
		return false
	}
	t := made.Type()
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return false
		}
		t = tuple.At(0).Type()
	}
	name := kind.StructName(types.NewPointer(kind.Deref(t)))
	if name == nil || p.Owns(name) {
		return false
	}
	kept, ok := p.kept[name]
	if !ok {
		kept = !p.handsOn(name)
		p.kept[name] = kept
	}
	return kept
}

// handsOn reports whether an object of a type may get to code that is not in
// view: as an interface, as an argument, as a method value.
func (p *Escapes) handsOn(name *types.TypeName) bool {
	is := func(v ssa.Value) bool { return kind.StructName(types.NewPointer(kind.Deref(v.Type()))) == name }
	for _, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.MakeInterface:
					if is(instr.X) {
						return true
					}
				case *ssa.MakeClosure:
					for _, bound := range instr.Bindings {
						if is(bound) && kind.IsBound(instr.Fn.(*ssa.Function)) {
							return true
						}
					}
				case *ssa.Store:
					if fa, ok := instr.Addr.(*ssa.FieldAddr); ok && is(instr.Val) {
						if owner := kind.StructName(kind.Deref(fa.X.Type())); owner == nil || !p.Owns(owner) {
							return true
						}
					}
				case ssa.CallInstruction:
					if p.givesAway(instr, is) {
						return true
					}
				}
			}
		}
	}
	return false
}

// givesAway reports whether a call gives such an object to code that is not in
// view.
func (p *Escapes) givesAway(call ssa.CallInstruction, is func(ssa.Value) bool) bool {
	common := call.Common()
	args := common.Args
	if fn := common.StaticCallee(); fn != nil {
		if p.HasBody(kind.Origin(fn)) {
			return false
		}
		if fn.Signature.Recv() != nil && len(args) > 0 {
			args = args[1:]
		}
	}
	for _, a := range args {
		if is(a) {
			return true
		}
	}
	return false
}
