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
func (p *CellTimes) ChecksTime(fn *ssa.Function) bool {
	known, ok := p.checks[fn]
	if !ok {
		c := p.Comparison(nil)
		c.cellsIn(fn)
		known = c.Found()
		p.checks[fn] = known
	}
	return known
}

// cellsIn adds the times that a function, or a literal in it, reads from cells, and the
// cells that it gives to calls.
func (c *Comparison) cellsIn(fn *ssa.Function) {
	c.timesRead(fn)
	for _, call := range c.Calls[fn] {
		for _, a := range call.Common().Args {
			if kind.CarriesCells(a.Type()) {
				c.add(a, cellTime)
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		c.cellsIn(literal)
	}
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
			if p.ChecksTime(fn) {
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
		if takesCells(literal) && kind.Returns(fn, literal) && p.ChecksTime(literal) {
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
