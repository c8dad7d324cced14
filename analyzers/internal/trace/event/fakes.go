package event

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Fake is the operation that stands for what has a table's methods and no
// table in it: a fake that tests use, which is not Bigtable.
const Fake = "fake table"

// orFakes returns the arguments of an event with a fake in the place of a
// table that is none.
func (p *Tracer) orFakes(op string, args []*value.Value) []*value.Value {
	i := 0
	switch {
	case op == btapi.ReadRow || op == btapi.ReadRows || applies(op):
	case isWrite(op):
		i = writeArgs
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
		known := true
		v.Walk(func(w *value.Value) {
			known = known && w.Kind != value.Unknown && w.Kind != value.Param && w.Kind != value.Field && w.Kind != value.Call
		})
		return known
	default:
		return false
	}
	t := p.TypeOf(v)
	return t != nil && !btapi.IsRootType(t) && kind.StructName(types.NewPointer(kind.Deref(t))) != nil && !holdsTable(kind.Deref(t), 4)
}

// toFake reports whether a test's call applies a mutation to a struct that has a
// table's methods and no table in it.
func (p *Tracer) toFake(call ssa.CallInstruction, t program.Target, mut ssa.Value) bool {
	obj := t.Obj
	if t.Fn != nil {
		obj = kind.Object(t.Fn)
	}
	if call.Common().IsInvoke() || !p.IsTest(call.Pos()) || btapi.ShapeOf(obj) != btapi.Apply || len(t.Args) < 4 || t.Args[3] != mut {
		return false
	}
	recv := t.Args[0].Type()
	name := kind.StructName(types.NewPointer(kind.Deref(recv)))
	return name != nil && !btapi.IsRootType(recv) && !holdsTable(kind.Deref(recv), 4)
}

// holdsTable reports whether a struct may lead to a table.
func holdsTable(t types.Type, depth int) bool {
	u, ok := t.Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return false
	}
	for i := 0; i < u.NumFields(); i++ {
		f := u.Field(i).Type()
		switch btapi.Type(f) {
		case "bigtable.Client", "bigtablepb.BigtableClient", "apiv2.Client":
			return true
		}
		if kind.TableLike(f) || u.Field(i).Embedded() && types.IsInterface(f) || holdsTable(kind.Deref(f), depth-1) {
			return true
		}
	}
	return false
}

// fixedTimes are the calls that make a time of constants.
var fixedTimes = map[string]bool{
	"time.Date": true, "time.Unix": true, "time.UnixMilli": true, "time.UnixMicro": true, "time.Parse": true, value.ZeroTime: true,
}

// injects reports whether a call is a test's of code that is none.
func (p *Tracer) injects(call ssa.Instruction, callee *ssa.Function) bool {
	return p.IsTest(call.Pos()) && (callee == nil || !p.IsTest(callee.Pos()))
}

// withoutInjected returns an argument of an event with the constant times
// unknown that are not the callee's own: a test injects them where production
// has a clock. Of a filter or option with such a time in it nothing is known.
func withoutInjected(op string, v, own *value.Value) *value.Value {
	known, injected := map[string]bool{}, false
	own.Walk(func(w *value.Value) {
		if isFixed(w) {
			known[w.String()] = true
		}
	})
	var visit func(w *value.Value) *value.Value
	visit = func(w *value.Value) *value.Value {
		if isFixed(w) && !known[w.String()] {
			injected = true
			u := value.UnknownFor("a time that a test injects")
			u.Class = w.Class
			return u
		}
		c := *w
		c.Args = nil
		for _, a := range w.Args {
			c.Args = append(c.Args, visit(a))
		}
		return &c
	}
	out := visit(v)
	if injected && v.Class == value.NoClass && (op == btapi.ReadRow || op == btapi.ReadRows) {
		return value.UnknownFor("a filter with a time that a test injects").At(v.Expr)
	}
	return out
}

func isFixed(v *value.Value) bool {
	if v.Kind != value.Call || !fixedTimes[v.Name] {
		return false
	}
	fixed := true
	v.Walk(func(w *value.Value) {
		fixed = fixed && w.Kind != value.Param && w.Name != "time.Now" && w.Name != "bigtable.Now"
	})
	return fixed
}
