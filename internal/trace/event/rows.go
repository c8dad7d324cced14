package event

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Where a policy and its family are one row of a table of literals, what chooses
// between tables — the environment that a function is given — decides whether
// the row is applied, not what is wrong with it.

// setsPolicy are the calls that give one family one policy, which are their
// arguments 3 and 4.
var setsPolicy = map[string]bool{
	btapi.SetGCPolicy: true, btapi.SetGCPolicyWithOptions: true, btapi.UpdateFamily: true, btapi.CreateColumnFamilyWithConfig: true,
}

// Whole drops the conditions under which rows of literals are chosen.
func (p *Tracer) Whole(op string, cases []summary.Case) {
	for i, c := range cases {
		switch {
		case len(c.Guards) == 0:
		case setsPolicy[op] && len(c.Args) > 4 && p.oneRow(c.Args[3], c.Args[4]),
			op == btapi.CreateColumnFamily && len(c.Args) > 3 && p.oneRow(c.Args[3], c.Args[3]):
			cases[i].Guards = nil
		}
	}
}

// oneRow reports whether two values stand in one literal of a struct, or in one
// entry of a map's.
func (p *Tracer) oneRow(a, b *value.Value) bool {
	return a.Expr != nil && b.Expr != nil && p.inLiteral(a.Expr, b.Expr) != nil
}

// InRow returns the expression for a policy in the literal of a struct, the entry of a
// map's, or the call of what keeps both, in which its family is named: where it is
// written, or the package variable or function whose value it is; nil where it is not of
// that row.
func (e *Event) InRow(family, policy ast.Expr) ast.Expr {
	if x := e.tracer.inLiteral(family, policy); x != nil {
		return x
	}
	call := e.tracer.givenTo(family)
	if call == nil || e.runs(call) {
		return nil
	}
	return e.tracer.among(call.Args, policy)
}

// givenTo returns the call of which an expression is an argument, or nil.
func (p *Tracer) givenTo(arg ast.Expr) *ast.CallExpr {
	if around := syntax.Around(p.Prog.Pass.Files, arg); len(around) > 1 {
		call, _ := around[slices.Index(around, ast.Node(arg))+1].(*ast.CallExpr)
		return call
	}
	return nil
}

// runs reports whether a call is one of those that lead to what the event is about.
func (e *Event) runs(call *ast.CallExpr) bool {
	for ; e != nil; e = e.Source {
		if e.Node == ast.Node(call) {
			return true
		}
	}
	return false
}

// inLiteral is [Event.InRow] for literals.
func (p *Tracer) inLiteral(family, policy ast.Expr) ast.Expr {
	for _, n := range syntax.Around(p.Prog.Pass.Files, family) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if x := p.standsFor(n.Value, policy); x != nil {
				return x
			}
		case *ast.CompositeLit:
			if _, row := p.Prog.Pass.TypesInfo.TypeOf(n).Underlying().(*types.Struct); !row {
				return nil
			}
			return p.among(n.Elts, policy)
		case *ast.AssignStmt: // families["token"] = …
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && syntax.Within(family, n.Lhs[0]) {
				return p.standsFor(n.Rhs[0], policy)
			}
			return nil
		case *ast.Ident, *ast.SelectorExpr, *ast.BasicLit, *ast.ParenExpr, *ast.IndexExpr:
		default:
			return nil
		}
	}
	return nil
}

// among returns the element of a literal, or the argument, that is an expression, or
// stands for it.
func (p *Tracer) among(elts []ast.Expr, expr ast.Expr) ast.Expr {
	for _, elt := range elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if x := p.standsFor(elt, expr); x != nil {
			return x
		}
	}
	return nil
}

// standsFor returns the expression in elt that is one, names the variable of this package
// that is set to it, or calls the function that makes it.
func (p *Tracer) standsFor(elt, expr ast.Expr) ast.Expr {
	if syntax.Within(expr, elt) {
		return expr
	}
	switch x := ast.Unparen(elt).(type) {
	case *ast.Ident:
		if obj := p.Prog.Pass.TypesInfo.Uses[x]; obj != nil && p.setTo(obj, expr) {
			return elt
		}
	case *ast.CallExpr:
		if fn := typeutil.StaticCallee(p.Prog.Pass.TypesInfo, x); fn != nil && p.madeIn(fn.Origin(), expr) {
			return elt
		}
	case *ast.CompositeLit: // the configuration of one family
		return p.among(x.Elts, expr)
	}
	return nil
}

// setTo reports whether a variable is declared with, or assigned, what an expression
// is part of.
func (p *Tracer) setTo(obj types.Object, expr ast.Expr) bool {
	return slices.ContainsFunc(syntax.Around(p.Prog.Pass.Files, expr), func(n ast.Node) bool {
		to, _ := syntax.AssignedTo(n, expr)
		id, ok := to.(*ast.Ident)
		return ok && p.Prog.Pass.TypesInfo.ObjectOf(id) == obj
	})
}

// madeIn reports whether an expression stands in a function.
func (p *Tracer) madeIn(fn *types.Func, expr ast.Expr) bool {
	return slices.ContainsFunc(syntax.Around(p.Prog.Pass.Files, expr), func(n ast.Node) bool {
		decl, ok := n.(*ast.FuncDecl)
		return ok && p.Prog.Pass.TypesInfo.Defs[decl.Name] == types.Object(fn)
	})
}
