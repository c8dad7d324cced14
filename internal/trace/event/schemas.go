package event

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A package of schemas makes tables' configurations that others create tables
// with. What is wrong with one whoever asks for it is wrong there.

// conf makes the event of the literal of a table's configuration that an exported function
// returns. Its value is the configuration.
func (p *Tracer) conf(fn *ssa.Function, a *ssa.Alloc) *Event {
	lit := p.Prog.Syntax.Literals[a.Pos()]
	ret := returnOf(a)
	if lit == nil || ret == nil || exported(fn) == nil || p.Prog.IsTest(a.Pos()) {
		return nil
	}
	return p.at(Conf, fn, a, lit, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.When)
		return []*value.Value{q.Settler.Force(q.Way.Eval(a, ret), 8)}
	})
}

// exported returns the exported function that fn is declared as; nil of others, and
// of literals.
func exported(fn *ssa.Function) *types.Func {
	if obj := kind.Object(fn); fn.Parent() == nil && obj != nil && obj.Exported() {
		return obj
	}
	return nil
}

// given returns the configuration of a declared table, v, as a call is given it: what
// functions put into it is not followed. Other configurations are returned as they are.
func given(v ssa.Value, conf *value.Value) *value.Value {
	v = kind.Stripped(v)
	if helper.Conf(conf) == nil || v.Referrers() == nil {
		return conf
	}
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.FieldAddr); ok {
			return value.UnknownFor("a configuration that is changed since it was made").At(conf.Expr)
		}
	}
	return conf
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
