package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// A base that another package makes may be embedded in a type of this one, whose
// methods it then has. Of one that has no name elsewhere, what is wrong with a method that
// this package does not call is taken to happen to no table.

// PromotedIdle reports whether what a call of another package makes is embedded in
// a type of which nobody calls the method.
func (p *Tracer) PromotedIdle(call ssa.CallInstruction, method string) bool {
	outer := p.embeddedIn(call)
	if method == "" || outer == nil || outer.Exported() {
		return false
	}
	for _, fn := range p.Prog.Funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if p.mayRun(instr, outer, method) {
					return false
				}
			}
		}
	}
	return true
}

// embeddedIn returns the type of this package in whose embedded field what a call
// makes goes, where it goes nowhere else; nil otherwise.
func (p *Tracer) embeddedIn(call ssa.CallInstruction) *types.TypeName {
	made := call.Value()
	if made == nil {
		return nil
	}
	var outer *types.TypeName
	for _, r := range *made.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			fa, ok := r.Addr.(*ssa.FieldAddr)
			if !ok || !kind.FieldOf(fa).Embedded() || outer != nil {
				return nil
			}
			if outer = kind.StructName(kind.Deref(fa.X.Type())); outer == nil || !p.Prog.Owns(outer) {
				return nil
			}
		default:
			return nil
		}
	}
	return outer
}

// mayRun reports whether an instruction may run the method that a type has of its
// embedded field, or gives an object of it to somebody who may.
func (p *Tracer) mayRun(instr ssa.Instruction, outer *types.TypeName, method string) bool {
	switch instr := instr.(type) {
	case *ssa.MakeInterface:
		if kind.StructName(kind.Deref(instr.X.Type())) != outer {
			return false
		}
		iface := instr.Type().Underlying().(*types.Interface)
		for i := range iface.NumMethods() {
			if iface.Method(i).Name() == method {
				return true
			}
		}
		return iface.NumMethods() == 0 // asked for any methods
	case *ssa.MakeClosure:
		fn := instr.Fn.(*ssa.Function)
		return kind.IsBound(fn) && fn.Object().Name() == method && mayBeOf(instr.Bindings, outer)
	case ssa.CallInstruction:
		for _, t := range p.Eval.Targets(instr) {
			if named(t, method) && mayBeOf(t.Args, outer) {
				return true
			}
		}
	}
	return false
}

func named(t program.Target, method string) bool {
	return t.Obj != nil && t.Obj.Name() == method && t.Obj.Signature().Recv() != nil
}

// mayBeOf reports whether a receiver, the first of the arguments, may be a part of
// an object of a type: it is not where it is known to be a part of another.
func mayBeOf(args []ssa.Value, outer *types.TypeName) bool {
	if len(args) == 0 {
		return true
	}
	v := args[0]
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	fa, ok := v.(*ssa.FieldAddr)
	return !ok || kind.StructName(kind.Deref(fa.X.Type())) == outer
}
