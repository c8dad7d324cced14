package kind

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// Fails reports whether what is given together there, by a return or to yield, ends with
// an error: what is beside that is not used then.
func Fails(given []ssa.Value, at ssa.Instruction) bool {
	n := len(given)
	if n < 2 || !IsError(given[n-1].Type()) {
		return false
	}
	switch e := given[n-1].(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		if _, ok := e.X.(*ssa.Global); ok {
			return true // io.EOF and the like
		}
	case *ssa.Call:
		if name := btapi.Func(CalledFunc(&e.Call)); name == "fmt.Errorf" || name == "errors.New" {
			return true
		}
	}
	return isSet(given[n-1], at, true) // if err != nil || n == 0 { return nil, err }
}

// ReturnsOf lists the returns of a function, but for that of a panic which is recovered.
func ReturnsOf(fn *ssa.Function) (out []*ssa.Return) {
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && b != fn.Recover {
			out = append(out, ret)
		}
	}
	return out
}

// IsSet reports whether an instruction runs only where a value is not nil.
func IsSet(v ssa.Value, at ssa.Instruction) bool { return isSet(v, at, false) }

// isSet is [IsSet], also, if mostly, for where it is not nil or something else is amiss.
func isSet(v ssa.Value, at ssa.Instruction, mostly bool) bool {
	return v.Referrers() != nil && slices.ContainsFunc(whereSet(v, mostly), func(b *ssa.BasicBlock) bool { return b.Dominates(at.Block()) })
}

// Failures returns the blocks in which the error that a call returns beside v is known
// not to be nil.
func Failures(v ssa.Value) (out []*ssa.BasicBlock) {
	e, ok := v.(*ssa.Extract)
	if !ok {
		return nil
	}
	for _, r := range *e.Tuple.Referrers() {
		if err, ok := r.(*ssa.Extract); ok && IsError(err.Type()) {
			out = append(out, whereSet(err, false)...)
		}
	}
	return out
}

// whereSet returns the blocks in which a value is known not to be nil.
func whereSet(v ssa.Value, mostly bool) (out []*ssa.BasicBlock) {
	for _, r := range *v.Referrers() {
		cmp, ok := r.(*ssa.BinOp)
		if !ok || !IsConst(cmp.Y) {
			continue
		}
		for _, r := range *cmp.Referrers() {
			branch, ok := r.(*ssa.If)
			if !ok {
				continue
			}
			to := branch.Block().Succs[0]
			if cmp.Op == token.EQL {
				to = branch.Block().Succs[1]
			}
			if len(to.Preds) == 1 || mostly && cmp.Op == token.NEQ {
				out = append(out, to)
			}
		}
	}
	return out
}
