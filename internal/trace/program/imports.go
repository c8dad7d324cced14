package program

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// createImports creates the packages that the package imports, with those of
// their functions and variables that it uses. The client's packages of messages
// have thousands of methods: to create them all takes as long as to build what
// calls them, and has them read out of export data for nothing else.
func createImports(prog *ssa.Program, pass *analysis.Pass) {
	used := map[*types.Package]*ast.File{}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	for _, p := range pass.Pkg.Imports() {
		used[p] = &ast.File{}
	}
	seen := map[types.Object]bool{}
	for _, obj := range pass.TypesInfo.Uses {
		file := used[obj.Pkg()]
		if file == nil {
			continue
		}
		id := &ast.Ident{}
		var decl ast.Decl
		switch o := obj.(type) {
		case *types.Func:
			obj, decl = o.Origin(), &ast.FuncDecl{Name: id}
		case *types.Var:
			if o.Parent() != o.Pkg().Scope() {
				continue
			}
			decl = &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}}}}
		default:
			continue
		}
		if !seen[obj] {
			seen[obj] = true
			info.Defs[id] = obj
			file.Decls = append(file.Decls, decl)
		}
	}
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, []*ast.File{used[p]}, info, true)
	}
}
