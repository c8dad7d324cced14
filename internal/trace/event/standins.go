package event

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What tests give in the place of a table, an administrator's client or a
// mutation: a struct of their own with the methods of one and none in it.

// administers reports whether an operation is an administrator's client's.
func administers(op string) bool { return strings.HasPrefix(op, "bigtable.AdminClient.") }

// GivesFakeTable reports whether what a test gives holds a fake table.
func (p *Tracer) GivesFakeTable(given []*value.Value) bool {
	return p.anyIn(given, func(t types.Type) bool { return kind.TableLike(t) && !kind.HoldsTable(kind.Deref(t), 4) })
}

// StandsIn reports whether a test's call does an operation to what is no client
// or mutation: given returns what it gives, args are the operation's own.
func (p *Tracer) StandsIn(at token.Pos, op string, given func() []*value.Value, args []*value.Value) bool {
	switch {
	case !p.IsTest(at):
		return false
	case administers(op):
		return p.anyIn(given(), func(t types.Type) bool { return adminLike(t) && !holds(t, adminLike, 4) })
	case Fills(op) && len(args) > 0 && args[0].Base().Kind == value.Struct:
		return p.anyIn([]*value.Value{args[0].Base()}, func(t types.Type) bool { return !holds(t, mutationLike, 4) })
	}
	return false
}

// anyIn reports whether one of the structs in values, and of the parameters that
// they hang on, is of a type of somebody's own that is so.
func (p *Tracer) anyIn(values []*value.Value, is func(types.Type) bool) bool {
	return slices.ContainsFunc(values, func(v *value.Value) bool {
		return v != nil && v.Has(func(w *value.Value) bool {
			t := p.structOf(w)
			return t != nil && is(t)
		})
	})
}

// structOf returns the type of a value that is a struct of a type which is not
// the client's, or a pointer to one; nil of any other.
func (p *Tracer) structOf(v *value.Value) types.Type {
	var t types.Type
	switch v.Kind {
	case value.Struct:
		t = p.TypeOf(v)
	case value.Param:
		if fn, ok := v.Site.(*ssa.Function); ok && int(v.Num) < len(fn.Params) {
			t = fn.Params[v.Num].Type()
		}
	}
	if t == nil || btapi.IsRootType(t) || kind.StructName(types.NewPointer(kind.Deref(t))) == nil {
		return nil
	}
	return t
}

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
	for _, name := range []string{"SetGCPolicy", "SetGCPolicyWithOptions", "CreateTableFromConf", "CreateColumnFamily", "CreateColumnFamilyWithConfig"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if m, ok := obj.(*types.Func); ok && administers(btapi.ShapeOf(m)) {
			return true
		}
	}
	return false
}

// mutationLike reports whether a value of a type may be, or lead to, a mutation.
func mutationLike(t types.Type) bool {
	return btapi.IsRootType(t) || types.IsInterface(t)
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
		switch c := f.Underlying().(type) {
		case *types.Slice:
			f = c.Elem()
		case *types.Map:
			f = c.Elem()
		}
		if is(f) || u.Field(i).Embedded() && types.IsInterface(f) || holds(f, is, depth-1) {
			return true
		}
	}
	return false
}

// WithFake returns the arguments of an event with a fake in the place of a table
// that no caller supplies: a test that gives a fake means that.
func WithFake(op string, own, args []*value.Value) []*value.Value {
	i := 0
	switch {
	case op == btapi.ReadRow || op == btapi.ReadRows || Applies(op):
	case Fills(op):
		i = WriteArgs
	default:
		return args
	}
	fake := &value.Value{Kind: value.Call, Name: Fake}
	switch {
	case i == len(args):
		return append(args, fake)
	case i < len(args) && !own[i].HasParams():
		args[i] = fake
	}
	return args
}
