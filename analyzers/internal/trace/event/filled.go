package event

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A builder fills a table's configuration family by family: what one of its
// methods is given for a family is judged where the method is called.

// Filled is the operation of an event that stands for a function which puts a
// family with its policy, as callers supply them, into a configuration that it is
// given. Its arguments are table, family and policy.
const Filled = "entry of a table's configuration"

// filled makes the event of an entry that a function puts into a map of families
// in a field of what it is given.
func (p *Tracer) filled(fn *ssa.Function, up *ssa.MapUpdate) *Event {
	e := p.NewEvent(Filled, fn, up)
	m, ok := up.Map.Type().Underlying().(*types.Map)
	if !ok || !kind.IsText(m.Key()) || btapi.Type(m.Elem()) != "bigtable.Family" && btapi.Type(m.Elem()) != policyType {
		return e
	}
	load, ok := up.Map.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || p.IsTest(up.Pos()) {
		return e
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return e
	}
	if root, _ := p.Address(fa); !isParam(root) {
		return e
	}
	conf := kind.Deref(fa.X.Type())
	name := tableField(conf)
	index := p.Syntax.Indexes[up.Pos()]
	if index == nil {
		return e
	}
	e.Node = index
	e.Evaluate(func(q *eval.Path) []*value.Value {
		q.AssumeBlock(up.Block(), nil, &q.When)
		table := value.UnknownFor("a table without name")
		if name != nil {
			table = q.Force(q.Field(q.Eval(fa.X, up), name, conf), 2)
		}
		policy := q.Force(q.Eval(up.Value, up), 4)
		if btapi.Type(m.Elem()) == "bigtable.Family" {
			if policy = policy.Get("GCPolicy"); policy == nil {
				policy = value.NilValue()
			}
		}
		return []*value.Value{table, q.Eval(up.Key, up), policy}
	})
	open := e.Link.Open
	if len(open) == 0 || !open[0].Args[1].HasParams() {
		e.Cases, e.Link.Open = nil, nil // its own
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
