package adopt

import (
	"go/ast"
	"go/token"
)

// A span is what stands from one node to another.
type span struct{ from, to ast.Node }

// Pos implements [ast.Node].
func (s span) Pos() token.Pos { return s.from.Pos() }

// End implements [ast.Node].
func (s span) End() token.Pos { return s.to.End() }
