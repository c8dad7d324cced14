package event

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/internal/wording"
)

// cellTime makes the event of reading the timestamp of a cell.
func (p *Tracer) cellTime(fn *ssa.Function, instr ssa.Instruction, pos token.Pos) *Event {
	sel := p.Prog.Syntax.Selectors[pos]
	if sel == nil {
		return nil
	}
	return p.at(CellTime, fn, instr, sel, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(instr.Block(), nil, new([]summary.Guard))
		return []*value.Value{q.Way.Eval(instr.(ssa.Value), instr)}
	})
}

// storeTime makes the event of storing something in a field whose name says
// that it is the time of writing.
func (p *Tracer) storeTime(fn *ssa.Function, s *ssa.Store) *Event {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if !saysWritten(kind.FieldOf(fa)) || saidBefore(s.Val) {
		return nil
	}
	var node ast.Node
	if expr := p.Prog.Syntax.Elements[s.Pos()]; expr != nil {
		node = expr // of a literal
	} else if sel := p.Prog.Syntax.Selectors[fa.Pos()]; sel != nil {
		node = sel
	} else {
		return nil
	}
	return p.at(StoreTime, fn, s, node, func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(s.Block(), nil, new([]summary.Guard))
		return []*value.Value{q.Way.Eval(s.Val, s)}
	})
}

func saysWritten(f *types.Var) bool { return f != nil && wording.SaysWritten(f.Name()) }

// saidBefore reports whether a time, or what is made of one, comes out of a field whose
// name says that it is the time of writing: where it was put there that was wrong.
func saidBefore(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		fa, ok := v.X.(*ssa.FieldAddr)
		return ok && saysWritten(kind.FieldOf(fa))
	case *ssa.Field:
		return saysWritten(kind.StructField(v.X.Type(), v.Field))
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType:
		return saidBefore(kind.Converted(v))
	case *ssa.BinOp:
		return saidBefore(v.X)
	case *ssa.Call:
		return len(v.Call.Args) > 0 && kind.MayBeTime(v.Call.Args[0].Type()) && saidBefore(v.Call.Args[0])
	}
	return false
}

// Taken lists what functions do with the times that they are given which is
// wrong of an artificial one: they keep it under a name that says when something
// was written, subtract it to have an age, or make a text of it that callers keep. It is
// all that a package that cannot reach the client does which matters to one that can.
func (p *Tracer) Taken() []*Event {
	return p.each(func(fn *ssa.Function, instr ssa.Instruction, add func(*Event)) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if isGiven(instr.Val, 4) {
				add(p.storeTime(fn, instr))
			}
		case *ssa.Call:
			if t, ok := p.Prog.Target(instr.Common()); ok && taken[t.API] > 0 && isGiven(t.Args[taken[t.API]-1], 4) {
				add(p.apiEvent(fn, instr, t))
			}
		}
	})
}

// MayBeOfCell reports whether the time of an operation of times alone may be a cell's:
// whether it is one, or made of what callers give. What is done to another time concerns
// nobody.
func MayBeOfCell(op string, args []*value.Value) bool {
	switch {
	case !OfTimes(op):
		return true
	case op == Age:
		args = args[1:2]
	case taken[op] > 0:
		args = args[taken[op]-1:][:1]
	}
	return slices.ContainsFunc(args, mayBeOfCell)
}

func mayBeOfCell(v *value.Value) bool {
	switch {
	case v.Kind == value.Param, v.Kind == value.Field && v.Name == "bigtable.ReadItem.Timestamp":
		return true
	case v.Is(value.Clock), v.Is(value.Index) && !mayBeOfCell(v.Args[0]):
		return false // what a clock says, whichever that is; what a key leads to
	}
	return slices.ContainsFunc(v.Args, mayBeOfCell)
}

// AsDate reports whether an operation takes a time for that of writing whatever its result
// is called: it is kept under such a name, or subtracted from another.
func AsDate(op string) bool {
	return op == StoreTime || op == Age || op == "time.Since" || op == "time.Time.Sub"
}

// taken counts the arguments up to the time of which an age or a text is made.
var taken = map[string]int{"time.Since": 1, "time.Time.Sub": 2, "time.Time.Format": 1, "time.Time.String": 1}

// isGiven reports whether a value may be made of one that its function is given.
func isGiven(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Alloc:
		return true
	case *ssa.Call, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.UnOp, *ssa.BinOp, *ssa.Phi:
		for _, op := range v.(ssa.Instruction).Operands(nil) {
			if *op != nil && depth > 0 && isGiven(*op, depth-1) {
				return true
			}
		}
	}
	return false
}
