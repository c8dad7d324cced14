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

// Stored lists what functions keep of what they are given under a name that says
// when something was written. It is all that a package that cannot reach the
// client does which matters to one that can.
func (p *Tracer) Stored() []*Event {
	var events []*Event
	for _, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				s, ok := instr.(*ssa.Store)
				if !ok || !isGiven(s.Val, 4) {
					continue
				}
				if e := p.storeTime(fn, s); e != nil && len(e.Cases) > 0 {
					events = append(events, e)
				}
			}
		}
	}
	return events
}

// isGiven reports whether a value may be made of one that its function is given.
func isGiven(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Alloc:
		return true
	case *ssa.Call, *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.UnOp, *ssa.BinOp, *ssa.Phi:
		for _, op := range v.(ssa.Instruction).Operands(nil) {
			if *op != nil && depth > 0 && isGiven(*op, depth-1) {
				return true
			}
		}
	}
	return false
}
