package kind

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// loop starts.
func CounterStart(v *ssa.Phi) (int64, bool) {
	for _, e := range v.Edges {
		if c, ok := e.(*ssa.Const); ok {
			return IntConst(c)
		}
	}
	return 0, false
}

// how much it grows.
func CounterStep(v *ssa.Phi) (int64, bool) {
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	for _, e := range v.Edges {
		if b, ok := e.(*ssa.BinOp); ok && b.Op == token.ADD && b.X == v {
			if c, ok := b.Y.(*ssa.Const); ok {
				return IntConst(c)
			}
		}
	}
	return 0, false
}

func ParamIndex(v *ssa.Parameter) int {
	for i, q := range v.Parent().Params {
		if q == v {
			return i
		}
	}
	return 0
}

// LoopVariable returns the phi of the counting loop that index counts, or
// nil. Loops over slices count from −1 and index with the next number.
func LoopVariable(index ssa.Value) *ssa.Phi {
	if b, ok := index.(*ssa.BinOp); ok && b.Op == token.ADD {
		index = b.X
	}
	phi, ok := index.(*ssa.Phi)
	if !ok {
		return nil
	}
	if step, ok := CounterStep(phi); !ok || step != 1 {
		return nil
	}
	return phi
}

// Increment reports whether a stored value is what was there plus a
// constant, and the constant.
func Increment(v ssa.Value) (int64, bool) {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD {
		return 0, false
	}
	c, ok := b.Y.(*ssa.Const)
	if _, load := b.X.(*ssa.UnOp); !ok || !load {
		return 0, false
	}
	return IntConst(c)
}

// EdgeUse is the instruction at which the i-th edge of a phi is used: the end
// of its predecessor.
func EdgeUse(v *ssa.Phi, i int) ssa.Instruction {
	instrs := v.Block().Preds[i].Instrs
	if len(instrs) == 0 {
		return nil
	}
	return instrs[len(instrs)-1]
}
