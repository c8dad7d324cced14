package uses

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A cell is checked by a condition that hangs on its time and on a moment. A comparison of
// the two is one. So is any condition on how far the one is from the other: of a time that
// is followed, [thing] says whether it is that.

// moment reports whether a value is a time that is not a cell's, nor a constant.
func (c *Comparison) moment(v ssa.Value) bool {
	_, constant := v.(*ssa.Const)
	return !constant && kind.MayBeTime(v.Type()) && kind.ClassOf(v.Type()) != value.Duration && !c.cells(v)
}

// cells reports whether a value beside the one that is followed is made of times of cells.
func (c *Comparison) cells(v ssa.Value) bool { return c.fromCell(v, c.at.in.of(v), 10) }

// operand follows a time through an operator.
func (c *Comparison) operand(t thing, r *ssa.BinOp) {
	other := r.X
	if other == t.v {
		other = r.Y
	}
	switch r.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		c.against(t, other)
	case token.EQL, token.NEQ:
		if t.left {
			c.against(t, other)
		}
	case token.SUB:
		if !c.cells(other) { // how far cells are from each other says of none how old it is
			c.becomes(r, t.left || c.moment(other))
		}
	case token.ADD, token.MUL, token.QUO:
		c.add(r, nil)
	default:
		if t.left {
			c.add(r, nil)
		}
	}
}

// against says what it is that a time is compared with another value.
func (c *Comparison) against(t thing, other ssa.Value) {
	if c.cells(other) || smallConst(other) && !t.left {
		return
	}
	if param := c.asks(other); param >= 0 && !t.left {
		c.with = append(c.with, param)
		return
	}
	c.is(true)
}

// asks returns the parameter of which callers say whether it is a moment; -1 of others.
func (c *Comparison) asks(v ssa.Value) int {
	in := c.at.in.of(v)
	for {
		v, in = source(c.prog, v, in)
		switch w := v.(type) {
		case *ssa.Convert, *ssa.MultiConvert:
			v = kind.Converted(v)
			continue
		case *ssa.Call:
			if t, ok := c.prog.Target(&w.Call); ok && isPlain(t) && len(t.Args) == 1 {
				v = t.Args[0]
				continue
			}
		case *ssa.Parameter:
			if c.open && in == nil && kind.Origin(w.Parent()) == c.asked {
				return kind.ParamIndex(w)
			}
		}
		return -1
	}
}

// becomes follows what is made of a time.
func (c *Comparison) becomes(v ssa.Value, left bool) {
	defer func(was bool) { c.at.left = was }(c.at.left)
	c.at.left = left
	c.add(v, nil)
}

// plain follows a time through a function of the client or the standard library, which
// does with it what its types say: it makes another time or number of it, or compares
// it. It returns false of others.
func (c *Comparison) plain(t thing, call ssa.CallInstruction, target program.Target) bool {
	if !isPlain(target) {
		return false
	}
	if target.API == "time.Time.Equal" || target.Obj != nil && target.Obj.Name() == "Equal" {
		return true // no more than ==
	}
	left := t.left || target.API == "time.Since" || target.API == "time.Until"
	other := slices.DeleteFunc(slices.Clone(target.Args), func(a ssa.Value) bool { return a == t.v })
	asked := slices.IndexFunc(other, func(a ssa.Value) bool { return kind.MayBeTime(a.Type()) && c.asks(a) >= 0 })
	for _, v := range resultsOf(call) {
		b, basic := v.Type().Underlying().(*types.Basic)
		switch {
		case basic && (b.Info()&types.IsBoolean != 0 || b.Kind() == types.Int):
			if asked >= 0 {
				c.against(t, other[asked])
			} else {
				c.is(left || slices.ContainsFunc(other, c.moment))
			}
		case slices.ContainsFunc(other, c.cells): // apart from each other
		case kind.MayBeTime(v.Type()) || left && basic && b.Info()&types.IsNumeric != 0:
			c.becomes(v, left || slices.ContainsFunc(other, c.moment))
		}
	}
	return true
}

// isPlain reports whether a function is one of the client or the standard library.
func isPlain(t program.Target) bool {
	if t.API != "" {
		return true
	}
	if t.Obj == nil || t.Obj.Pkg() == nil {
		return false
	}
	first, _, _ := strings.Cut(t.Obj.Pkg().Path(), "/")
	return !strings.Contains(first, ".")
}

// comparedParam returns what a function does with the time that its i-th parameter is,
// or that is in the cells or the struct there: whether it compares it with a moment,
// otherwise with which other parameters, and whether it returns it.
func (p *CellTimes) comparedParam(fn *ssa.Function, i int, field *types.Var) (out []summary.Check) {
	c := p.Comparison(fn)
	c.open = true
	c.terms = fn
	c.add(fn.Params[i], field)
	if c.Found() || c.lostCells && p.ChecksTime(fn) {
		return []summary.Check{{Param: i}}
	}
	for _, j := range c.with {
		out = append(out, summary.Check{Param: i, With: j + 1})
	}
	for _, h := range c.kept {
		returned := summary.Check{Param: i, Returned: true, Left: h.Left}
		if h.Field != nil {
			returned.Field = h.Field.Name()
		}
		// What makes objects of times, step by step, is not followed: what decodes cells is.
		if h.Param == 0 && (h.Field == nil || field == cellTime) && !slices.Contains(out, returned) {
			out = append(out, returned)
		}
	}
	return out
}
