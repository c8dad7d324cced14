package kind

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// IsData reports whether a value of a type leads to nothing but data: to no function,
// channel or interface behind which code may be, and to nothing of the client's.
func IsData(t types.Type) bool {
	seen := map[types.Type]bool{}
	var visit func(t types.Type) bool
	visit = func(t types.Type) bool {
		if seen[t] {
			return true
		}
		if btapi.IsRootType(t) {
			return false
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return true
		case *types.Pointer:
			return visit(u.Elem())
		case *types.Slice:
			return visit(u.Elem())
		case *types.Array:
			return visit(u.Elem())
		case *types.Map:
			return visit(u.Key()) && visit(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				if !visit(f.Type()) {
					return false
				}
			}
			return true
		}
		return false
	}
	return visit(t)
}
