package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// counts returns the counter that a field is to which a method adds a constant
// each time it is called; nil where the method does anything else.
func counts(set *summary.FieldSet) *value.Value {
	if set == nil || set.Value == nil {
		return nil
	}
	sum := set.Value.Base()
	if !sum.Is(value.Add) || len(sum.Args) != 2 {
		return nil
	}
	field, step := sum.Args[0].Base(), sum.Args[1].Base()
	if field.Kind != value.Field || value.FieldName(field.Name) != set.Field || step.Kind != value.Int {
		return nil
	}
	if of := field.Args[0].Base(); of.Kind != value.Param || int(of.Num) != set.Param {
		return nil
	}
	return value.Apply(value.Count, value.IntOf(step.Num))
}

// countedInside returns the counter that a field of a local struct is to which
// a function literal adds by calling a method; nil where none does, or where
// anything else sets the field.
func (p *Memory) countedInside(a *ssa.Alloc, path kind.PathTo) *value.Value {
	if len(path) != 1 {
		return nil
	}
	f := kind.StructField(kind.Deref(a.Type()), path[0])
	if f == nil || !isInteger(f.Type()) {
		return nil
	}
	var found *value.Value
	known := true
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		for _, call := range p.Calls[fn] {
			callee := call.Common().StaticCallee()
			if callee == nil || !p.HasBody(callee) {
				continue
			}
			for i, arg := range call.Common().Args {
				if root, prefix := p.Address(kind.Stripped(arg)); root != ssa.Value(a) || len(prefix) > 0 {
					continue
				}
				for _, s := range p.Sets(callee) {
					if s.Param != i || s.Field != f.Name() {
						continue
					}
					c := counts(&s)
					known = known && c != nil
					found = c
				}
			}
		}
		for _, inner := range fn.AnonFuncs {
			visit(inner)
		}
	}
	visit(a.Parent())
	if !known {
		return nil
	}
	return found
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
