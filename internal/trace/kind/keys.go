package kind

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// TypeKey names a type in values: by its name in btapi, else by path and
// name.
func TypeKey(t types.Type) string {
	if s := btapi.Type(t); s != "" {
		return s
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() != nil {
			return n.Obj().Pkg().Path() + "." + n.Obj().Name()
		}
		return n.Obj().Name()
	}
	return "struct"
}

// DynamicKey names a type as what is in an interface has it: a pointer is another type
// than what it points to.
func DynamicKey(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return "*" + DynamicKey(p.Elem())
	}
	if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() == 0 {
		return TypeKey(n)
	}
	return types.TypeString(t, nil)
}

// FuncKey names a function or method as registries write it.
func FuncKey(fn *types.Func) string {
	if fn.Pkg() == nil {
		return fn.Name()
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return TypeKey(recv.Type()) + "." + fn.Name()
	}
	return fn.Pkg().Path() + "." + fn.Name()
}
