package kind

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A variable with which a loop looks for the greatest, the least or the last of
// something begins with a zero that is no value of it: where the loop takes a
// turn, it is gone.

// IsBeginning reports whether the i-th edge of a loop's variable gives it the
// zero of a number or of a time, or another constant with which the least or
// the greatest of something is looked for.
func IsBeginning(v *ssa.Phi, i int) bool {
	c, ok := v.Edges[i].(*ssa.Const)
	return ok && Begins(c.Type()) && (IsZero(c) || isSearched(v))
}

// IsZero reports whether a value is the zero of its type.
func IsZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return ok
	}
	switch c.Value.Kind() {
	case constant.Int, constant.Float:
		return constant.Sign(c.Value) == 0
	}
	return false
}

// isSearched reports whether a loop compares its variable with something.
func isSearched(v *ssa.Phi) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			switch r.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				if !IsConst(r.X) && !IsConst(r.Y) {
					return true
				}
			}
		case *ssa.Call:
			if Builtin(r, "min", "max") != nil {
				return true
			}
		}
	}
	return false
}

// IsExtreme reports whether a function is min or max.
func IsExtreme(b *ssa.Builtin) bool { return b.Name() == "min" || b.Name() == "max" }

// Begins reports whether a type is one of numbers or times.
func Begins(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsNumeric != 0
	}
	return TypeKey(t) == "time.Time"
}
