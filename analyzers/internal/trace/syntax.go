package trace

import (
	"go/ast"
	"go/token"
)

// syntax finds the expressions that SSA instructions came from, by the
// positions that golang.org/x/tools/go/ssa gives them.
type syntax struct {
	calls     map[token.Pos]*ast.CallExpr     // by the left parenthesis: calls and conversions
	literals  map[token.Pos]*ast.CompositeLit // by the left brace
	elements  map[token.Pos]ast.Expr          // by the colon, or where the element begins
	binaries  map[token.Pos]*ast.BinaryExpr   // by the operator
	selectors map[token.Pos]*ast.SelectorExpr // by the selected name
	cases     map[token.Pos]ast.Expr          // of a switch, by where the expression begins
}

func newSyntax(files []*ast.File) *syntax {
	s := &syntax{
		calls:     map[token.Pos]*ast.CallExpr{},
		literals:  map[token.Pos]*ast.CompositeLit{},
		elements:  map[token.Pos]ast.Expr{},
		binaries:  map[token.Pos]*ast.BinaryExpr{},
		selectors: map[token.Pos]*ast.SelectorExpr{},
		cases:     map[token.Pos]ast.Expr{},
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s.calls[n.Lparen] = n
			case *ast.SelectorExpr:
				s.selectors[n.Sel.Pos()] = n
			case *ast.CaseClause:
				for _, e := range n.List {
					s.cases[e.Pos()] = e
				}
			case *ast.BinaryExpr:
				s.binaries[n.OpPos] = n
			case *ast.CompositeLit:
				s.literals[n.Lbrace] = n
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						s.elements[kv.Colon] = kv.Value
					} else {
						s.elements[e.Pos()] = e
					}
				}
			}
			return true
		})
	}
	return s
}

// expr returns the expression of an instruction at that position.
func (s *syntax) expr(pos token.Pos) ast.Expr {
	if c := s.calls[pos]; c != nil {
		return c
	}
	if l := s.literals[pos]; l != nil {
		return l
	}
	if b := s.binaries[pos]; b != nil {
		return b
	}
	return nil
}
