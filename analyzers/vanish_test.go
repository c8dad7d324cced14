package analyzers_test

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// vanished reports the calls of the client in the source of which tracing has
// no event: each has one, whatever is known of it. The tests of the cases run
// it with the suite, so that it holds for the whole corpus.
var vanished = &analysis.Analyzer{
	Name: "vanished", Doc: "report calls without an event", Requires: []*analysis.Analyzer{trace.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		events := map[ast.Node]bool{}
		for _, e := range pass.ResultOf[trace.Analyzer].(*trace.Result).Events {
			if e.Depth == 0 {
				events[e.Node] = true
			}
		}
		for _, file := range pass.Files {
			ast.Inspect(file, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok && !events[call] {
					fn, _ := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
					if _, ok := btapi.Relevant(clients(fn)); ok {
						pass.Reportf(call.Pos(), "vanished: no event of %s", fn.FullName())
					}
				}
				return true
			})
		}
		return nil, nil
	},
}

// clients returns the name of one of the client's own functions, "" of others:
// a method of an interface may be anybody's.
func clients(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil || !btapi.IsClient(fn.Pkg().Path()) {
		return ""
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return ""
	}
	if shape := btapi.ShapeOf(fn); shape != "" {
		return shape
	}
	return btapi.Func(fn)
}

// TestNoCallVanishes does for the demonstration what the tests of the cases do
// for them.
func TestNoCallVanishes(t *testing.T) {
	onAll(t, filepath.Join(filepath.Dir(cases(t)), "demo"), vanished)
}
