package callers

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
	"golang.org/x/tools/go/ssa"
)

// A command that opens a store only to read leaves out of its configuration
// what the store's writes need: a field that is left out says nothing of methods that
// it may not call.

// opens reports whether a call in a command makes an object of another package's
// type.
func (p *Tracer) opens(call ssa.CallInstruction) bool {
	results := call.Common().Signature().Results()
	if p.Prog.Pass.Pkg.Name() != "main" || results.Len() == 0 {
		return false
	}
	name := kind.StructName(types.NewPointer(kind.Deref(results.At(0).Type())))
	return name != nil && !p.Prog.Owns(name)
}

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
		return w.Forgotten("a field that is left out, of what a command makes")
	})
}
