package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// readsOnly reports whether what a call runs changes nothing of what its i-th
// argument points to, receiver first, and hands it to nobody: a method with a
// pointer receiver that reads fields.
func (p *Program) readsOnly(t Target, i int) bool {
	switch {
	case t.Fn != nil && i < len(t.Fn.Params):
		return loadsOnly(t.Fn.Params[i], 4)
	case t.Obj == nil || !p.Analysed(t.Obj):
		return false
	}
	if s := p.Imported(t.Obj); s != nil {
		for _, set := range s.Sets {
			if set.Param == i {
				return false
			}
		}
	}
	return true
}

// loadsOnly reports whether nothing is done with a pointer but to load what it
// points to, or parts of that.
func loadsOnly(v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth == 0 {
		return false
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.FieldAddr:
			if !loadsOnly(r, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
