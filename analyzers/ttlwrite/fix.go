package ttlwrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// replaced is the fix that puts an expression in the place of the timestamp.
func (w write) replaced(text string) *analysis.SuggestedFix {
	expr, b := w.written()
	if b == nil || w.twice() {
		return nil
	}
	if text == "0" && b.Plain(expr) {
		if f := w.bySet(expr, ""); f != nil {
			return f
		}
	}
	if value := b.Target(expr); value != expr {
		// What declares a variable must say its type.
		expr, text = value, b.Ref(fix.Bigtable, "Timestamp", value.Pos())+"("+text+")"
	}
	if !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) {
		return nil
	}
	return b.Replace(expr, text).Done("Set the timestamp " + text)
}

// written returns the expression of the timestamp, and the builder of a fix
// for its file; nil where there is nothing to fix.
func (w write) written() (ast.Expr, *fix.Builder) {
	if w.arg < 0 {
		return nil, nil
	}
	expr := w.e.Arg(w.c, w.arg)
	if expr == nil || w.e.Depth > 0 && w.sharedWith(expr) {
		return nil, nil
	}
	return expr, fix.New(w.p.Pass, expr)
}

// sharedWith reports whether the function that is called gives the timestamp
// to families that need another, or makes it of a time that it may use
// otherwise.
func (w write) sharedWith(expr ast.Expr) bool {
	if btapi.Type(w.p.TypesInfo.TypeOf(expr)) == "time.Time" {
		return true
	}
	for _, e := range w.p.Events {
		if e == w.e || e.Node != w.e.Node || e.Op != w.e.Op {
			continue
		}
		for _, c := range e.Cases {
			if e.Arg(c, w.arg) != expr {
				continue
			}
			targets := w.p.Writes(e, c, c.Args[1])
			for _, t := range targets {
				if t.Family.Strategy != w.target.Family.Strategy || t.Family.TTL != w.target.Family.TTL {
					return true
				}
			}
			if len(targets) == 0 {
				return true
			}
		}
	}
	return false
}

// expiry is the fix that sets the family's usual lifetime from now, in the
// place of what says nothing of the time.
func (w write) expiry() *analysis.SuggestedFix {
	ttl := w.target.Family.TTL
	if beside := w.beside(ttl <= 0); len(beside) > 0 || ttl <= 0 {
		return w.alike(beside)
	}
	if w.raw != nil {
		return w.rawFix(expires(ttl), ttl, false)
	}
	expr, b := w.written()
	if b == nil {
		return nil
	}
	return w.expiring(b, b.Target(expr), ttl)
}

// later is the fix that adds the family's usual lifetime to the current time
// that the timestamp is: the clock of the code remains its clock.
func (w write) later() *analysis.SuggestedFix {
	ttl := w.target.Family.TTL
	if beside := w.beside(ttl <= 0); len(beside) > 0 || ttl <= 0 {
		return w.alike(beside)
	}
	if w.raw != nil {
		return w.rawFix(expires(ttl), ttl, true)
	}
	expr, b := w.written()
	if b == nil {
		return nil
	}
	expr = b.Target(expr)
	add := ".Add(" + b.Duration(ttl, expr.Pos()) + ")"
	times := b.Times(expr)
	switch {
	case b.Plain(expr) && (len(times) == 0 || fix.Sees(w.p.Pass, fix.Runtime) || w.p.FamilyVar(w.target) != nil):
		return w.expiring(b, expr, ttl)
	case len(times) == 1:
		return b.Call(times[0], add).Done(expires(ttl))
	case len(times) > 1 || btapi.Type(w.p.TypesInfo.TypeOf(expr)) != "bigtable.Timestamp":
		return nil
	}
	open, end := b.Ref(fix.Bigtable, "Time", expr.Pos())+"(", ".Time()"+add+")"
	if !fix.Primary(expr) {
		open, end = open+"(", ")"+end
	}
	return b.Insert(expr.Pos(), open).Insert(expr.End(), end).Done(expires(ttl))
}

// expires titles the fixes that set the time of expiry.
func expires(ttl time.Duration) string {
	return "Set the time of expiry, " + registry.FormatDuration(ttl) + " from now"
}

// expiring replaces a timestamp by the time that lies the lifetime from now.
func (w write) expiring(b *fix.Builder, expr ast.Expr, ttl time.Duration) *analysis.SuggestedFix {
	at := expr.Pos()
	now := &value.Value{Kind: value.Call, Name: "bigtable.Now", Class: value.Timestamp}
	if !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) || !w.right(expr, value.Apply(value.Add, now, value.IntOf(ttl.Microseconds()))) {
		return nil
	}
	if f := w.bySet(expr, ""); f != nil {
		return f
	}
	var text string
	if fix.Sees(w.p.Pass, fix.Runtime) {
		text = b.Ref(fix.Runtime, "ExpiresIn", at) + "(" + b.Duration(ttl, at) + ")"
	} else {
		text = b.Ref(fix.Bigtable, "Time", at) + "(" + b.Now(at) + ".Add(" + b.Duration(ttl, at) + "))"
	}
	return b.Replace(expr, text).Done(expires(ttl))
}

