package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
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
	for _, call := range c.prog.Calls[fn] {
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

// checksParam returns what a function of another package does with the time that its i-th
// parameter is, or that is in the cells or the struct there.
func (p *CellTimes) checksParam(fn *types.Func, i int) (out []summary.Check) {
	if fn == nil {
		return nil
	}
	if s := p.prog.Imported(fn); s != nil {
		for _, c := range s.Checks {
			if c.Param == i {
				out = append(out, c)
			}
		}
	}
	return out
}

// CheckedParams returns what a function does with parameters that are times, or with the
// times of the cells or the struct in them.
func (p *CellTimes) CheckedParams(fn *ssa.Function) (out []summary.Check) {
	for i, param := range fn.Params {
		t := param.Type()
		switch {
		case kind.CarriesCells(t):
			out = append(out, p.comparedParam(fn, i, cellTime)...)
		case kind.MayBeTime(t):
			out = append(out, p.comparedParam(fn, i, nil)...)
		default:
			out = append(out, p.comparedStruct(fn, i)...)
		}
	}
	if p.returnsCheck(fn) {
		out = append(out, summary.Check{Param: summary.ByReturned})
	}
	return out
}

// comparedStruct is [CellTimes.comparedParam] of a time in a struct which a function is
// given.
func (p *CellTimes) comparedStruct(fn *ssa.Function, i int) (out []summary.Check) {
	for _, f := range fieldsIn(fn.Params[i].Type(), 4, func(f *types.Var, _ types.Type) bool { return kind.MayBeTime(f.Type()) }) {
		if len(p.prog.FieldLoads[f]) > 0 {
			out = append(out, p.comparedParam(fn, i, f)...)
		}
	}
	return out
}

// returnsCheck reports whether a function returns one that compares the time of the
// cells that it is given with a time.
func (p *CellTimes) returnsCheck(fn *ssa.Function) bool {
	for _, literal := range fn.AnonFuncs {
		if takesCells(literal) && kind.Returns(fn, literal) && p.ChecksTime(literal) {
			return true
		}
	}
	return false
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

// CellTimes finds what a program does with the times of cells.
type CellTimes struct {
	prog *program.Program
	eval *eval.Evaluator

	Inherited []string // the fields in which the package's imports keep times of cells

	times     map[*ssa.Function][]Held // where functions leave times of cells
	cellTimes map[string]bool          // the fields that hold times of cells; nil before they are asked for
	compared  map[*types.Var]bool      // the fields that are compared of some struct
	checks    map[*ssa.Function]bool   // whether a function checks the time of cells by hand
}

// NewCellTimes returns a finder for a program.
func NewCellTimes(e *eval.Evaluator) *CellTimes {
	return &CellTimes{prog: e.Prog, eval: e, checks: map[*ssa.Function]bool{}, compared: map[*types.Var]bool{}, times: map[*ssa.Function][]Held{}}
}

// A Held says where a function leaves the time of a cell for its callers.
type Held struct {
	Param int        // in what the parameter points to that is the Param-th from 1; 0: in what it returns
	Field *types.Var // the field of that; nil: the time itself is returned
	Left  bool       // how far it is from a moment
}
