package event

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
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

// A builder fills a table's configuration family by family: what one of its
// methods is given for a family is judged where the method is called.

// filled makes the event of the entry that a function puts into a map of families in a field
// of what it is given, if callers supply the family. Its values are table, family and policy.
func (p *Tracer) filled(fn *ssa.Function, up *ssa.MapUpdate) *Event {
	m, ok := up.Map.Type().Underlying().(*types.Map)
	if !ok || !kind.IsText(m.Key()) || btapi.Type(m.Elem()) != "bigtable.Family" && btapi.Type(m.Elem()) != policyType {
		return nil
	}
	load, ok := up.Map.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || p.Prog.IsTest(up.Pos()) {
		return nil
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if root, _ := p.Prog.Address(fa); !isParam(root) {
		return nil
	}
	conf := kind.Deref(fa.X.Type())
	name := tableField(conf)
	index := p.Prog.Syntax.Indexes[up.Pos()]
	if index == nil {
		return nil
	}
	e := p.at(Filled, fn, up, index, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(up.Block(), nil, &q.Way.When)
		table := value.UnknownFor("a table without name")
		if name != nil {
			table = q.Settler.Force(q.Reader.Field(q.Way.Eval(fa.X, up), name, conf), 2)
		}
		policy := q.Settler.Force(q.Way.Eval(up.Value, up), 4)
		if btapi.Type(m.Elem()) == "bigtable.Family" {
			if policy = policy.Get("GCPolicy"); policy == nil {
				policy = value.NilValue()
			}
		}
		return []*value.Value{table, q.Way.Eval(up.Key, up), policy}
	})
	if len(e.Link.Open) == 0 || !e.Link.Open[0].Args[1].HasParams() {
		return nil // its own
	}
	return e
}

func isParam(v ssa.Value) bool {
	_, ok := v.(*ssa.Parameter)
	return ok
}

// tableField returns the field of a struct that names its table; nil where none
// does, or several.
func tableField(t types.Type) *types.Var {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var found *types.Var
	for f := range s.Fields() {
		if kind.IsText(f.Type()) && strings.Contains(strings.ToLower(f.Name()), "table") {
			if found != nil {
				return nil
			}
			found = f.Origin()
		}
	}
	return found
}
