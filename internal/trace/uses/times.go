package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Comparison looks for where the times of some cells are compared with a time that is
// not another cell's. It follows the times, and what holds them: cells, and structs in
// whose fields they are kept. To keep a time is no check; it is one where the struct goes
// to what compares the field with a time.
type Comparison struct {
	prog  *program.Program
	times *CellTimes
	*forward
	asked *ssa.Function // what it returns, its callers follow, each its own
	kept  []Held        // where what it returns and is given holds such a time
	// terms is the function whose callers know the functions that it is given: handed says
	// which of those get cells. Without one, any that callers give counts.
	terms  *ssa.Function
	handed []summary.Handed
	// open is set to leave it to callers whether what asked is given is a moment: with are
	// the parameters with which a time is compared.
	open bool
	with []int
	// filler is the call that filled the objects which are looked at.
	filler    ssa.CallInstruction
	lostCells bool // cells went where they are not followed
	found     bool
	cell      map[cellAt]bool // what [Comparison.fromCell] has found
	// Perhaps is set where an object goes to a function that callers give: one in the
	// package may compare it.
	Perhaps bool
}

func (p *CellTimes) Comparison(asked *ssa.Function) *Comparison {
	c := &Comparison{prog: p.prog, times: p, asked: asked, cell: map[cellAt]bool{}}
	c.forward = newForward(p.prog, c)
	return c
}

// Found reports whether one of the times that were added is compared with a time.
func (c *Comparison) Found() bool {
	c.run()
	for _, h := range c.kept {
		if !slices.Contains(c.times.times[c.asked], h) {
			c.times.times[c.asked] = append(c.times.times[c.asked], h)
		}
	}
	return c.found
}

func (c *Comparison) is(found bool) {
	c.found = c.found || found
	c.done = c.found
}

func (c *Comparison) visit(thing) bool { return true }

// carries reports whether values of a type may be or hold times of cells.
func (c *Comparison) carries(of types.Type, field *types.Var) bool {
	switch field {
	case nil:
		return mayHoldTime(of)
	case cellTime:
		return kind.CarriesCells(of) || kind.YieldsCells(of)
	}
	return holdsField(of, field)
}

// mayHoldTime reports whether a time can be in values of a type; an error has none.
func mayHoldTime(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return kind.MayBeTime(t)
	case *types.Slice:
		return mayHoldTime(u.Elem())
	}
	return !types.Identical(t, types.Universe.Lookup("error").Type())
}

func (c *Comparison) use(t thing, r ssa.Instruction) bool {
	if t.field != nil {
		switch r := r.(type) {
		case *ssa.Store:
			return boxed(t) && isElement(r.Addr) // for what prints
		case *ssa.Select:
			return true // to whoever is there: no check by itself
		}
		return false
	}
	switch r := r.(type) {
	case *ssa.BinOp:
		c.operand(t, r)
	case *ssa.MakeInterface, *ssa.Send: // printed, or out of sight
		return true
	}
	return false
}

func isElement(addr ssa.Value) bool {
	_, ok := addr.(*ssa.IndexAddr)
	return ok
}

// boxed reports whether a thing is in an interface: for what prints or encodes it.
func boxed(t thing) bool {
	_, ok := t.v.(*ssa.MakeInterface)
	return ok
}

// lost takes what is compared of whatever struct for what was followed; of cells, those
// that see them know.
func (c *Comparison) lost(t thing) {
	switch t.field {
	case nil:
	case cellTime:
		c.lostCells = true
	default:
		c.within(nil, func() {
			for _, load := range c.prog.FieldLoads[t.field] {
				c.add(load, nil)
			}
		})
	}
}

func (c *Comparison) returned(t thing, ret *ssa.Return) {
	own := t.in == nil && kind.Origin(ret.Parent()) == c.terms
	if c.asked == nil && own && (t.field == nil || t.field == cellTime) {
		c.handed = append(c.handed, summary.Handed{Times: t.field == nil, Left: t.left})
	} else if c.asked == nil || kind.Origin(ret.Parent()) != c.asked {
		c.toCallers(t, ret)
	} else if t.field != cellTime {
		c.kept = append(c.kept, Held{Field: t.field, Left: t.left})
	}
}

func (c *Comparison) filled(param *ssa.Parameter, field *types.Var) {
	if fn := kind.Origin(param.Parent()); c.asked != nil && fn == c.asked {
		c.kept = append(c.kept, Held{Param: kind.ParamIndex(param) + 1, Field: field, Left: c.at.left})
		return
	}
	c.within(nil, func() {
		for _, a := range c.prog.Given(param) {
			c.forward.kept(a, field)
		}
	})
}

