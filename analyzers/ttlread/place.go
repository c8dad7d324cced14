package ttlread

import (
	"go/ast"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// there says, behind a remedy, that it is for the read itself, where the call at which
// the finding stands can be given no filter.
func (r *read) there() string {
	if r.e.Depth == 0 || r.e.Call == nil || r.e.Helper != "" {
		return ""
	}
	if sel, ok := ast.Unparen(r.e.Call.Fun).(*ast.SelectorExpr); ok {
		if _, chain := ast.Unparen(sel.X).(*ast.CallExpr); chain {
			return "" // a builder, of which another method may
		}
	}
	sig, ok := types.Unalias(r.p.TypesInfo.TypeOf(r.e.Call.Fun)).(*types.Signature)
	if !ok {
		return ""
	}
	for param := range sig.Params().Variables() {
		if mayFilter(param.Type()) {
			return ""
		}
	}
	return " where it reads"
}

// mayFilter reports whether a value of a type may be a filter, or choose one.
func mayFilter(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Bool
	case *types.Slice:
		return mayFilter(u.Elem())
	case *types.Pointer:
		return btapi.Type(t) != "bigtable.Table" && btapi.Type(t) != "bigtable.Client" && mayFilter(u.Elem())
	case *types.Signature:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if name := btapi.Type(f.Type()); name == "bigtable.Filter" || name == "bigtable.ReadOption" {
				return true
			}
		}
	}
	name := btapi.Type(t)
	return name == "bigtable.Filter" || name == "bigtable.ReadOption"
}
