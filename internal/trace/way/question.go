package way

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A question is what conditions have in common that may ask the same: of a
// comparison, the operator and what is compared.
type question struct {
	in   *ssa.Function
	op   token.Token
	x, y any
}

func (c *conditions) question(cond ssa.Value) question {
	if q, ok := c.questions[cond]; ok {
		return q
	}
	if cond.Parent() == nil {
		return question{x: cond}
	}
	v := control.Condition{Cond: cond}.Plain().Cond
	q := question{in: kind.Outermost(cond.Parent()), x: operand(v)}
	if cmp, ok := v.(*ssa.BinOp); ok {
		q = question{kind.Outermost(cond.Parent()), cmp.Op, operand(cmp.X), operand(cmp.Y)}
		switch cmp.Op {
		case token.NEQ:
			q.op = token.EQL
		case token.GEQ:
			q.op = token.LSS
		case token.LEQ:
			q.op = token.GTR
		}
	}
	c.questions[cond] = q
	return q
}

// operand returns what two operands of conditions have in common that may be the
// same: the text of a constant, the field that is read.
func operand(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Const:
		return v.String()
	case *ssa.Field:
		return v.Field
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return fa.Field
		}
		return v.Op
	}
	return v
}

// replaced reports whether a condition asks of a value whether it is to be
// replaced by another: if ts == 0 { ts = now }. In a loop, too, it is then about
// the element at hand.
func replaced(cond ssa.Value) bool {
	cmp, ok := cond.(*ssa.BinOp)
	if !ok || !kind.IsConst(cmp.Y) {
		return false
	}
	for _, r := range *cmp.X.Referrers() {
		if _, ok := r.(*ssa.Phi); ok {
			return true
		}
	}
	return false
}

// ofFailure reports whether a condition asks whether a call with several results failed
// of which nothing in view tells why.
func (c *conditions) ofFailure(cond ssa.Value) bool {
	cmp, ok := cond.(*ssa.BinOp)
	if !ok || !kind.IsError(cmp.X.Type()) {
		return false
	}
	switch err := cmp.X.(type) {
	case *ssa.Call, *ssa.Field:
		return false
	case *ssa.UnOp: // an error that is kept
		_, field := err.X.(*ssa.FieldAddr)
		return !field
	case *ssa.Extract:
		call, ok := err.Tuple.(*ssa.Call)
		return !ok || !c.prog.Failures.Tells(call)
	}
	return true
}

// turns reports whether a condition is that of a counting loop: true in each
// turn and false after the last.
func turns(cond ssa.Value) bool {
	cmp, ok := cond.(*ssa.BinOp)
	return ok && cmp.Op == token.LSS && kind.LoopVariable(cmp.X) != nil
}

// varies reports whether a value changes from one use to the next.
func varies(v *value.Value) bool { return holds(v, value.Count) || holds(v, value.Elem) }

// holds reports whether an operation is part of a value.
func holds(v *value.Value, op string) bool {
	return v.Is(op) || slices.ContainsFunc(v.Args, func(a *value.Value) bool { return holds(a, op) })
}
