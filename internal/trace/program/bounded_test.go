package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestBounded(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc small(n int) { if n > 0 { return } }\nfunc large(n int) { switch n {"+strings.Repeat("\ncase 1, 2:", maxBranches/2)+"\ncase 3: } }\nvar v int", 0)
	if err != nil {
		t.Fatal(err)
	}
	small, large := f.Decls[0].(*ast.FuncDecl), f.Decls[1].(*ast.FuncDecl)
	if TooLarge(small) || !TooLarge(large) {
		t.Error("too large:", TooLarge(small), TooLarge(large))
	}
	out := bounded([]*ast.File{f})
	if got := out[0].Decls; got[0] != ast.Decl(small) || got[1].(*ast.FuncDecl).Body != nil || got[1].(*ast.FuncDecl).Name != large.Name || len(got) != 3 {
		t.Error("what is left of the file:", got)
	}
	if large.Body == nil || f.Decls[1] != ast.Decl(large) {
		t.Error("the file of other analyzers has changed")
	}
}
