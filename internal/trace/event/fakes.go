package event

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What tests give in the place of a table, an administrator's client or a
// mutation: a struct of their own with the methods of one and none in it.

// Fake is the operation that stands for what has a table's methods and no
// table in it: a fake that tests use, which is not Bigtable.
const Fake = "fake table"

func fakeTable() *value.Value { return &value.Value{Kind: value.Call, Name: Fake} }

// TableArg returns the place of the table among an operation's arguments: what it is
// done to, or what its mutation is applied to. It is negative where there is none.
func TableArg(op string) int {
	switch {
	case op == btapi.ReadRow || op == btapi.ReadRows || Applies(op):
		return 0
	case Fills(op):
		return WriteArgs
	}
	return -1
}

// OrFakes returns the arguments of an event with a fake in the place of a
// table that is none.
func (p *Tracer) OrFakes(op string, args []*value.Value) []*value.Value {
	if i := TableArg(op); i >= 0 && i < len(args) && p.isFake(args[i].Base()) {
		args[i] = fakeTable().At(args[i].Expr)
	}
	return args
}

// WithFake returns the arguments of an event with a fake in the place of a table
// that no caller supplies: a test that gives a fake means that.
func WithFake(op string, own, args []*value.Value) []*value.Value {
	switch i := TableArg(op); {
	case i == len(args):
		return append(args, fakeTable())
	case i >= 0 && i < len(args) && !own[i].HasParams():
		args[i] = fakeTable()
	}
	return args
}

func (p *Tracer) isFake(v *value.Value) bool {
	switch v.Kind {
	case value.Struct:
		return lacks(p.Prog.Names.TypeOf(v), tables)
	case value.Map, value.List: // of what it returns, not of tables
		return !v.Has(func(w *value.Value) bool {
			return w.Kind == value.Unknown || w.Kind == value.Param || w.Kind == value.Field || w.Kind == value.Call
		})
	}
	return false
}

// toFake reports whether a test's call applies a mutation to a struct that has a
// table's methods and no table in it.
func (p *Tracer) toFake(call ssa.CallInstruction, t program.Target, mut ssa.Value) bool {
	obj := t.Obj
	if t.Fn != nil {
		obj = kind.Object(t.Fn)
	}
	shape := btapi.ShapeOf(obj)
	return !call.Common().IsInvoke() && p.Prog.IsTest(call.Pos()) && (shape == btapi.Apply || shape == btapi.ApplyReadModifyWrite) &&
		len(t.Args) > 3 && t.Args[3] == mut && lacks(t.Args[0].Type(), tables)
}

// GivesFakeTable reports whether what a test gives holds a fake table.
func (p *Tracer) GivesFakeTable(given []*value.Value) bool {
	return p.gives(given, kind.TableLike, tables)
}

// StandsIn reports whether a test's call does an operation to what is no client
// or mutation: given returns what it gives, args are the operation's own.
func (p *Tracer) StandsIn(at token.Pos, op string, given func() []*value.Value, args []*value.Value) bool {
	switch {
	case !p.Prog.IsTest(at):
		return false
	case administers(op):
		return p.gives(given(), adminLike, adminLike)
	case Fills(op) && len(args) > 0 && args[0].Base().Kind == value.Struct:
		return lacks(p.Prog.Names.TypeOf(args[0].Base()), mutationLike)
	}
	return false
}

// gives reports whether one of the structs in values, and of the parameters that they
// hang on, is of a type of somebody's own that is alike one of the client's, and has
// no real one in it.
func (p *Tracer) gives(values []*value.Value, alike, real func(types.Type) bool) bool {
	return slices.ContainsFunc(values, func(v *value.Value) bool {
		return v != nil && v.Has(func(w *value.Value) bool {
			var t types.Type
			switch fn, ok := w.Site.(*ssa.Function); {
			case w.Kind == value.Struct:
				t = p.Prog.Names.TypeOf(w)
			case w.Kind == value.Param && ok && int(w.Num) < len(fn.Params):
				t = fn.Params[w.Num].Type()
			}
			return lacks(t, real) && alike(t)
		})
	})
}

// lacks reports whether a type is a struct of somebody's own with nothing real in it.
func lacks(t types.Type, real func(types.Type) bool) bool {
	return t != nil && !btapi.IsRootType(t) && kind.StructName(types.NewPointer(kind.Deref(t))) != nil && !holds(t, real, 4)
}

// holds reports whether a field of a struct, embedded or not, is of a type that
// is so, or holds one.
func holds(t types.Type, is func(types.Type) bool, depth int) bool {
	u, ok := kind.Deref(t).Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return false
	}
	for i := range u.NumFields() {
		f := u.Field(i).Type()
		if c, ok := f.Underlying().(interface{ Elem() types.Type }); ok {
			f = c.Elem()
		}
		if is(f) || u.Field(i).Embedded() && types.IsInterface(f) || holds(f, is, depth-1) {
			return true
		}
	}
	return false
}

// tables reports whether a type is a table's, or a client's that opens them.
func tables(t types.Type) bool {
	switch btapi.Type(t) {
	case "bigtable.Client", "bigtablepb.BigtableClient", "apiv2.Client":
		return true
	}
	return kind.TableLike(t)
}

// administers reports whether an operation is an administrator's client's.
func administers(op string) bool { return strings.HasPrefix(op, "bigtable.AdminClient.") }

// adminLike reports whether a type has the methods of an administrator's client
// that set policies.
func adminLike(t types.Type) bool {
	if btapi.Type(t) == "bigtable.AdminClient" {
		return true
	}
	t = types.Unalias(t)
	if !types.IsInterface(t) {
		t = types.NewPointer(kind.Deref(t))
	}
	return slices.ContainsFunc([]string{"SetGCPolicy", "SetGCPolicyWithOptions", "CreateTableFromConf", "CreateColumnFamily", "CreateColumnFamilyWithConfig"}, func(name string) bool {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		m, ok := obj.(*types.Func)
		return ok && administers(btapi.ShapeOf(m))
	})
}

// mutationLike reports whether a value of a type may be, or lead to, a mutation.
func mutationLike(t types.Type) bool {
	return btapi.IsRootType(t) || types.IsInterface(t)
}
