package callers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A base that another package makes may be embedded in a type of this one, whose
// methods it then has. Of one that has no name elsewhere it is not followed which methods
// are called: what is wrong with one that nobody calls happens to no table.

// promoted reports whether what a call of another package makes is embedded in a type
// that only this package names.
func (p *Tracer) promoted(call ssa.CallInstruction) bool {
	outer := p.embeddedIn(call)
	return outer != nil && !outer.Exported()
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
