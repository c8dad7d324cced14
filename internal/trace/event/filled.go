package event

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

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
