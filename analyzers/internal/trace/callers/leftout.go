package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/memory"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A program that opens a store only to read leaves out of its configuration
// what the store's writes need. Where nobody else gets the store, what it calls
// is in view: a field that is left out says nothing of methods that it does not
// call.

// withoutLeftOut returns an argument of what a constructor's objects do, with
// the fields unknown that the call leaves out of a struct that it gives.
func withoutLeftOut(v *value.Value, args *memory.Arguments) *value.Value {
	return v.Rewrite(func(w *value.Value) *value.Value {
		var path []string
		f := w.Base()
		for ; f.Kind == value.Field; f = f.Args[0].Base() {
			path = append([]string{value.FieldName(f.Name)}, path...)
		}
		if len(path) == 0 {
			return nil
		}
		if f.Kind != value.Param || args.At(int(f.Num)) == nil || !args.LeavesOut(int(f.Num), path) {
			return w
		}
		u := value.UnknownFor("a field that is left out, of an object whose methods are all in view")
		u.Class = w.Class
		return u
	})
}

// keeps reports whether what a call of another package makes is nobody's but
// this program's: a command that makes it and hands it to nobody.
func (p *Tracer) keeps(call ssa.CallInstruction) bool {
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
func (p *Tracer) handsOn(name *types.TypeName) bool {
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
func (p *Tracer) givesAway(call ssa.CallInstruction, is func(ssa.Value) bool) bool {
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
