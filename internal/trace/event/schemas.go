package event

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A package of schemas makes tables' configurations that others create tables
// with. What is wrong with one whoever asks for it is wrong there.

// Literal returns the literal of a table's configuration that an exported function
// returns. Its value is the configuration.
func (p *TableConfs) Literal(fn *ssa.Function, a *ssa.Alloc) *Statement {
	lit := p.prog.Syntax.Literals[a.Pos()]
	ret := returnOf(a)
	if lit == nil || ret == nil || exported(fn) == nil || p.prog.IsTest(a.Pos()) {
		return nil
	}
	return &Statement{lit, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.When)
		return []*value.Value{q.Settler.Force(q.Way.Eval(a, ret), 8)}
	}}
}

// returnOf returns the one instruction that returns an object, or a copy of it;
// nil where there is none, or where the object may be another one then.
func returnOf(a *ssa.Alloc) *ssa.Return {
	uses := *a.Referrers()
	for _, r := range *a.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok && load.Op == token.MUL {
			uses = append(uses[:len(uses):len(uses)], *load.Referrers()...)
		}
	}
	var found *ssa.Return
	for _, r := range uses {
		if ret, ok := r.(*ssa.Return); ok {
			if found != nil {
				return nil
			}
			found = ret
		}
	}
	return found
}
