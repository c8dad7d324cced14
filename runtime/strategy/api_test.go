package strategy_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// TestNothingToChange: no caller changes what another gets, here and in the
// packages below.
func TestNothingToChange(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() {
						t.Errorf("%s: %s can be set", path, name)
					}
				}
			}
		}
		if path == "strategy.go" {
			if first := new(doc.Package).Synopsis(f.Doc.Text()); !strings.Contains(first, "promises no compatibility") {
				t.Errorf("the first sentence is: %s", first)
			}
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
	strategy.Strategies()[0] = "other"
	if strategy.Strategies()[0] != strategy.OneSecond {
		t.Error("the list of strategies can be changed")
	}
}
