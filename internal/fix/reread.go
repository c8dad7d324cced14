package fix

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// clocks are the calls that read the clock, with their packages.
var clocks = map[string]string{"time.Now": Time, "bigtable.Now": Bigtable}

// Reread is the fix that reads the clock where an expression uses a package
// variable that keeps a reading; nil where it does not use exactly one.
func (b *Builder) Reread(expr ast.Expr) *analysis.SuggestedFix {
	var kept []*ast.Ident
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && clocks[b.declaredAs(id)] != "" {
			kept = append(kept, id)
		}
		return true
	})
	if len(kept) != 1 {
		return nil
	}
	from := clocks[b.declaredAs(kept[0])]
	return b.Replace(kept[0], b.Ref(from, "Now", kept[0].Pos())+"()").Done("Read the clock each time")
}

// declaredAs returns the call without arguments that a package variable is
// declared with, by its name in btapi, or "".
func (b *Builder) declaredAs(id *ast.Ident) string {
	v, ok := b.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() != b.pass.Pkg.Scope() {
		return ""
	}
	for _, init := range b.pass.TypesInfo.InitOrder {
		if len(init.Lhs) == 1 && init.Lhs[0] == v {
			if call, ok := init.Rhs.(*ast.CallExpr); ok && len(call.Args) == 0 {
				return btapi.Func(typeutil.StaticCallee(b.pass.TypesInfo, call))
			}
		}
	}
	return ""
}
