package ttlwrite

import (
	"go/ast"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
)

// rawFix sets the timestamp of a raw message to now plus d, at the precision
// that tables have.
func (w write) rawFix(message string, d time.Duration) *analysis.SuggestedFix {
	b := fix.New(w.p.Pass, w.raw)
	if b == nil {
		return nil
	}
	at := w.raw.Pos()
	text := b.Ref(fix.Time, "Now", at) + "()"
	if d > 0 {
		text += ".Add(" + b.Duration(d, at) + ")"
	}
	text += ".Truncate(" + b.Ref(fix.Time, "Millisecond", at) + ").UnixMicro()"
	for _, e := range w.raw.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "TimestampMicros" {
			return b.Replace(kv.Value, text).Done(message)
		}
	}
	if len(w.raw.Elts) == 0 {
		return b.Insert(w.raw.Rbrace, "TimestampMicros: "+text).Done(message)
	}
	last := w.raw.Elts[len(w.raw.Elts)-1]
	return b.Insert(last.End(), ", TimestampMicros: "+text).Done(message)
}
