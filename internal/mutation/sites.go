package mutation

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Analyzer finds the mutants of a package's correct code. Its result is a
// []*[Mutant]. Which family a call touches it takes from the tracer: what
// that does not resolve makes no mutants, and is counted by nobody here.
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvetmutation",
	Doc:        "make mutants of correct code",
	Requires:   []*analysis.Analyzer{trace.Analyzer, declare.Analyzer},
	ResultType: reflect.TypeFor[[]*Mutant](),
	Run: func(pass *analysis.Pass) (any, error) {
		f := &finder{pass: pass, seen: map[string]bool{}, sources: map[string]string{}}
		f.tr = pass.ResultOf[trace.Analyzer].(*trace.Result)
		decl := pass.ResultOf[declare.Analyzer].(*declare.Result)
		f.p = &check.Pass{Pass: pass, Trace: f.tr, Model: decl.Model, Events: f.tr.Events}
		for _, e := range f.tr.Events {
			switch e.Op {
			case btapi.Set:
				f.write(e)
			case btapi.ReadRow, btapi.ReadRows:
				f.read(e)
			default:
				f.policy(e)
			}
		}
		return f.out, f.err
	},
}

// Source returns the text of a file.
func Source(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}

type finder struct {
	pass    *analysis.Pass
	p       *check.Pass
	tr      *trace.Result
	seen    map[string]bool
	sources map[string]string
	out     []*Mutant
	err     error
}

// add keeps a mutant, once.
func (f *finder) add(m *Mutant) {
	if m == nil {
		return
	}
	if key := m.String(); !f.seen[key] {
		f.seen[key] = true
		f.out = append(f.out, m)
	}
}

// at returns the declaration in which a node stands, or nil when it is not
// correct to begin with.
func (f *finder) at(n ast.Node) *spot {
	for _, file := range f.pass.Files {
		if n == nil || n.Pos() < file.FileStart || n.Pos() > file.FileEnd {
			continue
		}
		name := f.pass.Fset.File(file.FileStart).Name()
		if _, ok := f.sources[name]; !ok {
			f.sources[name], f.err = Source(name)
		}
		for _, d := range file.Decls {
			if d.Pos() <= n.Pos() && n.End() <= d.End() {
				s := &spot{fset: f.pass.Fset, file: file, decl: d, src: f.sources[name], pkg: f.pass.Pkg.Path()}
				if s.correct() {
					return s
				}
			}
		}
	}
	return nil
}

// strategy returns the strategy on which all cases of a write agree, or "".
func (f *finder) strategy(e *trace.Event) registry.Strategy {
	var found registry.Strategy
	for _, c := range e.Cases {
		if len(c.Args) < 4 {
			return ""
		}
		targets := f.p.Writes(e, c, c.Args[1])
		if len(targets) == 0 {
			return ""
		}
		for _, t := range targets {
			if found != "" && t.Family.Strategy != found {
				return ""
			}
			found = t.Family.Strategy
		}
	}
	return found
}

// write makes mutants of a call of Set, or of a function that passes its
// arguments on to one.
func (f *finder) write(e *trace.Event) {
	s := f.at(e.Node)
	strategy := f.strategy(e)
	if e.Call == nil || e.Helper != "" || s == nil || strategy == "" || strategy == registry.Real {
		return // a helper's timestamp is not written
	}
	ts := f.timestamp(e)
	if e.Depth == 0 {
		f.add(s.twice(e.Call, ts))
		f.add(s.deleteLast(e.Call))
	}
	if ts == nil || f.is(ts, -1) {
		return
	}
	switch strategy {
	case registry.OneSecond, registry.Sequence:
		f.add(s.replace(ToServerTime, ts, btPkg+".ServerTime"))
		f.add(s.replace(ToNow, ts, btPkg+".Now()"))
	case registry.Zero:
		f.add(s.replace(ZeroToNow, ts, btPkg+".Now()"))
	}
	ast.Inspect(s.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if strategy == registry.Sequence && n.Op == token.MUL && f.is(n.Y, 1000) && f.integer(n) && !f.given(s.decl, n.X) {
				f.add(s.replace(NoScale, n, s.text(n.X)))
			}
		case *ast.SelectorExpr:
			if fn, ok := f.pass.TypesInfo.Uses[n.Sel].(*types.Func); ok && fn.FullName() == "(time.Time).UnixMicro" {
				f.add(s.replace(WrongUnit, n.Sel, "Unix"))
			}
		}
		return true
	})
}

// timestamp returns the argument that is the timestamp of a write.
func (f *finder) timestamp(e *trace.Event) ast.Expr {
	var found ast.Expr
	for _, a := range e.Call.Args {
		if btapi.Type(f.pass.TypesInfo.TypeOf(a)) != "bigtable.Timestamp" {
			continue
		}
		if found != nil {
			return nil
		}
		found = a
	}
	if found == nil && e.Depth == 0 && len(e.Call.Args) == 4 {
		return e.Call.Args[2] // an untyped constant
	}
	return found
}

// is reports whether an expression is that constant.
func (f *finder) is(e ast.Expr, want int64) bool {
	v := f.pass.TypesInfo.Types[e].Value
	if v == nil {
		return false
	}
	n, ok := constant.Int64Val(constant.ToInt(v))
	return ok && n == want
}

