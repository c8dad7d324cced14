package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// ChecksTime reports whether a function, or a function of this package that
// it gives cells to, compares the timestamp of a cell with a time: an expiry
// that is checked by hand.
func (p *CellTimes) ChecksTime(fn *ssa.Function, depth int) bool {
	if known, ok := p.checks[fn]; ok {
		return known
	}
	p.checks[fn] = false
	found := false
	c := p.Comparison(nil)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.FieldAddr:
				c.part(thing{instr.X, cellTime}, instr, kind.Deref(instr.X.Type()), instr.Field)
			case *ssa.Field:
				c.part(thing{instr.X, cellTime}, instr, instr.X.Type(), instr.Field)
			case ssa.CallInstruction:
				found = found || depth > 0 && p.checkedBy(instr, depth)
			case *ssa.MakeClosure:
				found = found || depth > 0 && p.ChecksTime(instr.Fn.(*ssa.Function), depth-1)
			}
		}
	}
	found = found || c.Found()
	p.checks[fn] = found
	return found
}

// checkedBy reports whether a call checks the time of the cells that it is
// given, or is given a function that does.
func (p *CellTimes) checkedBy(call ssa.CallInstruction, depth int) bool {
	common := call.Common()
	for _, a := range common.Args {
		if f, ok := a.(*ssa.Function); ok && p.HasBody(f) && takesCells(f) && p.ChecksTime(f, depth-1) {
			return true // slices.ContainsFunc(items, expired)
		}
	}
	t, ok := p.Target(common)
	if !ok {
		return false
	}
	for i, a := range t.Args {
		if !kind.CarriesCells(a.Type()) {
			continue
		}
		if t.Fn != nil && p.ChecksTime(t.Fn, depth-1) || t.Obj != nil && p.checksParam(t.Obj, i) {
			return true
		}
	}
	return false
}

func takesCells(fn *ssa.Function) bool {
	for _, param := range fn.Params {
		if kind.CarriesCells(param.Type()) {
			return true
		}
	}
	return false
}

// checksParam reports whether a function of another package compares the time
// of its i-th parameter, or of the cells there, with a time.
func (p *CellTimes) checksParam(fn *types.Func, i int) bool {
	s := p.Imported(fn)
	return s != nil && slices.Contains(s.Checks, i)
}

// CheckedParams returns the parameters of a function whose time, or that of
// the cells or a struct in them, it compares with a time.
func (p *CellTimes) CheckedParams(fn *ssa.Function) []int {
	var out []int
	for i, param := range fn.Params {
		t := param.Type()
		switch {
		case kind.CarriesCells(t):
			if p.ChecksTime(fn, 3) {
				out = append(out, i)
			}
		case kind.ClassOf(t) == value.Time || kind.ClassOf(t) == value.Timestamp:
			if p.compares(nil, param, nil) {
				out = append(out, i)
			}
		case p.checksStruct(fn, param):
			out = append(out, i)
		}
	}
	if p.returnsCheck(fn) {
		out = append(out, summary.ByReturned)
	}
	return out
}

// checksStruct reports whether a function compares a time with a time that it finds
// in a struct which it is given.
func (p *CellTimes) checksStruct(fn *ssa.Function, param *ssa.Parameter) bool {
	for _, f := range fieldsIn(param.Type(), 4, func(f *types.Var, _ types.Type) bool { return mayBeTime(f.Type()) }) {
		if len(p.FieldLoads[f]) > 0 && p.compares(fn, param, f) {
			return true
		}
	}
	return false
}

// makesCheck reports whether a call returns a function that compares the time of
// the cells that it is given with a time.
func (p *CellTimes) makesCheck(call *ssa.Call) bool {
	t, ok := p.Target(&call.Call)
	return ok && (t.Fn != nil && p.returnsCheck(t.Fn) || t.Obj != nil && p.checksParam(t.Obj, summary.ByReturned))
}

// returnsCheck reports whether a function returns such a function.
func (p *CellTimes) returnsCheck(fn *ssa.Function) bool {
	for _, literal := range fn.AnonFuncs {
		if takesCells(literal) && kind.Returns(fn, literal) && p.ChecksTime(literal, 3) {
			return true
		}
	}
	return false
}

// compares reports whether the time that a value is or holds is compared with a time.
func (p *CellTimes) compares(asked *ssa.Function, v ssa.Value, field *types.Var) bool {
	c := p.Comparison(asked)
	c.add(v, field)
	return c.Found()
}

// smallConst reports whether v is a constant that is no time, such as 0.
func smallConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok {
		return false
	}
	n, ok := kind.IntConst(c)
	return ok && n <= 0
}
