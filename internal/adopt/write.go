package adopt

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// writesMore are the options of families whose methods write another timestamp,
// or a companion.
var writesMore = []string{
	"ttl.OneSecondFamily.Skew", "ttl.DefaultFamily.Skew", "ttl.OneSecondFamily.With", "ttl.DefaultFamily.With",
	"ttl.SequenceFamily.With", "ttl.ZeroFamily.With", "ttl.RealTimeFamily.With",
}

// A method is the call of a family's method that writes what a call of Set
// does, or the function that makes its timestamp.
type method struct {
	name, args string // behind mutation, column and value
	timestamp  string // the function of the runtime package, "" for none
	of         string // its argument
}

// write rewrites a call of Mutation.Set.
func (a *adopter) write(e *trace.Event, c trace.Case) *analysis.SuggestedFix {
	targets := a.Writes(e, c, c.Args[1])
	if len(targets) == 0 || len(e.Call.Args) != 4 || btapi.Type(a.TypesInfo.TypeOf(e.Call.Args[2])) != "bigtable.Timestamp" {
		return nil
	}
	for _, t := range targets[1:] {
		if t.Family != targets[0].Family || t.Table != targets[0].Table {
			return nil
		}
	}
	family := a.FamilyVar(targets[0])
	b := fix.New(a.Pass.Pass, e.Call)
	if family == nil || b == nil || a.says(family, writesMore...) {
		return nil
	}
	w := &writing{a, b, targets[0].Family, e.Call.Args[2], instant.OfTimestamp(c.Args[3])}
	m := w.method()
	if m == nil {
		return nil
	}
	if m.name == "SetFor" || m.name == "SetUntil" {
		if f := a.replacing(e, family, m); f != nil {
			return f
		}
	}
	if m.name != "" && a.SetBy(b, e.Call, family, m.name, m.args) {
		return done(b, "Write by "+family.Name()+"."+m.name, "what makes no timestamp of the family, such as a deadline that has passed, is an error then")
	}
	if m.timestamp == "" || !fix.Sees(a.Pass.Pass, fix.Runtime) {
		return nil
	}
	b = fix.New(a.Pass.Pass, e.Call)
	return done(b.Replace(w.ts, b.Ref(fix.Runtime, m.timestamp, w.ts.Pos())+"("+m.of+")"),
		"Make the timestamp by ttl."+m.timestamp, "what makes no timestamp of the family is rejected by the service then")
}

// replacing rewrites a deletion of a column and the write that follows it.
func (a *adopter) replacing(e *trace.Event, family *types.Var, m *method) *analysis.SuggestedFix {
	stmt := a.Statement(e.Call)
	if stmt == nil {
		return nil
	}
	before := a.previous(stmt)
	b := fix.New(a.Pass.Pass, e.Call)
	if before == nil || b == nil {
		return nil
	}
	deletion, ok := before.X.(*ast.CallExpr)
	if !ok || len(deletion.Args) != 2 {
		return nil
	}
	fn, _ := typeutil.Callee(a.TypesInfo, deletion).(*types.Func)
	if btapi.Func(fn) != btapi.DeleteCellsInColumn || receiverOf(b, deletion) != receiverOf(b, e.Call) ||
		b.Source(deletion.Args[1]) != b.Source(e.Call.Args[1]) || !a.constantly(deletion.Args[0], e.Call.Args[0]) {
		return nil
	}
	name := map[string]string{"SetFor": "Replace", "SetUntil": "ReplaceUntil"}[m.name]
	from, to, ok := b.Lines(before)
	if !ok || !a.SetBy(b, e.Call, family, name, m.args) {
		return nil
	}
	return done(b.Delete(from, to), "Write by "+family.Name()+"."+name, "a lifetime or deadline that has passed is an error then")
}

func receiverOf(b *fix.Builder, call *ast.CallExpr) string {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return b.Source(sel.X)
	}
	return ""
}

// constantly reports whether two expressions are the same constant.
func (a *adopter) constantly(x, y ast.Expr) bool {
	v, w := a.TypesInfo.Types[x].Value, a.TypesInfo.Types[y].Value
	return v != nil && w != nil && constant.Compare(v, token.EQL, w)
}

