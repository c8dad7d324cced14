package memory

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Meaningful reports whether a result of that type can tell a rule anything.
func Meaningful(t types.Type, depth int) bool {
	if kind.Interesting(t, depth) || kind.TableLike(t) {
		return true
	}
	if _, generic := t.(*types.TypeParam); generic {
		return true // whatever a caller makes of it
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger|types.IsFloat) != 0
	case *types.Slice:
		return depth > 0 && Meaningful(u.Elem(), depth-1)
	case *types.Map:
		return depth > 0 && Meaningful(u.Elem(), depth-1)
	case *types.Signature, *types.Interface:
		if sig, ok := u.(*types.Signature); ok && depth > 0 && sig.Results().Len() == 1 {
			if res := sig.Results().At(0).Type(); kind.Interesting(res, depth) || btapi.Type(res) == "time.Time" {
				return true // a clock, what makes a filter
			}
		}
		if kind.TakesCommands(u) || kind.TakesFilters(u) {
			return true // what writes with a mutation that it is given, or reads by a filter
		}
		if sig, ok := u.(*types.Signature); ok && kind.TakesCells(sig) {
			return true // what checks cells that it is given
		}
		name := OptionType(t)
		return depth > 0 && name != nil && Meaningful(name.Type(), depth-1)
	case *types.Pointer:
		return depth > 0 && Meaningful(u.Elem(), depth-1)
	case *types.Struct:
		if btapi.Type(t) == "time.Time" {
			return true
		}
		for i := 0; depth > 0 && i < u.NumFields(); i++ {
			if Meaningful(u.Field(i).Type(), depth-1) {
				return true
			}
		}
	}
	return false
}
