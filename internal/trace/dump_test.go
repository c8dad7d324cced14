package trace_test

import (
	"go/types"
	"os"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// TestDump prints the events of the packages that TTLVET_DUMP names, and the
// facts by which others know them, for whoever debugs the tracer:
// TTLVET_DUMP=./x TTLVET_DIR=dir go test -run Dump -v
func TestDump(t *testing.T) {
	pattern := os.Getenv("TTLVET_DUMP")
	if pattern == "" {
		t.Skip("TTLVET_DUMP is not set")
	}
	trace.DebugPanics()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: os.Getenv("TTLVET_DIR")}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{trace.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range graph.Roots {
		r := root.Result.(*trace.Result)
		for _, e := range r.Events {
			pos := root.Package.Fset.Position(e.Pos())
			t.Logf("%s:%d:%d %s depth %d %s uses %+v", pos.Filename, pos.Line, pos.Column, e.Op, e.Depth, e.Where, e.Uses)
			for _, c := range e.Cases {
				t.Logf("    %v guards %v when %v", c.Args, c.Guards, c.When)
			}
			for _, v := range r.EventTables(e, e.Cases[0]) {
				t.Logf("    table %v", v)
			}
		}
		for _, f := range root.AllPackageFacts() {
			if f.Package == root.Package.Types {
				f.Fact.(*summary.Package).Objects(func(obj types.Object, fact analysis.Fact) {
					t.Logf("fact of %s: %v", obj.Name(), fact)
				})
			}
		}
	}
}
