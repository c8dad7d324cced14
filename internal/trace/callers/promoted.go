package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// A base that another package makes may be embedded in a type of this one, whose
// methods it then has. Where nobody else can call them, what is wrong with one that
// this package does not call happens to no table.

// PromotedIdle reports whether what a call of another package makes is embedded in
// a type of which nobody calls the method.
func (p *Escapes) PromotedIdle(call ssa.CallInstruction, method string) bool {
	outer := p.embeddedIn(call)
	if method == "" || outer == nil || outer.Exported() || p.getsOut(outer) {
		return false
	}
	for _, fn := range p.Funcs {
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
func (p *Escapes) embeddedIn(call ssa.CallInstruction) *types.TypeName {
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
			if outer = kind.StructName(kind.Deref(fa.X.Type())); outer == nil || !p.Owns(outer) {
				return nil
			}
		default:
			return nil
		}
	}
	return outer
}

// getsOut reports whether other packages get objects of a type as what they are: as
// the result of an exported function, in a variable, as a part of another type.
func (p *Escapes) getsOut(name *types.TypeName) bool {
	is := func(t types.Type) bool { return holds(t, name, 4) }
	scope := p.Pass.Pkg.Scope()
	for _, n := range scope.Names() {
		switch obj := scope.Lookup(n).(type) {
		case *types.Var:
			if obj.Exported() && is(obj.Type()) {
				return true
			}
		case *types.Func:
			if obj.Exported() && is(obj.Type()) {
				return true
			}
		case *types.TypeName:
			if obj == name {
				continue
			}
			if _, isInterface := obj.Type().Underlying().(*types.Interface); !isInterface && is(obj.Type().Underlying()) {
				return true
			}
			if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
				for m := range named.Methods() {
					if m.Exported() && is(m.Signature()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// holds reports whether a type is made of another one.
func holds(t types.Type, name *types.TypeName, depth int) bool {
	if depth == 0 {
		return false
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj() == name
	case *types.Pointer:
		return holds(t.Elem(), name, depth)
	case *types.Map:
		return holds(t.Key(), name, depth-1) || holds(t.Elem(), name, depth-1)
	case interface{ Elem() types.Type }:
		return holds(t.Elem(), name, depth-1)
	case *types.Struct:
		for f := range t.Fields() {
			if holds(f.Type(), name, depth-1) {
				return true
			}
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if holds(v.Type(), name, depth-1) {
					return true
				}
			}
		}
	}
	return false
}

// mayRun reports whether an instruction may run the method that a type has of its
// embedded field, or gives an object of it to somebody who may.
func (p *Escapes) mayRun(instr ssa.Instruction, outer *types.TypeName, method string) bool {
	switch instr := instr.(type) {
	case *ssa.MakeInterface:
		if kind.StructName(kind.Deref(instr.X.Type())) != outer && !holds(instr.X.Type(), outer, 4) {
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
		for _, t := range p.Targets(instr) {
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
