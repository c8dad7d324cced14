package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// SamePlace reports whether two values of one function are the same variable,
// or what one place in memory holds: e.seen, asked for twice.
func (p *Program) SamePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *ssa.UnOp:
		y, ok := b.(*ssa.UnOp)
		if !ok || x.Op != token.MUL || y.Op != token.MUL {
			return false
		}
		root, path := p.Address(x.X)
		root2, path2 := p.Address(y.X)
		return path.Equal(path2) && (root == root2 || p.SamePlace(root, root2))
	case *ssa.Field:
		y, ok := b.(*ssa.Field)
		return ok && x.Field == y.Field && p.SamePlace(x.X, y.X)
	}
	return false
}
