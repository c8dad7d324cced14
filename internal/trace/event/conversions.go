package event

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// conversion makes the event of a conversion to Timestamp.
func (p *Tracer) conversion(fn *ssa.Function, v ssa.Value) *Event {
	x := kind.Converted(v)
	if btapi.Type(v.Type()) != "bigtable.Timestamp" || btapi.Type(x.Type()) == "bigtable.Timestamp" {
		return nil
	}
	instr := v.(ssa.Instruction)
	call := p.Prog.Syntax.Calls[v.Pos()]
	if _, generic := v.(*ssa.MultiConvert); generic {
		call = p.onlyConversion(fn, x.Type(), v.Type())
	}
	if call == nil || scaled(v) {
		return nil
	}
	e := p.at(Convert, fn, instr, call, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(instr.Block(), nil, &q.Way.When)
		return []*value.Value{q.Way.Eval(x, instr)}
	})
	e.Call = call
	return e
}

// onlyConversion returns the conversion of a value of one type to another in a
// function that has one of these: of type parameters, whose instructions have no
// place.
func (p *Tracer) onlyConversion(fn *ssa.Function, from, to types.Type) *ast.CallExpr {
	if fn.Syntax() == nil {
		return nil
	}
	var found []*ast.CallExpr
	info := p.Prog.Pass.TypesInfo
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 && info.Types[call.Fun].IsType() &&
			types.Identical(info.TypeOf(call), to) && types.Identical(info.TypeOf(call.Args[0]), from) {
			found = append(found, call)
		}
		return true
	})
	if len(found) != 1 {
		return nil
	}
	return found[0]
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
func (p *Tracer) comparison(fn *ssa.Function, instr *ssa.BinOp) *Event {
	if !kind.IsComparison(instr.Op) || btapi.Type(instr.X.Type()) != "bigtable.Timestamp" {
		return nil
	}
	var node ast.Node
	if n := p.Prog.Syntax.Binaries[instr.Pos()]; n != nil {
		node = n
	} else if n := p.Prog.Syntax.Cases[instr.Pos()]; n != nil {
		node = n
	} else {
		return nil
	}
	return p.at(Compare, fn, instr, node, func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Way.Eval(instr.X, instr), q.Way.Eval(instr.Y, instr)}
	})
}

// difference makes the event of a subtraction by which the age of a cell may
// be computed: bigtable.Now() - ts, now.UnixMicro() - int64(ts).
func (p *Tracer) difference(fn *ssa.Function, instr *ssa.BinOp) *Event {
	if instr.Op != token.SUB || !isTimestamp(instr.Y) {
		return nil
	}
	n := p.Prog.Syntax.Binaries[instr.Pos()]
	if n == nil {
		return nil
	}
	return p.at(Age, fn, instr, n, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(instr.Block(), nil, &q.Way.When)
		return append([]*value.Value{q.Way.Eval(instr.X, instr), q.Way.Eval(instr.Y, instr)}, p.against(q, instr)...)
	})
}

// against returns what a number is at once compared with, or subtracted from,
// unless something else is done with it.
func (p *Tracer) against(q *eval.Path, v ssa.Value) (list []*value.Value) {
	for _, ref := range *v.Referrers() {
		if _, debug := ref.(*ssa.DebugRef); debug {
			continue
		}
		cmp, ok := ref.(*ssa.BinOp)
		if !ok || !kind.IsComparison(cmp.Op) && cmp.Op != token.SUB {
			return nil
		}
		other := cmp.X
		if other == v {
			other = cmp.Y
		}
		list = append(list, q.Way.Eval(other, cmp))
	}
	return list
}

// isTimestamp reports whether a number is a Timestamp, or one converted.
func isTimestamp(v ssa.Value) bool {
	for {
		if btapi.Type(v.Type()) == "bigtable.Timestamp" {
			_, isConst := v.(*ssa.Const)
			return !isConst
		}
		if v = kind.Converted(v); v == nil {
			return false
		}
	}
}

// message makes the event of a literal of a raw message.
func (p *Tracer) message(fn *ssa.Function, a *ssa.Alloc) *Event {
	name := btapi.Type(kind.Deref(a.Type()))
	lit := p.Prog.Syntax.Literals[a.Pos()]
	if !rawTypes[name] || lit == nil {
		return nil
	}
	return p.at(New+name, fn, a, lit, func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Settler.Force(q.Way.Eval(a, nil), 8)}
	})
}
