package uses

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Steady reports whether a value is certainly the same in every turn.
func (t *Turn) Steady(v ssa.Value) bool {
	is, known := t.known[v]
	if !known {
		is = t.steady(v)
		t.known[v] = is
	}
	return is
}

func (t *Turn) steady(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return true
	case *ssa.Parameter:
		if a, ok := t.given[v]; ok {
			return t.Steady(a)
		}
		if v.Parent() == t.fn {
			return t.header != nil
		}
		return !kind.Within(v.Parent(), t.fn)
	case *ssa.FreeVar:
		b := t.p.prog.Binding(v)
		return b != nil && t.Steady(b)
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	if !t.inside(instr) {
		return true
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return t.Steady(v.X) && !t.written(t.p.prog.Heap().Place(v.X))
		case token.ARROW:
			return false
		}
	case *ssa.Call:
		return t.steadyCall(v)
	case *ssa.Lookup:
		if t.written(t.p.prog.Heap().Place(v.X)) {
			return false
		}
	case *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Field, *ssa.FieldAddr,
		*ssa.Index, *ssa.IndexAddr, *ssa.Extract, *ssa.TypeAssert, *ssa.Slice:
	default:
		return false
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && !t.Steady(*op) {
			return false
		}
	}
	return true
}

// written reports whether something in the turn may write to a place.
func (t *Turn) written(place *heap.Place) bool {
	return slices.ContainsFunc(place.Writers(), t.inside) || slices.ContainsFunc(t.callsInside(), place.Written)
}

// callsInside lists the calls of a turn.
func (t *Turn) callsInside() []ssa.CallInstruction {
	if t.within != nil {
		return t.within
	}
	out := []ssa.CallInstruction{}
	for _, fn := range t.p.prog.Funcs {
		if fn != t.fn && !kind.Within(fn, t.fn) {
			continue
		}
		for _, call := range t.p.prog.Calls[fn] {
			if t.inside(call) {
				out = append(out, call)
			}
		}
	}
	t.within = out
	return out
}

// steadyCall reports whether a call returns the same in every turn: it is
// given the same, and its result hangs on nothing else.
func (t *Turn) steadyCall(v *ssa.Call) bool {
	for _, op := range v.Operands(nil) {
		if *op != nil && !t.Steady(*op) {
			return false
		}
	}
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return kind.IsExtreme(b) || b.Name() == "len"
	}
	for _, target := range t.p.eval.Targets(v) {
		var results []summary.ResultCase
		var callee *ssa.Function
		switch {
		case target.API != "":
			if !btapi.Pure(target.API) {
				return false
			}
			continue
		case target.Fn != nil:
			results, callee = t.p.eval.ResultsOf(target.Fn), target.Fn
		default:
			if s := t.p.prog.Imported(target.Obj); s != nil {
				results = s.Results.Cases()
			}
		}
		if len(results) == 0 {
			return false
		}
		for _, r := range results {
			for _, g := range r.Guards {
				if !t.SteadyValue(g.Cond, callee, target.Args) {
					return false
				}
			}
			for _, w := range r.Values {
				if !t.SteadyValue(w, callee, target.Args) {
					return false
				}
			}
		}
	}
	return len(t.p.eval.Targets(v)) > 0
}

// SteadyValue reports whether a value over a callee's parameters is the same
// in every turn. callee is nil for a function of another package; args are
// those of the call.
func (t *Turn) SteadyValue(v *value.Value, callee *ssa.Function, args []ssa.Value) bool {
	switch v.Kind {
	case value.Unknown, value.Global:
		return false
	case value.Field: // of a struct that the callee is given by value nobody sets one
		if of := v.Args[0]; of.Kind != value.Param || int(of.Num) >= len(args) || !kind.IsStruct(args[of.Num].Type()) {
			return false
		}
	case value.Param:
		if callee == nil && v.Site == nil || callee != nil && isParam(v, callee) {
			return int(v.Num) < len(args) && t.Steady(args[v.Num])
		}
		fn, ok := v.Site.(*ssa.Function)
		return ok && fn != t.fn && !kind.Within(fn, t.fn)
	case value.Func:
		return true
	case value.Struct:
		return v.Lazy == nil && v.Name == ""
	case value.Call:
		if kind.Makers[v.Name] {
			site, ok := v.Site.(ssa.Instruction)
			return ok && callee != nil && kind.Within(callee, site.Parent()) && !t.inside(site)
		}
		if !value.Steady(v.Name) && !btapi.Pure(v.Name) {
			return false
		}
	}
	for _, a := range v.Args {
		if !t.SteadyValue(a, callee, args) {
			return false
		}
	}
	return true
}

