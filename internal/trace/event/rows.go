package event

import (
	"go/ast"
	"go/types"
	"slices"

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
	return a.Expr != nil && b.Expr != nil && p.InRow(a.Expr, b.Expr) != nil
}

// InRow returns the expression for a policy in the literal of a struct, or the
// entry of a map's, in which its family is named: where it is written, or the
// package variable whose value it is; nil where it is not of that row.
func (e *Event) InRow(family, policy ast.Expr) ast.Expr { return e.tracer.InRow(family, policy) }

// InRow is [Event.InRow] for whatever event.
func (p *Tracer) InRow(family, policy ast.Expr) ast.Expr {
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
			return p.amongElements(n, policy)
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

// amongElements returns the element of a literal that is an expression, or stands for it.
func (p *Tracer) amongElements(lit *ast.CompositeLit, expr ast.Expr) ast.Expr {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if x := p.standsFor(elt, expr); x != nil {
			return x
		}
	}
	return nil
}

// standsFor returns the expression in elt that is one, or names the variable of this
// package that is set to it.
func (p *Tracer) standsFor(elt, expr ast.Expr) ast.Expr {
	if syntax.Within(expr, elt) {
		return expr
	}
	switch x := ast.Unparen(elt).(type) {
	case *ast.Ident:
		if obj := p.Prog.Pass.TypesInfo.Uses[x]; obj != nil && p.setTo(obj, expr) {
			return elt
		}
	case *ast.CompositeLit: // the configuration of one family
		return p.amongElements(x, expr)
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
