package ttlwrite

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// Writes by helpers of the runtime package: the data fares as with plain calls,
// unless the helper refuses; what to do instead is said in the helper's terms.

// bySet is the fix that writes by the variable which declares the family, with
// args behind the value, in the place of a call of Mutation.Set of which expr is
// the timestamp; nil where the package sees no such variable, or the function
// cannot return the error.
func (w write) bySet(expr ast.Expr, args string) *analysis.SuggestedFix {
	call := w.e.Call
	if w.e.Depth > 0 || w.e.Helper != "" || w.e.Op != btapi.Set || call == nil || len(call.Args) != 4 || call.Args[2] != expr {
		return nil
	}
	family := w.p.FamilyVar(w.target)
	b := fix.New(w.p.Pass, call)
	if family == nil || b == nil || !w.p.SetBy(b, call, family, "Set", args) {
		return nil
	}
	return b.Done("Write by " + family.Name() + ".Set")
}

// number writes the number that a timestamp is made of, as an int64; "" where
// it is not written there.
func (w write) number(b *fix.Builder, expr ast.Expr) string {
	inner := ast.Unparen(expr)
	info := w.p.TypesInfo
	if call, ok := inner.(*ast.CallExpr); ok {
		if !info.Types[call.Fun].IsType() || len(call.Args) != 1 {
			return ""
		}
		inner = ast.Unparen(call.Args[0])
	}
	text := b.Source(inner)
	t := info.TypeOf(inner)
	if basic, ok := t.(*types.Basic); ok && (basic.Kind() == types.Int64 || basic.Info()&types.IsUntyped != 0) {
		return text
	}
	if info.Types[inner].Value != nil && btapi.Type(t) == "bigtable.Timestamp" {
		if _, literal := inner.(*ast.BasicLit); literal {
			return text
		}
	}
	if basic, ok := t.Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
		return ""
	}
	return "int64(" + text + ")"
}

// fate says what becomes of a write whose moment has passed, and what mends it.
func (w write) fate(plain, remedy string) string {
	name, refuses := w.helper()
	if !refuses {
		return plain + "; " + remedy
	}
	remedy = "pass a deadline that lies ahead"
	if strings.HasSuffix(name, "For") || name == "Replace" {
		remedy = "pass a lifetime above zero"
	}
	return name + " returns an error, and nothing is written; " + remedy
}

// setNumber says what to write into a family of sequential numbers.
func (w write) setNumber() string {
	if w.e.Helper != "" && strings.HasPrefix(w.e.Helper, "ttl.SequenceFamily.") {
		return "pass the number of the value"
	}
	if w.isRaw() {
		return "set TimestampMicros: number * 1000"
	}
	if w.given() != aTimestamp {
		return "write it by a call that sets Timestamp(number * 1000)"
	}
	return "set Timestamp(number * 1000)"
}

// helper returns the method of the runtime package that writes, and whether it
// returns an error for a moment that has passed.
func (w write) helper() (name string, refuses bool) {
	h := helper.Of(w.e.Helper)
	if h == nil {
		return "", false
	}
	name = w.e.Helper[strings.LastIndexByte(w.e.Helper, '.')+1:]
	return name, h.Refuses && !strings.HasPrefix(w.e.Helper, "ttl.RealTimeFamily.")
}

// survivorOfHelper is staleSurvivor for a method of a family: there is one that
// deletes the column first. Increments of counters have columns of their own.
func (w write) survivorOfHelper() *check.Finding {
	name, _ := w.helper()
	instead := map[string]string{"SetFor": "Replace", "SetUntil": "ReplaceUntil"}[name]
	sel, ok := ast.Unparen(w.e.Call.Fun).(*ast.SelectorExpr)
	if instead == "" {
		return nil
	}
	has := false
	if ok {
		method, _, _ := types.LookupFieldOrMethod(w.p.TypesInfo.TypeOf(sel.X), true, w.p.Pkg, instead)
		_, has = method.(*types.Func)
	}
	remedy := "call " + instead
	if !has {
		remedy = "call DeleteCellsInColumn first, in the same mutation"
	}
	f := w.finding("stale-survivor", "has a lifetime that varies: an earlier value with a longer life hides it; "+remedy, nil)
	if b := fix.New(w.p.Pass, w.e.Node); b != nil && has {
		b.Replace(sel.Sel, instead)
		if !w.firstInColumn() {
			b.Unsafe("a write to the same column before it, in the same mutation, would be deleted too")
		}
		f.Fix = b.Done("Delete the column first, by " + instead)
	}
	return f
}

// deletesByHelper reports a helper that deletes what was written before it, to
// write the column anew. The only cell that a family of timestamp zero has for
// the column is replaced in any case, which is same-timestamp.
func deletesByHelper(e *trace.Event, c trace.Case, family, name string) []check.Finding {
	if strings.HasPrefix(e.Helper, "ttl.ZeroFamily.") {
		return nil
	}
	method := e.Helper[strings.LastIndexByte(e.Helper, '.')+1:]
	return []check.Finding{{Category: "delete-after-set", Family: family,
		Message: method + " after a write to " + columnOf(c) + " of " + name + " in the same mutation deletes what was written: the first value is lost; write the column once"}}
}
