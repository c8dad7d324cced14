package event

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Fake is the operation that stands for what has a table's methods and no
// table in it: a fake that tests use, which is not Bigtable.
const Fake = "fake table"

// OrFakes returns the arguments of an event with a fake in the place of a
// table that is none.
func (p *Tracer) OrFakes(op string, args []*value.Value) []*value.Value {
	i := 0
	switch {
	case op == btapi.ReadRow || op == btapi.ReadRows || Applies(op):
	case Fills(op):
		i = WriteArgs
	default:
		return args
	}
	if i < len(args) && p.isFake(args[i].Base()) {
		args[i] = &value.Value{Kind: value.Call, Name: Fake, Expr: args[i].Expr}
	}
	return args
}

func (p *Tracer) isFake(v *value.Value) bool {
	switch v.Kind {
	case value.Struct:
	case value.Map, value.List: // of what it returns, not of tables
		return !v.Has(func(w *value.Value) bool {
			return w.Kind == value.Unknown || w.Kind == value.Param || w.Kind == value.Field || w.Kind == value.Call
		})
	default:
		return false
	}
	t := p.TypeOf(v)
	return t != nil && !btapi.IsRootType(t) && kind.StructName(types.NewPointer(kind.Deref(t))) != nil && !kind.HoldsTable(kind.Deref(t), 4)
}

// toFake reports whether a test's call applies a mutation to a struct that has a
// table's methods and no table in it.
func (p *Tracer) toFake(call ssa.CallInstruction, t program.Target, mut ssa.Value) bool {
	obj := t.Obj
	if t.Fn != nil {
		obj = kind.Object(t.Fn)
	}
	shape := btapi.ShapeOf(obj)
	if call.Common().IsInvoke() || !p.IsTest(call.Pos()) || shape != btapi.Apply && shape != btapi.ApplyReadModifyWrite || len(t.Args) < 4 || t.Args[3] != mut {
		return false
	}
	return fakeType(t.Args[0].Type())
}

// fakeType reports whether values of a type of a test's own have no table in
// them.
func fakeType(recv types.Type) bool {
	name := kind.StructName(types.NewPointer(kind.Deref(recv)))
	return name != nil && !btapi.IsRootType(recv) && !kind.HoldsTable(kind.Deref(recv), 4)
}