func (c *Comparison) call(t thing, call ssa.CallInstruction) {
	if call == c.filler {
		return
	}
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if t.field == nil && kind.IsExtreme(b) {
			c.is(slices.ContainsFunc(common.Args, func(a ssa.Value) bool { return a != t.v && c.moment(a) }))
			c.results(call, nil)
		}
		return
	}
	target, ok := c.prog.Target(common)
	if ok && (!common.IsInvoke() || target.API != "") {
		c.runs(t, call, target, nil)
		return
	}
	if boxed(t) {
		return
	}
	found, open, known := c.times.callees(c.forward, common.Value, calledMethod(common), t.in, c.terms)
	for _, f := range found {
		if f.maker != nil {
			c.enters(f, t)
		} else {
			c.runs(t, call, f.given(common), f.made)
		}
	}
	switch {
	case c.hands(t, common, open) || known && len(found) > 0:
	case ok:
		c.runs(t, call, target, nil) // the only implementation in view
	default:
		c.unknownCall(t, call)
	}
}

// runs follows what is given to a function that a call runs.
func (c *Comparison) runs(t thing, call ssa.CallInstruction, target program.Target, made *frame) {
	if t.field == nil && target.Fn == nil {
		if _, list := t.v.Type().Underlying().(*types.Slice); list {
			c.is(true) // of what others do with lists of times, nothing is known
			return
		}
		if c.plain(t, call, target) {
			return
		}
	}
	if target.Fn != nil {
		c.enterWith(t, call, target, made)
		return
	}
	for i, a := range argumentsOf(target) {
		if a == t.v {
			c.foreign(t, call, target, i)
		}
	}
}

// hands records that cells, or times of them, go to functions that callers of the one in
// whose terms is asked give it, or keep in what they give.
func (c *Comparison) hands(t thing, common *ssa.CallCommon, open []*value.Value) bool {
	if t.field != nil && t.field != cellTime || len(open) == 0 {
		return false
	}
	for _, to := range open {
		c.handed = append(c.handed, summary.Handed{To: to, Method: calledMethod(common), Times: t.field == nil, Left: t.left})
	}
	return true
}

// unknownCall says what a call may do of which nothing tells what it runs.
func (c *Comparison) unknownCall(t thing, call ssa.CallInstruction) {
	common := call.Common()
	fns := c.functions(common.Value, 3)
	switch {
	case t.field == nil:
	case t.field == cellTime && len(fns) > 0:
		c.within(nil, func() {
			for _, fn := range fns {
				c.into(fn, t.field)
			}
		})
	case t.field != cellTime && !common.IsInvoke() && c.prog.ParamOf(common.Value) != nil: // what the function is given
		c.Perhaps = c.Perhaps || c.anywhere(t.field)
	default:
		c.lost(t)
	}
}

// anywhere reports whether a field is compared of whatever struct.
func (c *Comparison) anywhere(field *types.Var) bool {
	known, ok := c.times.compared[field]
	if !ok {
		c.times.compared[field] = false
		other := c.times.Comparison(c.asked)
		other.lost(thing{field: field})
		known = other.Found()
		c.times.compared[field] = known
	}
	return known
}

// Objects adds the objects that a call fills from a row which it is given, or reads:
// what it returns, what its arguments point to, and what it passes to the functions that
// it is given.
func (c *Comparison) Objects(call ssa.CallInstruction) *Comparison {
	c.filler = call
	for _, v := range resultsOf(call) {
		for _, f := range c.times.timesIn(v.Type()) {
			c.add(v, f)
		}
	}
	common := call.Common()
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	for _, a := range args {
		a = kind.Stripped(a)
		if kind.IsPointer(a.Type()) {
			for _, f := range c.times.timesIn(a.Type()) {
				c.forward.kept(a, f)
			}
			continue
		}
		for _, fn := range c.functions(a, 3) {
			for _, param := range fn.Params {
				for _, f := range c.times.timesIn(param.Type()) {
					c.add(param, f)
				}
			}
		}
	}
	return c
}

// functions returns the functions that a value may be, as callers in view give them.
func (c *Comparison) functions(v ssa.Value, depth int) (out []*ssa.Function) {
	if fn := functionOf(c.prog, v); fn != nil {
		return []*ssa.Function{fn}
	}
	if param, ok := v.(*ssa.Parameter); ok && depth > 0 {
		for _, a := range c.prog.Given(param) {
			out = append(out, c.functions(a, depth-1)...)
		}
	}
	return out
}
