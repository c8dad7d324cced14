package uses

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Conditions single out turns: the name of a column is that of one element,
// the largest is found once more only where the last was smaller. Others, such
// as that there is a value, many turns meet.

// Singled reports whether the turn's instruction is reached under a condition
// that single turns meet.
func (t *Turn) Singled() bool {
	from := t.header
	if from == nil {
		from = t.fn.Blocks[0]
	}
	return t.singled || t.p.singles(from, t.at.Block(), t)
}

// SinglesOut reports whether a function does something under a condition that
// few of its calls meet.
func (p *Repeats) SinglesOut(at ssa.Instruction) bool {
	return p.singles(at.Parent().Blocks[0], at.Block(), nil)
}

// singles reports whether every way from one block to another leads over a
// condition that single turns meet.
func (p *Repeats) singles(from, to *ssa.BasicBlock, t *Turn) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var open func(b *ssa.BasicBlock) bool
	open = func(b *ssa.BasicBlock) bool {
		if b == from {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, pred := range b.Preds {
			if branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && !control.IsHeader(pred) && pred.Succs[0] != pred.Succs[1] {
				if !asksState(pred) && single(branch.Cond, pred.Succs[0] == b, t) {
					continue
				}
			}
			if open(pred) {
				return true
			}
		}
		return false
	}
	return !open(to)
}

// asksState reports whether a block is the one in which the body of a range
// over a function asks whether the loop was left.
func asksState(b *ssa.BasicBlock) bool { return b.Index == 0 && kind.IsRangeBody(b.Parent()) }

// single reports whether few turns meet a condition.
func single(cond ssa.Value, holds bool, t *Turn) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return single(c.X, !holds, t)
		}
		return holds // a flag of the element, or one that is set once
	case *ssa.Phi:
		return true
	case *ssa.BinOp:
		return singleComparison(c, holds, t)
	case *ssa.Extract:
		return false // whether a map has a key
	case *ssa.Call:
		if !holds || t != nil && t.Steady(c) {
			return false
		}
		callee := c.Call.StaticCallee()
		if c.Call.IsInvoke() || callee == nil {
			return true
		}
		name := btapi.Func(kind.Object(callee)) // of the standard library: whether a text begins with another
		return name == "" || name == "strings.EqualFold"
	}
	return holds && (t == nil || !t.Steady(cond))
}

func singleComparison(c *ssa.BinOp, holds bool, t *Turn) bool {
	if t != nil && t.Steady(c.X) && t.Steady(c.Y) {
		return false
	}
	switch c.Op {
	case token.EQL, token.NEQ:
		if holds != (c.Op == token.EQL) {
			return false
		}
		for _, side := range []ssa.Value{c.X, c.Y} {
			if k, ok := side.(*ssa.Const); ok && k.IsNil() {
				return false
			}
		}
		return true
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		for i, side := range []ssa.Value{c.X, c.Y} {
			other := []ssa.Value{c.Y, c.X}[i]
			_, constant := side.(*ssa.Const)
			if constant || t != nil && t.Steady(side) {
				return counts(other)
			}
		}
		return true
	}
	return holds
}

// counts reports whether a value is carried on from turn to turn.
func counts(v ssa.Value) bool {
	if b, ok := v.(*ssa.BinOp); ok {
		return counts(b.X) || counts(b.Y)
	}
	_, ok := v.(*ssa.Phi)
	return ok
}

func isParam(v *value.Value, fn *ssa.Function) bool {
	return v.Kind == value.Param && v.Site == any(kind.Origin(fn))
}
