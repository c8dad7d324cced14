package trace

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// conversion makes the event of a conversion to Timestamp.
func (p *program) conversion(fn *ssa.Function, instr ssa.Instruction, x ssa.Value, to types.Type) *Event {
	e := p.newEvent(Convert, fn, instr)
	if btapi.Type(to) != "bigtable.Timestamp" || btapi.Type(x.Type()) == "bigtable.Timestamp" {
		return e
	}
	e.Call = p.syntax.calls[instr.Pos()]
	if e.Call == nil || scaled(instr.(ssa.Value)) {
		return e
	}
	e.Node = e.Call
	e.evaluate(p, func(q *path) []*value.Value {
		q.assumeBlock(instr.Block(), nil, &q.when)
		return []*value.Value{q.eval(x, instr)}
	})
	return e
}

// scaled reports whether a number is only ever multiplied or divided: what it
// counts is decided there.
func scaled(v ssa.Value) bool {
	refs := *v.Referrers()
	for _, r := range refs {
		b, ok := r.(*ssa.BinOp)
		if !ok || b.Op != token.MUL && b.Op != token.QUO {
			return false
		}
	}
	return len(refs) > 0
}

// comparison makes the event of a comparison of Timestamps.
func (p *program) comparison(fn *ssa.Function, instr *ssa.BinOp) *Event {
	e := p.newEvent(Compare, fn, instr)
	switch instr.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return e
	}
	if btapi.Type(instr.X.Type()) != "bigtable.Timestamp" {
		return e
	}
	if n := p.syntax.binaries[instr.Pos()]; n != nil {
		e.Node = n
	} else if n := p.syntax.cases[instr.Pos()]; n != nil {
		e.Node = n
	} else {
		return e
	}
	e.evaluate(p, func(q *path) []*value.Value {
		return []*value.Value{q.eval(instr.X, instr), q.eval(instr.Y, instr)}
	})
	return e
}

// message makes the event of a literal of a raw message.
func (p *program) message(fn *ssa.Function, a *ssa.Alloc) *Event {
	name := btapi.Type(deref(a.Type()))
	e := p.newEvent(New+name, fn, a)
	lit := p.syntax.literals[a.Pos()]
	if !rawTypes[name] || lit == nil {
		return e
	}
	e.Node = lit
	e.evaluate(p, func(q *path) []*value.Value {
		return []*value.Value{q.force(q.eval(a, nil), 8)}
	})
	return e
}
