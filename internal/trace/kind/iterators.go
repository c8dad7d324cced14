package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsRangeBody reports whether a function is the body of a loop over an
// iterator.
func IsRangeBody(fn *ssa.Function) bool { return fn.Synthetic == "range-over-func yield" }

// Yielded returns the types of what an iterator of that type yields, which may return an
// error besides; nil where it is none.
func Yielded(t types.Type) *types.Tuple {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 {
		return nil
	}
	if res := sig.Results(); res.Len() > 1 || res.Len() == 1 && !IsError(res.At(0).Type()) {
		return nil
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok || yield.Results().Len() != 1 || !IsBool(yield.Results().At(0).Type()) {
		return nil
	}
	return yield.Params()
}

// YieldsCells reports whether what an iterator of that type yields are cells.
func YieldsCells(t types.Type) bool {
	if yielded := Yielded(t); yielded != nil {
		for i := range yielded.Len() {
			if CarriesCells(yielded.At(i).Type()) {
				return true
			}
		}
	}
	return false
}
