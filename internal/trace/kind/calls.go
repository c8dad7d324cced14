package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// Variadic returns the pointers among the arguments of a call that are
// written out behind its last parameter: fmt.Sscan(text, &n).
func Variadic(common *ssa.CallCommon) []ssa.Value {
	if !common.Signature().Variadic() || len(common.Args) == 0 {
		return nil
	}
	var out []ssa.Value
	for _, v := range Listed(common.Args[len(common.Args)-1]) {
		if IsPointer(Stripped(v).Type()) {
			out = append(out, Stripped(v))
		}
	}
	return out
}

// Listed returns the elements of a list that is written out.
func Listed(list ssa.Value) (out []ssa.Value) {
	s, ok := list.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *array.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *ia.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == ssa.Value(ia) {
				out = append(out, st.Val)
			}
		}
	}
	return out
}

// IsBound reports whether fn stands for a method value: x.f.
func IsBound(fn *ssa.Function) bool {
	return fn.Object() != nil && len(fn.FreeVars) == 1 && fn.Parent() == nil
}

// Canonical gives the methods of the client's several tables one name.
func Canonical(name string, obj *types.Func) string {
	if shape := btapi.ShapeOf(obj); shape != "" {
		return shape
	}
	return name
}

// Receiver returns the type of a method's receiver, or nil.
func Receiver(fn *types.Func) types.Type {
	if fn == nil || fn.Signature().Recv() == nil {
		return nil
	}
	return fn.Signature().Recv().Type()
}

// OfInterface reports whether a function is a method of an interface.
func OfInterface(fn *types.Func) bool {
	recv := Receiver(fn)
	return recv != nil && types.IsInterface(recv)
}

// CalledFunc returns the function or method that a call names, or nil.
func CalledFunc(c *ssa.CallCommon) *types.Func {
	if f := c.StaticCallee(); f != nil {
		return Object(f)
	}
	return nil
}
