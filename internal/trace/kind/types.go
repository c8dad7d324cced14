package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

// IsFunc reports whether a type is one of functions.
func IsFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsText reports whether a type is a kind of string.
func IsText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func IsBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// PolicyType returns the constructor that a conversion to one of the
// client's policy types stands for.
func PolicyType(t types.Type) string {
	switch btapi.Type(t) {
	case "bigtable.MaxAgeGCPolicy":
		return "bigtable.MaxAgePolicy"
	case "bigtable.MaxVersionsGCPolicy":
		return "bigtable.MaxVersionsPolicy"
	}
	return ""
}

func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// FieldKey names a field as registries write handles: "path.Type.field".
func FieldKey(f *types.Var, structType types.Type) string {
	if f == nil {
		return ""
	}
	return TypeKey(Deref(structType)) + "." + f.Name()
}

// TableLike reports whether values of a type are tables: the client's, or
// what has their methods.
func TableLike(t types.Type) bool {
	switch btapi.Type(t) {
	case "bigtable.Table", "bigtable.TableAPI", "bigtable.TableShim":
		return true
	}
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Struct:
	default:
		return false
	}
	if _, ok := t.(*types.Named); !ok {
		return false
	}
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	for _, name := range []string{"ReadRow", "ReadRows", "Apply", "ApplyBulk", "ApplyReadModifyWrite"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if m, ok := obj.(*types.Func); ok && btapi.ShapeOf(m) != "" {
			return true
		}
	}
	return false
}

// HoldsTable reports whether a struct may lead to a table.
func HoldsTable(t types.Type, depth int) bool {
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
		if TableLike(f) || u.Field(i).Embedded() && types.IsInterface(f) || HoldsTable(Deref(f), depth-1) {
			return true
		}
	}
	return false
}

func FieldIndex(t types.Type, f *types.Var) int {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := 0; i < s.NumFields(); i++ {
			if s.Field(i).Origin() == f {
				return i
			}
		}
	}
	return -1
}

// Interesting reports whether values of a type can carry something that the
// rules look at: mutations, filters, tables and the like. Structs count down
// to depth.
func Interesting(t types.Type, depth int) bool { return carries(t, depth, 12) }

// TakesWrites reports whether a function of that type, or a method of that
// interface, is given a mutation or a time by whoever calls it.
func TakesWrites(t types.Type) bool { return takes(t, written(0)) }

// TakesCells reports whether a function of that type is given cells, or rows, that
// were read by whoever calls it.
func TakesCells(sig *types.Signature) bool { return takes(sig, CarriesCells) }

// TakesCommands is like TakesWrites, also for what is given a struct with a mutation
// or a time: a command, a job.
func TakesCommands(t types.Type) bool { return takes(t, written(2)) }

// TakesFilters is like TakesWrites for what is given filters, or options of a read.
func TakesFilters(t types.Type) bool {
	return takes(t, func(t types.Type) bool {
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		name := btapi.Type(t)
		return name == "bigtable.Filter" || name == "bigtable.ReadOption"
	})
}

func takes(t types.Type, is func(types.Type) bool) bool {
	switch t := t.Underlying().(type) {
	case *types.Signature:
		for v := range t.Params().Variables() {
			if is(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if takes(m.Signature(), is) {
				return true
			}
		}
	}
	return false
}

func written(depth int) func(types.Type) bool {
	return func(t types.Type) bool { return isWritten(t, depth) }
}

// isWritten reports whether values of a type are times or mutations, or structs
// with one, down to depth, or may be such structs, of a type parameter.
func isWritten(t types.Type, depth int) bool {
	if ClassOf(t) != value.NoClass || isMutation(t) {
		return true
	}
	if depth == 0 || btapi.IsRootType(t) || btapi.Type(Deref(t)) == "time.Time" {
		return false
	}
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return true
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	if s, ok := Deref(t).Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if isWritten(f.Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

// Generic reports whether values of a type are, or have a field, of a type
// parameter.
func Generic(t types.Type) bool {
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return true
	}
	s, ok := Deref(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if _, generic := types.Unalias(f.Type()).(*types.TypeParam); generic {
			return true
		}
	}
	return false
}

// isMutation reports whether values of a type are mutations, lists of them, or
// structs around one.
func isMutation(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	if btapi.Type(t) == "bigtable.Mutation" {
		return true
	}
	s, ok := Deref(t).Underlying().(*types.Struct)
	if !ok || btapi.IsRootType(t) {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && btapi.Type(f.Type()) == "bigtable.Mutation" {
			return true
		}
	}
	return false
}

// carries bounds the layers too, of types that hold themselves.
func carries(t types.Type, depth, layers int) bool {
	if depth == 0 || layers == 0 {
		return false
	}
	if btapi.IsRootType(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }: // a pointer, a list, a map, a channel
		return carries(u.Elem(), depth, layers-1)
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if carries(u.Field(i).Type(), depth-1, layers-1) {
				return true
			}
		}
	}
	return false
}

func IsTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// TypeAt returns the type of the part at path of a value of type t.
func TypeAt(t types.Type, path PathTo) types.Type {
	for _, step := range path {
		switch u := Deref(t).Underlying().(type) {
		case *types.Struct:
			if step >= 0 && step < u.NumFields() {
				t = u.Field(step).Type()
			}
		case *types.Array:
			t = u.Elem()
		}
	}
	return t
}

func Deref(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// Object returns the function's declared object, of an instance the
// generic one's.
func Object(fn *ssa.Function) *types.Func {
	obj, _ := fn.Object().(*types.Func)
	if obj != nil {
		return obj.Origin()
	}
	return nil
}

// StructName returns the name of the struct type that t points to, or nil.
func StructName(t types.Type) *types.TypeName {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n.Origin().Obj()
}

// FieldOf returns the field that fa addresses.
func FieldOf(fa *ssa.FieldAddr) *types.Var {
	ptr, ok := fa.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	return StructField(ptr.Elem(), fa.Field)
}

// IsStruct reports whether a type is a struct whose fields are looked at: a time is one value.
func IsStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok && ClassOf(t) != value.Time
}

// FieldNamed returns the field of that name of a struct, and its index; nil where it has
// none.
func FieldNamed(t types.Type, name string) (*types.Var, int) {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if f := s.Field(i); f.Name() == name {
				return f, i
			}
		}
	}
	return nil, -1
}

func StructField(t types.Type, i int) *types.Var {
	if s, ok := t.Underlying().(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i).Origin()
	}
	return nil
}

// ClassOf returns what arithmetic needs to know of a value of type t.
func ClassOf(t types.Type) value.Class {
	if t == nil || IsPointer(t) {
		return value.NoClass // a pointer may be nil, which is no time
	}
	switch btapi.Type(t) {
	case "bigtable.Timestamp":
		return value.Timestamp
	case "time.Time":
		return value.Time
	case "time.Duration":
		return value.Duration
	}
	return value.NoClass
}

// MayBeTime reports whether values of a type are times, or numbers that may be.
func MayBeTime(t types.Type) bool {
	t = Deref(t)
	if c := ClassOf(t); c == value.Time || c == value.Timestamp {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int64 || b.Kind() == types.Uint64)
}

func IsError(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() == nil && n.Obj().Name() == "error"
}
