package ttlwrite

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// staleClock reports a timestamp that is counted from a reading of the clock
// which a package variable keeps: right at the first write, too early later.
func (w write) staleClock(ts instant.Instant) *check.Finding {
	return w.finding("stale-clock", "uses a clock that was read once: a lifetime later, cells expire as they are written; read the clock at each write", w.reread(ts))
}

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
	return b.Reread(b.Target(expr))
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
