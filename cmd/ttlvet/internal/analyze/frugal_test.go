package analyze

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

type noFact struct{}

func (*noFact) AFact() {}

// TestFrugal holds that few packages are worked on at once, that analyzers get
// what they require, that a package that fails does not stop the others, and that
// only those are asked for facts that somebody imports.
func TestFrugal(t *testing.T) {
	const n = 50
	var pkgs []*packages.Package
	imported := map[string]bool{}
	for i := range n {
		path := fmt.Sprintf("p%d", i)
		p := &packages.Package{ID: path, Name: path, PkgPath: path, Types: types.NewPackage(path, path), Fset: token.NewFileSet(), Syntax: []*ast.File{{}}, TypesInfo: &types.Info{Uses: map[*ast.Ident]types.Object{}}, TypesSizes: types.SizesFor("gc", "amd64")}
		p.Imports = map[string]*packages.Package{}
		for j := range i {
			if i%(j+2) == 0 && i < n-2 { // two stand alone
				p.Imports[pkgs[j].PkgPath] = pkgs[j]
				imported[pkgs[j].PkgPath] = true
			}
		}
		pkgs = append(pkgs, p)
	}
	reported := ""
	for i := range n {
		if path := fmt.Sprintf("p%d", i); !imported[path] {
			reported = path
		}
	}
	type known struct{ path string }
	var working, most atomic.Int32
	base := &analysis.Analyzer{
		Name: "base", Doc: "knows", FactTypes: []analysis.Fact{new(noFact)}, ResultType: reflect.TypeFor[*known](),
		Run: func(pass *analysis.Pass) (any, error) {
			if pass.Pkg.Path() == "p3" {
				return nil, errors.New("p3")
			}
			if wanted := pass.ExportPackageFact != nil; wanted != imported[pass.Pkg.Path()] {
				t.Errorf("%s is asked for facts: %t", pass.Pkg.Path(), wanted)
			}
			now := working.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			return &known{pass.Pkg.Path()}, nil
		},
	}
	last := &analysis.Analyzer{
		Name: "last", Doc: "uses", Requires: []*analysis.Analyzer{base},
		Run: func(pass *analysis.Pass) (any, error) {
			if got := pass.ResultOf[base].(*known).path; got != pass.Pkg.Path() {
				t.Errorf("%s gets the result of %s", pass.Pkg.Path(), got)
			}
			working.Add(-1)
			if pass.Pkg.Path() == reported {
				pass.Report(analysis.Diagnostic{Pos: token.NoPos, Message: "found"})
			}
			return nil, nil
		},
	}
	var done atomic.Int32
	copies := frugal([]*analysis.Analyzer{base, last}, last, pkgs, true, func() { done.Add(1) })
	graph, err := checker.Analyze(copies, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, act := range graph.Roots {
		if act.Analyzer.Name == "last" && act.Err != nil {
			failed++
		}
	}
	if int(done.Load()) != n-failed || failed == 0 || failed == n {
		t.Errorf("%d of %d packages are done, %d failed", done.Load(), n, failed)
	}
	released := 0
	for _, act := range graph.Roots {
		if act.Analyzer.Name != "last" || act.Err != nil {
			continue
		}
		p := act.Package
		gone := p.Syntax[0] == nil && p.TypesInfo.Uses == nil
		if want := !imported[p.PkgPath] && p.PkgPath != reported; gone != want {
			t.Errorf("the source of %s is released: %t", p.PkgPath, gone)
		}
		if gone {
			released++
		}
	}
	if released == 0 {
		t.Error("no package is released")
	}
	if most.Load() > int32(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d packages at once", most.Load())
	}
}
