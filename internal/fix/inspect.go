package fix

import (
	"go/ast"
	"go/token"
	"sort"
)

// inspect is ast.Inspect for the nodes that have something between two positions. Of
// long lists it does not look at what stands before.
func inspect(root ast.Node, from, to token.Pos, visit func(ast.Node) bool) {
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		if _, file := n.(*ast.File); n == nil || !file && (n.End() <= from || to <= n.Pos()) || !visit(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.File:
			inspectList(n.Decls, from, to, look)
			return false
		case *ast.BlockStmt:
			inspectList(n.List, from, to, look)
			return false
		}
		return true
	}
	ast.Inspect(root, look)
}

func inspectList[N ast.Node](list []N, from, to token.Pos, look func(ast.Node) bool) {
	first := sort.Search(len(list), func(i int) bool { return list[i].End() > from })
	for _, n := range list[first:] {
		if n.Pos() >= to {
			return
		}
		ast.Inspect(n, look)
	}
}
