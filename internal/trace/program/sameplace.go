package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// SamePlace reports whether two values of one function are the same variable,
// or what one place in memory holds: e.seen, asked for twice.
func SamePlace(p *Program, a, b ssa.Value) bool {
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
		return path.Equal(path2) && (root == root2 || SamePlace(p, root, root2))
	case *ssa.Field:
		y, ok := b.(*ssa.Field)
		return ok && x.Field == y.Field && SamePlace(p, x.X, y.X)
	}
	return false
}

// SameAddress reports whether two addresses of one function are one: of the element of
// an index that is computed twice, l.seq[i%n]++.
func SameAddress(p *Program, a, b ssa.Value) bool {
	switch x := a.(type) {
	case *ssa.FieldAddr:
		y, ok := b.(*ssa.FieldAddr)
		return ok && x.Field == y.Field && SameAddress(p, x.X, y.X)
	case *ssa.IndexAddr:
		y, ok := b.(*ssa.IndexAddr)
		return ok && sameNumber(p, x.Index, y.Index) && SameAddress(p, x.X, y.X)
	}
	return SamePlace(p, a, b)
}

// sameNumber reports whether two numbers are computed alike.
func sameNumber(p *Program, a, b ssa.Value) bool {
	switch x := a.(type) {
	case *ssa.Const:
		y, ok := b.(*ssa.Const)
		return ok && x.String() == y.String()
	case *ssa.BinOp:
		y, ok := b.(*ssa.BinOp)
		return ok && x.Op == y.Op && sameNumber(p, x.X, y.X) && sameNumber(p, x.Y, y.Y)
	case *ssa.Convert:
		y, ok := b.(*ssa.Convert)
		return ok && sameNumber(p, x.X, y.X)
	}
	return SamePlace(p, a, b)
}

// SameCondition reports whether two conditions ask the same of what nothing changes
// in between: a value, or a field that the package sets where its struct is made
// and nowhere else. negated says that one holds where the other does not.
func SameCondition(p *Program, a, b ssa.Value) (same, negated bool) {
	c, d := control.Condition{Cond: a}.Plain(), control.Condition{Cond: b}.Plain()
	negated = c.Want != d.Want
	x, isCmp := c.Cond.(*ssa.BinOp)
	y, ok := d.Cond.(*ssa.BinOp)
	if !isCmp || !ok || x == y {
		return c.Cond == d.Cond || isCmp == ok && steady(p, c.Cond) && SamePlace(p, c.Cond, d.Cond), negated
	}
	same = (x.Op == y.Op || opposite[x.Op] == y.Op) && sameOperand(p, x.X, y.X) && sameOperand(p, x.Y, y.Y)
	return same, negated != (x.Op != y.Op)
}

var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

func sameOperand(p *Program, a, b ssa.Value) bool {
	x, ok := a.(*ssa.Const)
	if y, isConst := b.(*ssa.Const); ok || isConst {
		return ok && isConst && x.String() == y.String()
	}
	return a == b || steady(p, a) && SamePlace(p, a, b)
}

// Steady reports whether a condition is of what is the same whenever it is asked.
func Steady(p *Program, cond ssa.Value) bool {
	switch c := cond.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		return Steady(p, c.X) && Steady(p, c.Y)
	case *ssa.UnOp:
		return c.Op == token.NOT && Steady(p, c.X) || steady(p, c)
	}
	return false
}

// Captured reports whether a function literal reads a value that the functions around
// it settle.
func Captured(p *Program, v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	root, _ := p.Address(load.X)
	return root.Parent() != load.Parent() && settled(p, load)
}

// settled reports whether a variable, or a part of one, that a load reads is written
// before all that may follow the load.
func settled(p *Program, load *ssa.UnOp) bool {
	root, _ := p.Address(load.X)
	a, ok := root.(*ssa.Alloc)
	if !ok {
		return false
	}
	var at ssa.Instruction = load
	if load.Parent() != a.Parent() {
		mc := p.LiteralIn(a.Parent(), load)
		if mc == nil {
			return false
		}
		at = mc
	}
	for _, w := range p.Heap().Place(load.X).Writers() {
		if w.Parent() != a.Parent() || p.Graphs.MayPrecede(at, w) {
			return false
		}
	}
	return true
}

// steady reports whether a value is read from fields of a parameter that the
// package sets where their structs are made and nowhere else, or from a variable that
// is not written afterwards.
func steady(p *Program, v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	if settled(p, load) {
		return true
	}
	for addr := load.X; ; {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		f := kind.FieldOf(fa)
		if f == nil || len(p.Fields[f]) > 0 || p.NestedIn[f] || len(p.Addressed[f]) > 0 {
			return false
		}
		switch x := fa.X.(type) {
		case *ssa.Parameter:
			return len(p.Stores[x]) == 0
		case *ssa.FieldAddr:
			addr = x
		case *ssa.UnOp:
			return steady(p, x)
		default:
			return false
		}
	}
}

// RunsNow reports whether an instruction runs a function literal, or has a function of
// the package run it which does nothing else with it: the literal runs then and never
// afterwards.
func (p *Program) RunsNow(mc *ssa.MakeClosure, use ssa.Instruction) bool {
	call, ok := use.(*ssa.Call)
	if !ok {
		return false
	}
	if call.Call.Value == ssa.Value(mc) {
		return true
	}
	callee := call.Call.StaticCallee()
	if callee == nil || !p.HasBody(kind.Origin(callee)) {
		return false
	}
	for i, a := range call.Call.Args {
		if a != ssa.Value(mc) {
			continue
		}
		for _, r := range *kind.Origin(callee).Params[i].Referrers() {
			if run, ok := r.(*ssa.Call); !ok || run.Call.Value != ssa.Value(kind.Origin(callee).Params[i]) {
				return false
			}
		}
	}
	return true
}
