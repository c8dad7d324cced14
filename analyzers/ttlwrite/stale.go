package ttlwrite

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/registry"
)

// staleClock reports a timestamp that is counted from a reading of the clock
// which a package variable keeps: right at the first write, too early later.
func (w write) staleClock(ts instant.Instant) *check.Finding {
	return w.finding("stale-clock", "uses a clock reading that was taken once: the lifetime runs from then on, and once it is over every cell is expired when it is written; read the clock at each write", w.reread(ts))
}

// clocks are the calls that read the clock, with their packages.
var clocks = map[string]string{"time.Now": fix.Time, "bigtable.Now": fix.Bigtable}

// reread is the fix that reads the clock where a variable with a reading is
// used.
func (w write) reread(ts instant.Instant) *analysis.SuggestedFix {
	if w.target.Family.Strategy == registry.OneSecond && ts.Hi <= 0 {
		return w.expiry() // a new reading would be the current time
	}
	expr, b := w.written()
	if w.raw != nil {
		expr, b = field(w.raw, "TimestampMicros"), fix.New(w.p.Pass, w.raw)
	}
	if expr == nil || b == nil {
		return nil
	}
	var kept []*ast.Ident
	expr = b.Target(expr)
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && clocks[w.reading(id)] != "" {
			kept = append(kept, id)
		}
		return true
	})
	if len(kept) != 1 {
		return nil
	}
	from := clocks[w.reading(kept[0])]
	return b.Replace(kept[0], b.Ref(from, "Now", kept[0].Pos())+"()").Done("Read the clock at each write")
}

// field returns what a literal sets a field to, or nil.
func field(lit *ast.CompositeLit, name string) ast.Expr {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
				return kv.Value
			}
		}
	}
	return nil
}

// reading returns the call without arguments that a package variable is
// declared with, by its name in btapi, or "".
func (w write) reading(id *ast.Ident) string {
	v, ok := w.p.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() != w.p.Pkg.Scope() {
		return ""
	}
	for _, init := range w.p.TypesInfo.InitOrder {
		if len(init.Lhs) == 1 && init.Lhs[0] == v {
			if call, ok := init.Rhs.(*ast.CallExpr); ok && len(call.Args) == 0 {
				return btapi.Func(typeutil.StaticCallee(w.p.TypesInfo, call))
			}
		}
	}
	return ""
}