// previous returns the statement before another in its block, where it is a
// call.
func (a *adopter) previous(stmt ast.Stmt) *ast.ExprStmt {
	parents := a.Parents(stmt)
	if len(parents) == 0 {
		return nil
	}
	block, ok := parents[0].(*ast.BlockStmt)
	if !ok {
		return nil
	}
	for i, s := range block.List {
		if s == stmt && i > 0 {
			before, _ := block.List[i-1].(*ast.ExprStmt)
			return before
		}
	}
	return nil
}

// A writing is a timestamp and the family that it is written to.
type writing struct {
	a      *adopter
	b      *fix.Builder
	family *registry.Family
	ts     ast.Expr
	is     instant.Instant
}

// method returns what writes the same; nil where that is not certain.
func (w *writing) method() *method {
	switch w.family.Strategy {
	case registry.OneSecond:
		return w.oneSecond()
	case registry.Default:
		return w.byDefault()
	case registry.Sequence:
		if n := w.number(); n != "" {
			return &method{name: "Set", args: ", " + n, timestamp: "SequenceNumber", of: n}
		}
	case registry.Zero:
		if v := w.value(w.ts); v != nil && constant.Sign(v) == 0 {
			return &method{name: "Set"}
		}
	case registry.Real:
		switch t := w.time(); {
		case w.now(w.ts) || t != nil && w.now(t):
			return &method{name: "Set"}
		case t != nil:
			return &method{name: "SetAt", args: ", " + w.b.Source(t)}
		}
	}
	return nil
}

func (w *writing) oneSecond() *method {
	if d := w.lifetime(); d != nil {
		text := w.b.Source(d)
		if n, ok := w.duration(d); ok && n == w.family.TTL {
			return &method{name: "Set", timestamp: "ExpiresIn", of: text}
		} else if ok && n < time.Millisecond {
			return nil
		}
		return &method{name: "SetFor", args: ", " + text, timestamp: "ExpiresIn", of: text}
	}
	t := w.time()
	if t == nil || w.is.Once {
		return nil
	}
	m := &method{timestamp: "ExpiresAt", of: w.b.Source(t)}
	if w.deadline(t) {
		m.name, m.args = "SetUntil", ", "+w.b.Source(t)
	}
	return m
}

// byDefault is for default expiration, whose timestamps lie the default
// lifetime before the expiry.
func (w *writing) byDefault() *method {
	t := w.time()
	switch {
	case w.now(w.ts), t != nil && w.now(t):
		return &method{name: "Set"}
	case t == nil:
		return nil
	}
	if of, d, ok := fix.Added(t); ok {
		n, known := w.duration(d)
		switch {
		case w.now(of) && known && n > -w.family.TTL:
			life := n + w.family.TTL
			return &method{name: "SetFor", args: ", " + w.b.Duration(life, w.ts.Pos())}
		case w.now(of):
			// now + (lifetime − default)
			if sub, ok := ast.Unparen(d).(*ast.BinaryExpr); ok && sub.Op == token.SUB {
				if n, known := w.duration(sub.Y); known && n == w.family.TTL {
					return &method{name: "SetFor", args: ", " + w.b.Source(sub.X)}
				}
			}
		case known && n == -w.family.TTL && w.deadline(of):
			return &method{name: "SetUntil", args: ", " + w.b.Source(of)}
		}
	}
	return nil
}

// lifetime returns d of bigtable.Time(time.Now().Add(d)) and of ttl.ExpiresIn(d).
func (w *writing) lifetime() ast.Expr {
	if call := w.call(w.ts, "ttl.ExpiresIn"); call != nil {
		return call.Args[0]
	}
	if t := w.time(); t != nil {
		if of, d, ok := fix.Added(t); ok && w.now(of) {
			return d
		}
	}
	return nil
}