// right reports whether nothing is wrong with the timestamp where an expression of it has
// another value: a function that is called may add to that, or subtract.
func (w write) right(expr ast.Expr, v *value.Value) bool {
	ts := w.ts.Rewrite(func(x *value.Value) *value.Value {
		if x.Expr != expr {
			return nil
		}
		return v
	})
	return ts == w.ts || w.target.Family.Agreement().Write(instant.OfTimestamp(ts)) == strategy.None
}

// clock is the fix that sets the current time: what the default lifetime is
// added to is left.
func (w write) clock() *analysis.SuggestedFix {
	const message = "Set the current time"
	if w.raw != nil {
		return w.rawFix(message, 0, false)
	}
	expr, b := w.written()
	if b == nil {
		return nil
	}
	expr = b.Target(expr)
	if b.Plain(expr) {
		if !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) {
			return nil
		}
		if f := w.bySet(expr, ""); f != nil {
			return f
		}
		return b.Replace(expr, b.Ref(fix.Bigtable, "Now", expr.Pos())+"()").Done(message)
	}
	times := b.Times(expr)
	if len(times) != 1 {
		return nil
	}
	of, d, ok := fix.Added(times[0])
	if n := w.p.TypesInfo.Types[d].Value; !ok || n == nil || constant.Compare(n, token.NEQ, constant.MakeInt64(int64(w.target.Family.TTL))) {
		return nil
	}
	return b.Delete(of.End(), times[0].End()).Done(message)
}

// rawFix sets the timestamp of a raw message to now plus d, at the precision
// that tables have. isNow says that the timestamp is the current time, to
// which d is added then.
func (w write) rawFix(message string, d time.Duration, isNow bool) *analysis.SuggestedFix {
	b := fix.New(w.p.Pass, w.raw)
	if b == nil {
		return nil
	}
	at := w.raw.Pos()
	text := func() string {
		text := b.Now(at)
		if d > 0 {
			text += ".Add(" + b.Duration(d, at) + ")"
		}
		return text + ".Truncate(" + b.Ref(fix.Time, "Millisecond", at) + ").UnixMicro()"
	}
	for _, e := range w.raw.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "TimestampMicros" {
			continue
		}
		times := b.Times(kv.Value)
		switch {
		case isNow && len(times) == 1:
			return b.Call(times[0], ".Add("+b.Duration(d, at)+")").Done(message)
		case isNow && !b.Plain(kv.Value):
			return nil
		}
		return b.Replace(kv.Value, text()).Done(message)
	}
	if len(w.raw.Elts) == 0 {
		return b.Insert(w.raw.Rbrace, "TimestampMicros: "+text()).Done(message)
	}
	last := w.raw.Elts[len(w.raw.Elts)-1]
	between := ", "
	if line := w.p.Fset.Position(last.Pos()).Line; line != w.p.Fset.Position(w.raw.Lbrace).Line && line != w.p.Fset.Position(w.raw.Rbrace).Line {
		between = ",\n" + b.Indent(last.Pos())
	}
	return b.Insert(last.End(), between+"TimestampMicros: "+text()).Done(message)
}

// scaled is the fix that multiplies a sequence number by 1000.
func (w write) scaled() *analysis.SuggestedFix {
	expr, b := w.written()
	switch w.target.Family.Agreement().Write(instant.OfTimestamp(value.Apply(value.Mul, w.ts, value.IntOf(1000)))) {
	case strategy.NotScaled, strategy.ByOnes:
		return nil // x.Add(0) grows by nothing, times whatever
	}
	if b == nil || !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) {
		return nil
	}
	const message = "Multiply the number by 1000"
	if number := w.number(b, expr); number != "" {
		if f := w.bySet(expr, ", "+number); f != nil {
			return f
		}
		if fix.Sees(w.p.Pass, fix.Runtime) {
			return b.Replace(expr, b.Ref(fix.Runtime, "SequenceNumber", expr.Pos())+"("+number+")").Done(message)
		}
	}
	switch ast.Unparen(expr).(type) {
	case *ast.BasicLit, *ast.CallExpr, *ast.Ident, *ast.SelectorExpr:
		return b.Insert(expr.End(), "*1000").Done(message)
	case *ast.BinaryExpr:
		return b.Insert(expr.Pos(), "(").Insert(expr.End(), ")*1000").Done(message)
	}
	return nil
}

// pure reports whether an expression can be written twice: it calls nothing.
func pure(p *analysis.Pass, expr ast.Expr) bool {
	if p.TypesInfo.Types[expr].Value != nil {
		return true
	}
	ok := true
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && p.TypesInfo.Types[n.Fun].IsType()
		case *ast.UnaryExpr, *ast.FuncLit:
			ok = false
		}
		return ok
	})
	return ok
}
