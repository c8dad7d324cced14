package check

import (
	"go/ast"
	"go/constant"
	"slices"

	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// NamedLiteral reports whether an expression is written at the event's call,
// or in a literal that names the family beside it or as its key, so that
// nothing else takes it from there. name is where the family's name comes from,
// or nil.
func (p *Pass) NamedLiteral(e *trace.Event, expr ast.Expr, family string, name ast.Expr) bool {
	if syntax.Within(expr, e.Node) {
		return true
	}
	isFamily := func(x ast.Expr) bool {
		if x == name {
			return true
		}
		v := p.TypesInfo.Types[x].Value
		return v != nil && v.Kind() == constant.String && constant.StringVal(v) == family
	}
	for _, n := range p.Parents(expr) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, elt := range n.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); ok {
					if isFamily(kv.Value) || isFamily(kv.Key) && syntax.Within(expr, kv) {
						return true
					}
				} else if isFamily(elt) {
					return true
				}
			}
		case *ast.AssignStmt: // families["token"] = …
			for _, lhs := range n.Lhs {
				if index, ok := lhs.(*ast.IndexExpr); ok && isFamily(index.Index) {
					return true
				}
			}
			return false
		case ast.Stmt, *ast.FuncLit, ast.Decl:
			return false
		}
	}
	return false
}

// Function names the declared function in which a node stands.
func (p *Pass) Function(n ast.Node) string {
	for _, parent := range p.Parents(n) {
		if d, ok := parent.(*ast.FuncDecl); ok {
			return p.Fset.Position(d.Pos()).String()
		}
	}
	return ""
}

// Statement returns the statement that is nothing but the call, or nil.
func (p *Pass) Statement(call *ast.CallExpr) ast.Stmt {
	if parents := p.Parents(call); len(parents) > 0 {
		if s, ok := parents[0].(*ast.ExprStmt); ok {
			return s
		}
	}
	return nil
}

// Parents returns the nodes that enclose a node, innermost first, without
// itself.
func (p *Pass) Parents(n ast.Node) []ast.Node {
	around := syntax.Around(p.Files, n)
	return around[slices.Index(around, n)+1:]
}

// Element returns the place of a value that comes from one of several literals
// of structs which an event's call is given: the expression, where that is
// written in it; nil of others.
func (p *Pass) Element(e *trace.Event, expr ast.Expr) ast.Expr {
	if expr == nil || e.Depth == 0 || e.Call == nil || expr.Pos() < e.Call.Lparen || expr.End() > e.Call.Rparen {
		return nil
	}
	several := 0
	for _, arg := range elements(e.Call.Args) {
		if _, ok := literal(arg); ok {
			several++
		}
	}
	if several < 2 {
		return nil
	}
	for _, arg := range elements(e.Call.Args) {
		if lit, ok := literal(arg); ok && lit.Pos() < expr.Pos() && expr.End() <= lit.End() {
			return expr
		}
	}
	return nil
}

// elements lists arguments, with the elements of those that are literals of
// lists in their place.
func elements(args []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, a := range args {
		lit, ok := literal(a)
		if !ok {
			out = append(out, a)
			continue
		}
		if _, list := lit.Type.(*ast.ArrayType); list {
			out = append(out, lit.Elts...)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// literal returns the literal of a struct or list that an expression is, or
// takes the address of.
func literal(e ast.Expr) (*ast.CompositeLit, bool) {
	if ref, ok := ast.Unparen(e).(*ast.UnaryExpr); ok {
		e = ref.X
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	return lit, ok
}