// integer reports whether an expression is no constant and no duration.
func (f *finder) integer(e ast.Expr) bool {
	t := f.pass.TypesInfo.Types[e]
	return t.Value == nil && btapi.Type(t.Type) != "time.Duration"
}

// given reports whether a number is made of nothing but what the function is
// given, of what it parses, or of fractions. The rules know no scale of such a
// number: it may be milliseconds already. What counts is not given.
func (f *finder) given(decl ast.Node, n ast.Expr) bool {
	params := map[types.Object]bool{}
	declare := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				params[f.pass.TypesInfo.Defs[name]] = true
			}
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if !f.called(n) {
				declare(n.Type.Params)
			}
		case *ast.AssignStmt:
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && f.parses(call) {
				for _, lhs := range n.Lhs {
					if id, ok := lhs.(*ast.Ident); ok {
						params[f.pass.TypesInfo.Defs[id]] = true
					}
				}
			}
		}
		return true
	})
	given, counts := false, false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := f.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || v.IsField() {
			return true
		}
		b, _ := v.Type().Underlying().(*types.Basic)
		if params[v] && !f.assigned(decl, v) || b != nil && b.Info()&types.IsFloat != 0 {
			given = true
		} else {
			counts = true
		}
		return true
	})
	return given && !counts
}

// parses reports whether a call is one of strconv's.
func (f *finder) parses(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "strconv"
}

// called reports whether somebody may say what a function is given: it is
// exported, or used in its package.
func (f *finder) called(decl *ast.FuncDecl) bool {
	obj := f.pass.TypesInfo.Defs[decl.Name]
	if decl.Name.IsExported() {
		return true
	}
	for _, used := range f.pass.TypesInfo.Uses {
		if fn, ok := used.(*types.Func); ok && fn.Origin() == obj {
			return true
		}
	}
	return false
}

// assigned reports whether a variable is counted up.
func (f *finder) assigned(decl ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			if id, ok := n.X.(*ast.Ident); ok {
				found = found || f.pass.TypesInfo.Uses[id] == v
			}
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); ok {
					found = found || f.pass.TypesInfo.Uses[id] == v
				}
			}
		}
		return true
	})
	return found
}

// twice writes a Set two times, with one timestamp: two readings of the clock
// need not be the same.
func (s *spot) twice(call *ast.CallExpr, ts ast.Expr) *Mutant {
	stmt, _ := s.statement(call)
	if stmt == nil || ts == nil {
		return nil
	}
	from, to := s.offset(stmt.Pos()), s.offset(stmt.End())
	set := s.src[from:s.offset(ts.Pos())] + "ts__" + s.src[s.offset(ts.End()):to]
	text := "{ ts__ := " + btPkg + ".Timestamp(" + s.text(ts) + "); " + set + "; " + set + " }"
	return s.mutant(Twice, stmt, s.text(stmt), text, Edit{from, to, text})
}

// deleteLast exchanges a Set with a deletion before it that covers it.
func (s *spot) deleteLast(call *ast.CallExpr) *Mutant {
	set, list := s.statement(call)
	if set == nil {
		return nil
	}
	recv := s.text(call.Fun.(*ast.SelectorExpr).X)
	for _, stmt := range list {
		if stmt == set {
			return nil
		}
		other, ok := stmt.(*ast.ExprStmt)
		if !ok {
			continue
		}
		del, ok := other.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		sel, ok := del.Fun.(*ast.SelectorExpr)
		if !ok || s.text(sel.X) != recv {
			continue
		}
		covers := false
		switch sel.Sel.Name {
		case "DeleteRow":
			covers = true
		case "DeleteCellsInFamily":
			covers = s.text(del.Args[0]) == s.text(call.Args[0])
		case "DeleteCellsInColumn":
			covers = s.text(del.Args[0]) == s.text(call.Args[0]) && s.text(del.Args[1]) == s.text(call.Args[1])
		}
		if covers {
			a, b := s.text(stmt), s.text(set)
			return s.mutant(DeleteLast, set, a+"; "+b, b+"; "+a,
				Edit{s.offset(stmt.Pos()), s.offset(stmt.End()), b}, Edit{s.offset(set.Pos()), s.offset(set.End()), a})
		}
	}
	return nil
}

// statement returns the statement that is nothing but the call of a method,
// and the statements among which it stands.
func (s *spot) statement(call *ast.CallExpr) (found ast.Stmt, list []ast.Stmt) {
	if _, ok := call.Fun.(*ast.SelectorExpr); !ok {
		return nil, nil
	}
	ast.Inspect(s.decl, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return found == nil
		}
		for _, stmt := range b.List {
			if x, ok := stmt.(*ast.ExprStmt); ok && x.X == ast.Expr(call) {
				found, list = stmt, b.List
			}
		}
		return found == nil
	})
	return found, list
}

// callAt returns the call of one of the client's functions that made a value,
// where it stands in correct code.
func (f *finder) callAt(v *value.Value, names ...string) (*ast.CallExpr, *spot) {
	if v == nil {
		return nil, nil
	}
	call, ok := v.Base().Expr.(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	fn := ""
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		fn = fun.Sel.Name
	case *ast.Ident:
		fn = fun.Name
	}
	for _, name := range names {
		if fn == name {
			if s := f.at(call); s != nil {
				return call, s
			}
		}
	}
	return nil, nil
}
