package program

import (
	"go/ast"
)

// maxBranches bounds the branches of a function. The library that makes the SSA form
// takes time and memory in their square: with 20,000 of them 15 s and 7 GB.
const maxBranches = 6_000

// TooLarge reports whether a function has more branches than are followed: what it does
// is not known.
func TooLarge(fn *ast.FuncDecl) bool {
	n := 0
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CommClause:
			n++
		case *ast.CaseClause:
			n += max(len(node.List), 1)
		}
		return n <= maxBranches
	})
	return n > maxBranches
}

// bounded returns files in which no function is too large: those that are have lost
// their bodies, as functions that are written in another language have none.
func bounded(files []*ast.File) []*ast.File {
	out := make([]*ast.File, len(files))
	for i, f := range files {
		out[i] = f
		for j, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !TooLarge(fn) {
				continue
			}
			if out[i] == f { // whose syntax is other analyzers' too
				changed := *f
				changed.Decls = append([]ast.Decl{}, f.Decls...)
				out[i] = &changed
			}
			without := *fn
			without.Body = nil
			out[i].Decls[j] = &without
		}
	}
	return out
}