// time returns t of bigtable.Time(t) and of ttl.ExpiresAt(t).
func (w *writing) time() ast.Expr {
	if call := w.call(w.ts, btapi.TimeToTimestamp); call != nil {
		return call.Args[0]
	}
	if call := w.call(w.ts, "ttl.ExpiresAt"); call != nil {
		return call.Args[0]
	}
	return nil
}

// deadline reports whether a time is one that the helper, which reads the
// system's clock, takes for what the program does: it does not come from a
// clock of the program's own, which any call may read.
func (w *writing) deadline(t ast.Expr) bool {
	if w.is.Once || w.is.Clock() && !w.b.Plain(t) {
		return false
	}
	calls := false
	ast.Inspect(t, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !w.a.TypesInfo.Types[call.Fun].IsType() {
			fn, ok := typeutil.Callee(w.a.TypesInfo, call).(*types.Func)
			calls = calls || !ok || fn.Pkg() == nil || fn.Pkg().Path() != fix.Time
		}
		return !calls
	})
	return !calls
}

// now reports whether an expression reads the system's clock and nothing else.
func (w *writing) now(expr ast.Expr) bool {
	return w.call(expr, "time.Now") != nil || w.call(expr, "bigtable.Now") != nil
}

// call returns the expression as a call of the function of that name.
func (w *writing) call(expr ast.Expr, name string) *ast.CallExpr {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if fn, ok := typeutil.Callee(w.a.TypesInfo, call).(*types.Func); ok && btapi.Func(fn) == name {
		return call
	}
	return nil
}

// number writes n of bigtable.Timestamp(n * 1000), bigtable.Timestamp(n) * 1000
// and the like, as an int64.
func (w *writing) number() string {
	if call := w.call(w.ts, "ttl.SequenceNumber"); call != nil {
		return w.b.Source(call.Args[0])
	}
	if v := w.value(w.ts); v != nil {
		if n, ok := constant.Int64Val(v); ok && n > 0 && n%1000 == 0 {
			return constant.MakeInt64(n / 1000).String()
		}
		return ""
	}
	factor, converted := w.factor(w.ts)
	if factor == nil {
		inner, ok := w.conversion(w.ts)
		if !ok {
			return ""
		}
		if factor, converted = w.factor(inner); factor == nil {
			return ""
		}
	}
	if inner, ok := w.conversion(converted); ok {
		converted = inner
	}
	converted = ast.Unparen(converted)
	t, ok := w.a.TypesInfo.TypeOf(converted).(*types.Basic)
	switch {
	case ok && t.Kind() == types.Int64:
		return w.b.Source(converted)
	case ok && t.Info()&types.IsInteger != 0 && t.Kind() != types.Uint64 && t.Kind() != types.Uint && t.Kind() != types.Uintptr:
		return "int64(" + w.b.Source(converted) + ")"
	}
	return ""
}

// factor splits x * 1000.
func (w *writing) factor(expr ast.Expr) (factor, of ast.Expr) {
	mul, ok := ast.Unparen(expr).(*ast.BinaryExpr)
	if !ok || mul.Op != token.MUL {
		return nil, nil
	}
	for _, s := range [][2]ast.Expr{{mul.X, mul.Y}, {mul.Y, mul.X}} {
		if v := w.value(s[1]); v != nil && constant.Compare(v, token.EQL, constant.MakeInt64(1000)) {
			return s[1], s[0]
		}
	}
	return nil, nil
}

// conversion returns x of bigtable.Timestamp(x).
func (w *writing) conversion(expr ast.Expr) (ast.Expr, bool) {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !w.a.TypesInfo.Types[call.Fun].IsType() || btapi.Type(w.a.TypesInfo.TypeOf(call)) != "bigtable.Timestamp" {
		return nil, false
	}
	return call.Args[0], true
}

func (w *writing) value(expr ast.Expr) constant.Value {
	v := w.a.TypesInfo.Types[expr].Value
	if v == nil {
		return nil
	}
	return constant.ToInt(v)
}

// duration returns the value of a constant duration.
func (w *writing) duration(expr ast.Expr) (time.Duration, bool) {
	v := w.value(expr)
	if v == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(v)
	return time.Duration(n), exact
}
