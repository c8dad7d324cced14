package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
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

// SameCondition reports whether two conditions ask the same of what nothing changes
// in between: a value, or a field that the package sets where its struct is made
// and nowhere else. negated says that one holds where the other does not.
func (p *Program) SameCondition(a, b ssa.Value) (same, negated bool) {
	if a == b {
		return true, false
	}
	if not, ok := a.(*ssa.UnOp); ok && not.Op == token.NOT {
		same, negated = p.SameCondition(not.X, b)
		return same, !negated
	}
	if not, ok := b.(*ssa.UnOp); ok && not.Op == token.NOT {
		same, negated = p.SameCondition(a, not.X)
		return same, !negated
	}
	x, isCmp := a.(*ssa.BinOp)
	y, ok := b.(*ssa.BinOp)
	if isCmp != ok {
		return false, false
	}
	if !isCmp {
		return p.steady(a) && p.SamePlace(a, b), false
	}
	if !p.sameOperand(x.X, y.X) || !p.sameOperand(x.Y, y.Y) {
		return false, false
	}
	return x.Op == y.Op || opposite[x.Op] == y.Op, x.Op != y.Op
}

var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

func (p *Program) sameOperand(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Const)
	if y, isConst := b.(*ssa.Const); ok || isConst {
		return ok && isConst && x.String() == y.String()
	}
	return a == b || p.steady(a) && p.SamePlace(a, b)
}

// steady reports whether a value is read from fields of a parameter that the
// package sets where their structs are made and nowhere else.
func (p *Program) steady(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	for addr := load.X; ; {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		f := kind.FieldOf(fa)
		if f == nil || len(p.Fields[f]) > 0 || p.NestedIn[f] || p.Addressed[f] {
			return false
		}
		switch x := fa.X.(type) {
		case *ssa.Parameter:
			return len(p.Stores[x]) == 0
		case *ssa.FieldAddr:
			addr = x
		case *ssa.UnOp:
			return p.steady(x)
		default:
			return false
		}
	}
}

// CapturedAt returns where a function literal that reads a variable of the function
// around it is made, if that variable is set before that and never again: what the
// literal reads is what is there. It returns nil otherwise.
func (p *Program) CapturedAt(a *ssa.Alloc, at ssa.Instruction) ssa.Instruction {
	mc := p.LiteralIn(a.Parent(), at)
	if mc == nil {
		return nil
	}
	for _, s := range p.Stores[a] {
		if s.At.Parent() != a.Parent() || p.Precedes(mc, s.At) {
			return nil
		}
	}
	return mc
}

// LiteralIn returns where a function makes the literal in which an instruction
// stands, however deep; nil where it stands in none.
func (p *Program) LiteralIn(fn *ssa.Function, at ssa.Instruction) *ssa.MakeClosure {
	literal := at.Parent()
	for literal != nil && literal.Parent() != fn {
		literal = literal.Parent()
	}
	if literal == nil || p.Closures[literal] == nil || p.Closures[literal].Parent() != fn {
		return nil
	}
	return p.Closures[literal]
}
