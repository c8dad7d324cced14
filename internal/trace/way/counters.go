package way

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// counted reports whether the elements of a map are counters: whether the
// function that asks for one stores it back with a constant added, and how
// much.
func counted(p *program.Program, v *ssa.Lookup) (step int64, ok bool) {
	if b, isBasic := v.Type().Underlying().(*types.Basic); v.CommaOk || !isBasic || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	for instr := range kind.Instructions(v.Parent()) {
		up, ok := instr.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		sum, ok := up.Value.(*ssa.BinOp)
		if !ok || sum.Op != token.ADD {
			continue
		}
		old, ok := sum.X.(*ssa.Lookup)
		c, constant := sum.Y.(*ssa.Const)
		if !ok || !constant || old.CommaOk || !program.SamePlace(p, up.Map, v.X) || !program.SamePlace(p, old.X, v.X) {
			continue
		}
		if n, ok := kind.IntConst(c); ok {
			return n, true
		}
	}
	return 0, false
}
