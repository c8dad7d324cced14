package event

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
	"github.com/ttlvet/ttlvet/analyzers/internal/wording"
)

// cellTime makes the event of reading the timestamp of a cell.
func (p *Tracer) cellTime(fn *ssa.Function, instr ssa.Instruction, pos token.Pos) *Event {
	e := p.NewEvent(CellTime, fn, instr)
	sel := p.Syntax.Selectors[pos]
	if sel == nil {
		return e
	}
	e.Node = sel
	e.Evaluate(func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Eval(instr.(ssa.Value), instr)}
	})
	return e
}

// storeTime makes the event of storing something in a field whose name says
// that it is the time of writing.
func (p *Tracer) storeTime(fn *ssa.Function, s *ssa.Store) *Event {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	f := kind.FieldOf(fa)
	if f == nil || !wording.SaysWritten(f.Name()) {
		return nil
	}
	e := p.NewEvent(StoreTime, fn, s)
	// The element of a literal, or an assignment.
	if expr := p.Syntax.Elements[s.Pos()]; expr != nil {
		e.Node = expr
	} else if sel := p.Syntax.Selectors[fa.Pos()]; sel != nil {
		e.Node = sel
	} else {
		return e
	}
	e.Evaluate(func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Eval(s.Val, s)}
	})
	return e
}
