package kind

import (
	"go/ast"
	"go/token"
)

// Syntax finds the expressions that SSA instructions came from, by the
// positions that golang.org/x/tools/go/ssa gives them.
type Syntax struct {
	Calls     map[token.Pos]*ast.CallExpr     // by the left parenthesis: calls and conversions
	Literals  map[token.Pos]*ast.CompositeLit // by the left brace
	Indexes   map[token.Pos]*ast.IndexExpr    // by the left bracket
	Elements  map[token.Pos]ast.Expr          // by the colon, or where the element begins
	Keys      map[token.Pos]ast.Expr          // of elements, by the colon
	Binaries  map[token.Pos]*ast.BinaryExpr   // by the operator
	Selectors map[token.Pos]*ast.SelectorExpr // by the selected name
	Cases     map[token.Pos]ast.Expr          // of a switch, by where the expression begins
}

func NewSyntax(files []*ast.File) *Syntax {
	s := &Syntax{
		Calls:     map[token.Pos]*ast.CallExpr{},
		Literals:  map[token.Pos]*ast.CompositeLit{},
		Indexes:   map[token.Pos]*ast.IndexExpr{},
		Elements:  map[token.Pos]ast.Expr{},
		Keys:      map[token.Pos]ast.Expr{},
		Binaries:  map[token.Pos]*ast.BinaryExpr{},
		Selectors: map[token.Pos]*ast.SelectorExpr{},
		Cases:     map[token.Pos]ast.Expr{},
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s.Calls[n.Lparen] = n
			case *ast.SelectorExpr:
				s.Selectors[n.Sel.Pos()] = n
			case *ast.CaseClause:
				for _, e := range n.List {
					s.Cases[e.Pos()] = e
				}
			case *ast.BinaryExpr:
				s.Binaries[n.OpPos] = n
			case *ast.IndexExpr:
				s.Indexes[n.Lbrack] = n
			case *ast.CompositeLit:
				s.Literals[n.Lbrace] = n
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						s.Elements[kv.Colon], s.Keys[kv.Colon] = kv.Value, kv.Key
					} else {
						s.Elements[e.Pos()] = e
					}
				}
			}
			return true
		})
	}
	return s
}

// Expr returns the expression of an instruction at that position.
func (s *Syntax) Expr(pos token.Pos) ast.Expr {
	if c := s.Calls[pos]; c != nil {
		return c
	}
	if l := s.Literals[pos]; l != nil {
		return l
	}
	if b := s.Binaries[pos]; b != nil {
		return b
	}
	return nil
}