// Varies reports whether a call may run another function in each turn: what one of them
// does then happens once.
func (t *Turn) Varies(at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	return ok && len(t.p.eval.Targets(call)) > 1 && !t.Steady(call.Common().Value)
}

// Conditions single out turns: the name of a column is that of one element,
// the largest is found once more only where the last was smaller. Others, such
// as that there is a value, many turns meet.

// Singled reports whether the turn's instruction is reached under a condition
// that single turns meet.
func (t *Turn) Singled() bool {
	from := t.header
	if from == nil {
		from = t.fn.Blocks[0]
	}
	return t.singled || t.p.singles(from, t.at.Block(), t)
}

// SinglesOut reports whether a function does something under a condition that
// few of its calls meet.
func (p *Repeats) SinglesOut(at ssa.Instruction) bool {
	return p.singles(at.Parent().Blocks[0], at.Block(), nil)
}

// singles reports whether every way from one block to another leads over a
// condition that single turns meet.
func (p *Repeats) singles(from, to *ssa.BasicBlock, t *Turn) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var open func(b *ssa.BasicBlock) bool
	open = func(b *ssa.BasicBlock) bool {
		if b == from {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, pred := range b.Preds {
			if branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && !control.IsHeader(pred) && pred.Succs[0] != pred.Succs[1] {
				if !asksState(pred) && single(branch.Cond, pred.Succs[0] == b, t) {
					continue
				}
			}
			if open(pred) {
				return true
			}
		}
		return false
	}
	return !open(to)
}

// asksState reports whether a block is the one in which the body of a range
// over a function asks whether the loop was left.
func asksState(b *ssa.BasicBlock) bool { return b.Index == 0 && kind.IsRangeBody(b.Parent()) }

// single reports whether few turns meet a condition.
func single(cond ssa.Value, holds bool, t *Turn) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return single(c.X, !holds, t)
		}
		return holds // a flag of the element, or one that is set once
	case *ssa.Phi:
		return true
	case *ssa.BinOp:
		return singleComparison(c, holds, t)
	case *ssa.Extract:
		return false // whether a map has a key
	case *ssa.Call:
		if !holds || t != nil && t.Steady(c) {
			return false
		}
		callee := c.Call.StaticCallee()
		if c.Call.IsInvoke() || callee == nil {
			return true
		}
		name := btapi.Func(kind.Object(callee)) // of the standard library: whether a text begins with another
		return name == "" || name == "strings.EqualFold"
	}
	return holds && (t == nil || !t.Steady(cond))
}

func singleComparison(c *ssa.BinOp, holds bool, t *Turn) bool {
	if t != nil && t.Steady(c.X) && t.Steady(c.Y) {
		return false
	}
	switch c.Op {
	case token.EQL, token.NEQ:
		if holds != (c.Op == token.EQL) {
			return false
		}
		for _, side := range []ssa.Value{c.X, c.Y} {
			if k, ok := side.(*ssa.Const); ok && k.IsNil() {
				return false
			}
		}
		return true
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		for i, side := range []ssa.Value{c.X, c.Y} {
			other := []ssa.Value{c.Y, c.X}[i]
			_, constant := side.(*ssa.Const)
			if constant || t != nil && t.Steady(side) {
				return counts(other)
			}
		}
		return true
	}
	return holds
}

// counts reports whether a value is carried on from turn to turn.
func counts(v ssa.Value) bool {
	if b, ok := v.(*ssa.BinOp); ok {
		return counts(b.X) || counts(b.Y)
	}
	_, ok := v.(*ssa.Phi)
	return ok
}

func isParam(v *value.Value, fn *ssa.Function) bool {
	return v.Kind == value.Param && v.Site == any(kind.Origin(fn))
}
