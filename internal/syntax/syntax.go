// Package syntax asks of source how its nodes stand to each other: what is around one,
// and where its value goes.
package syntax

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// Within reports whether a node is another, or a part of it.
func Within(n, in ast.Node) bool { return in.Pos() <= n.Pos() && n.End() <= in.End() }

// Around returns the nodes of files that enclose a node, innermost first, itself among
// them.
func Around(files []*ast.File, n ast.Node) []ast.Node {
	for _, f := range files {
		if f.FileStart <= n.Pos() && n.Pos() <= f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, n.Pos(), n.End())
			return path
		}
	}
	return nil
}

// AssignedTo returns what an assignment or a declaration gives the value in which a node
// stands, and whether it declares that; nil where it gives no value to one thing alone,
// and of other statements.
func AssignedTo(stmt, n ast.Node) (to ast.Expr, declares bool) {
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		for i, value := range stmt.Rhs {
			if Within(n, value) && len(stmt.Lhs) == len(stmt.Rhs) {
				return stmt.Lhs[i], stmt.Tok == token.DEFINE
			}
		}
	case *ast.ValueSpec:
		for i, value := range stmt.Values {
			if Within(n, value) && len(stmt.Names) == len(stmt.Values) {
				return stmt.Names[i], true
			}
		}
	}
	return nil, false
}
