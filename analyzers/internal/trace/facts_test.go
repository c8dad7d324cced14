package trace_test

import (
	"fmt"
	"path/filepath"
	"sort"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
)

func TestX(t *testing.T) {
	trace.DebugPanics()
	dir, _ := filepath.Abs("testdata/facts")
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, "./...")
	if err != nil { t.Fatal(err) }
	graph, err := checker.Analyze([]*analysis.Analyzer{trace.Analyzer}, pkgs, nil)
	if err != nil { t.Fatal(err) }
	for _, root := range graph.Roots {
		if root.Err != nil { t.Fatal(root.Err) }
		var lines []string
		for _, f := range root.AllObjectFacts() {
			if f.Object.Pkg() == root.Package.Types {
				p := root.Package.Fset.Position(f.Object.Pos())
				lines = append(lines, fmt.Sprintf("%s:%03d: %s: %v", filepath.Base(p.Filename), p.Line, f.Object.Name(), f.Fact))
			}
		}
		for _, f := range root.AllPackageFacts() {
			if f.Package == root.Package.Types { lines = append(lines, fmt.Sprint("package: ", f.Fact)) }
		}
		sort.Strings(lines)
		for _, l := range lines { fmt.Println(l) }
	}
}
