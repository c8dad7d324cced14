package ttlunit

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/syntax"
)

// onlyCompared reports whether a filter is made to compare others with it or
// with its type, or to print it, and goes into no read that the service could reject.
func (u *units) onlyCompared(n ast.Node, depth int) bool {
	parents := u.Parents(n)
	for i := 0; i < len(parents); i++ {
		switch parent := parents[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			return parent.Op == token.EQL || parent.Op == token.NEQ
		case *ast.SelectorExpr:
			return isFilter(u.TypesInfo.TypeOf(n.(ast.Expr))) // not of a builder, which has made it
		case *ast.TypeAssertExpr, *ast.SwitchStmt, *ast.CaseClause:
			return true
		case *ast.CallExpr:
			return u.takesAny(parent, n) && !u.asserted()
		case *ast.ValueSpec, *ast.AssignStmt:
			to, declares := syntax.AssignedTo(parent, n)
			name, ok := to.(*ast.Ident)
			return ok && declares && depth > 0 && u.usesCompared(name, depth)
		default:
			return false
		}
	}
	return false
}

// usesCompared reports whether the variable to which a filter is assigned is
// only compared. One that other packages see may be sent there.
func (u *units) usesCompared(name *ast.Ident, depth int) bool {
	obj := u.TypesInfo.Defs[name]
	if obj == nil || obj.Exported() && obj.Parent() == u.Pkg.Scope() {
		return name.Name == "_"
	}
	for id, used := range u.TypesInfo.Uses {
		if used == obj && !u.onlyCompared(id, depth-1) {
			return false
		}
	}
	return true
}

// takesAny reports whether a call takes an argument as what it takes any value as. What
// reads with a filter asks for one.
func (u *units) takesAny(call *ast.CallExpr, arg ast.Node) bool {
	if u.TypesInfo.Types[call.Fun].IsBuiltin() {
		return false
	}
	sig, ok := u.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	i := slices.IndexFunc(call.Args, func(a ast.Expr) bool { return syntax.Within(arg, a) })
	if !ok || i < 0 {
		return false
	}
	last := sig.Params().Len() - 1
	t := sig.Params().At(min(i, last)).Type()
	if sig.Variadic() && i >= last {
		t = t.(*types.Slice).Elem()
	}
	empty, ok := types.Unalias(t).Underlying().(*types.Interface)
	return ok && empty.Empty()
}

// asserted reports whether the package makes a filter again of what may be any value: a
// cache or a context may have kept it.
func (u *units) asserted() bool {
	for e := range u.TypesInfo.Types {
		if assertion, ok := e.(*ast.TypeAssertExpr); ok && isFilter(u.TypesInfo.TypeOf(assertion.Type)) {
			return true
		}
	}
	for n, obj := range u.TypesInfo.Implicits {
		if _, ok := n.(*ast.CaseClause); ok && isFilter(obj.Type()) {
			return true
		}
	}
	return false
}

func isFilter(t types.Type) bool { return t != nil && btapi.Type(t) == "bigtable.Filter" }
