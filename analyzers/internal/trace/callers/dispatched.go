package callers

import (
	"golang.org/x/tools/go/ssa"
)

// Dispatches reports whether a call runs a function that is looked up, or one
// of several.
func (p *Tracer) Dispatches(call ssa.CallInstruction) bool {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	return lookedUpIn(common.Value, 4) || len(p.Targets(call)) > 1
}

// lookedUpIn reports whether a function is an element of a map or list, or a
// field of one.
func lookedUpIn(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Lookup, *ssa.IndexAddr, *ssa.Index:
		return true
	case *ssa.Extract:
		_, ranged := v.Tuple.(*ssa.Next)
		return ranged || lookedUpIn(v.Tuple, depth-1)
	case *ssa.Field:
		return lookedUpIn(v.X, depth-1)
	case *ssa.FieldAddr:
		return lookedUpIn(v.X, depth-1)
	case *ssa.UnOp:
		return lookedUpIn(v.X, depth-1)
	}
	return false
}
