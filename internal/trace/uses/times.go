package uses

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Comparison looks for where the times of some cells are compared with a time that is
// not another cell's. It follows the times, and what holds them: cells, and structs in
// whose fields they are kept. To keep a time is no check; it is one where the struct goes
// to what compares the field with a time.
type Comparison struct {
	*CellTimes
	*forward
	asked *ssa.Function // what it returns, its callers follow, each its own
	kept  []Held        // where what it returns and is given holds such a time
	// filler is the call that filled the objects which are looked at.
	filler    ssa.CallInstruction
	lostCells bool // cells went where they are not followed
	found     bool
	// Perhaps is set where an object goes to a function that callers give: one in the
	// package may compare it.
	Perhaps bool
}

func (p *CellTimes) Comparison(asked *ssa.Function) *Comparison {
	c := &Comparison{CellTimes: p, asked: asked}
	c.forward = newForward(p.Program, c)
	return c
}

// Found reports whether one of the times that were added is compared with a time.
func (c *Comparison) Found() bool {
	c.run()
	for _, h := range c.kept {
		if !slices.Contains(c.times[c.asked], h) {
			c.times[c.asked] = append(c.times[c.asked], h)
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
		return mayBeTime(t)
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
		other := r.X
		if other == t.v {
			other = r.Y
		}
		switch r.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			c.is(!c.fromCell(other, 6) && !smallConst(other))
		case token.ADD, token.SUB, token.MUL, token.QUO:
			c.add(r, nil)
		}
	case *ssa.MakeInterface, *ssa.Send: // printed, or out of sight
		return true
	case *ssa.Store:
		c.is(r.Val == t.v && isElement(r.Addr)) // of what is made of lists of times, nothing is known
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
		for _, load := range c.FieldLoads[t.field] {
			c.add(load, nil)
		}
	}
}

func (c *Comparison) returned(t thing, ret *ssa.Return) {
	if c.asked == nil || kind.Origin(ret.Parent()) != c.asked {
		c.toCallers(t, ret)
	} else if t.field != cellTime {
		c.kept = append(c.kept, Held{Field: t.field})
	}
}

func (c *Comparison) filled(param *ssa.Parameter, field *types.Var) {
	if fn := kind.Origin(param.Parent()); c.asked != nil && fn == c.asked {
		c.kept = append(c.kept, Held{Param: kind.ParamIndex(param) + 1, Field: field})
		return
	}
	for _, a := range c.arguments(param) {
		c.forward.kept(a, field)
	}
}

// ofTimes are the functions of the standard library and the client that make another
// time of one.
var ofTimes = map[string]bool{
	"bigtable.Timestamp.Time": true, "time.Time.Add": true, "time.Time.UnixMilli": true, "time.Time.Unix": true, "time.Time.UTC": true, "time.Time.Truncate": true,
}

func (c *Comparison) call(t thing, call ssa.CallInstruction) {
	if call == c.filler {
		return
	}
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if t.field == nil && kind.IsExtreme(b) {
			c.is(slices.ContainsFunc(common.Args, func(a ssa.Value) bool { return a != t.v && !kind.IsConst(a) && !c.fromCell(a, 6) }))
			c.results(call, nil)
		}
		return
	}
	target, ok := c.Target(common)
	switch {
	case !ok:
		c.unknownCall(t, call)
		return
	case t.field == nil && ofTimes[target.API]:
		c.results(call, nil)
		return
	case t.field == nil && c.compares(t.v, call, target):
		return
	}
	for i, a := range target.Args {
		switch {
		case a != t.v:
		case target.Fn != nil && i < len(target.Fn.Params):
			c.add(target.Fn.Params[i], t.field)
		case target.Fn == nil:
			c.foreign(t, call, target, i)
		}
	}
}

// compares follows a time into one of the functions that compare two; false of others.
func (c *Comparison) compares(v ssa.Value, call ssa.CallInstruction, t program.Target) bool {
	switch t.API {
	case "time.Time.Before", "time.Time.After", "time.Time.Compare":
		c.is(!slices.ContainsFunc(t.Args, func(a ssa.Value) bool { return a != v && c.fromCell(a, 6) }))
	case "time.Since", "time.Until", "time.Time.Sub":
		// An age or a remaining life that is compared in its turn.
		for _, r := range *call.Value().Referrers() {
			if b, ok := r.(*ssa.BinOp); ok && b.Op != token.ADD && b.Op != token.SUB {
				c.is(true)
			}
		}
		c.add(call.Value(), nil)
	default:
		return false
	}
	return true
}

// unknownCall says what a call may do of which only values tell what it runs.
func (c *Comparison) unknownCall(t thing, call ssa.CallInstruction) {
	switch common := call.Common(); {
	case t.field == nil || boxed(t) || c.yields(common, t.field):
	case t.field == cellTime && c.isCheck(common.Value):
		c.is(true) // keep := alive(now); keep(it)
	case t.field == cellTime && len(c.functions(common.Value, 3)) > 0:
		for _, fn := range c.functions(common.Value, 3) {
			c.given(fn, t.field)
		}
	case t.field != cellTime && c.givenFunction(common):
		c.Perhaps = c.Perhaps || c.anywhere(t.field)
	default:
		c.lost(t)
	}
}

// isCheck reports whether a function value is what a call makes that compares the time
// of a cell.
func (c *Comparison) isCheck(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return c.makesCheck(v)
	case *ssa.ChangeType:
		return c.isCheck(v.X)
	case *ssa.UnOp: // held by a variable
		if root, path := c.forward.p.Address(v.X); len(path) == 0 && len(c.forward.p.Stores[root]) == 1 && c.forward.p.Stores[root][0].Val != ssa.Value(v) {
			return c.isCheck(c.forward.p.Stores[root][0].Val)
		}
	}
	return false
}

// anywhere reports whether a field is compared of whatever struct.
func (c *Comparison) anywhere(field *types.Var) bool {
	known, ok := c.compared[field]
	if !ok {
		c.compared[field] = false
		other := c.CellTimes.Comparison(c.asked)
		other.lost(thing{nil, field})
		known = other.Found()
		c.compared[field] = known
	}
	return known
}

// foreign says what a function does that is out of view with its i-th argument.
func (c *Comparison) foreign(t thing, call ssa.CallInstruction, target program.Target, i int) {
	traced := target.Obj != nil && c.Analysed(target.Obj)
	switch {
	case target.Obj != nil && c.checksParam(target.Obj, i):
		c.is(true)
	case t.field == nil:
		v := call.Value()
		c.is(target.Obj != nil && !traced && target.Obj.Name() != "IsZero" && v != nil && kind.IsBool(v.Type())) // expired(t)
	case t.field == cellTime || traced && opaque(target.Obj):
		// slices.DeleteFunc hands the cells on, and returns some.
		for _, a := range call.Common().Args {
			made, ok := a.(*ssa.Call)
			c.is(ok && c.makesCheck(made)) // slices.ContainsFunc(items, alive(now))
			c.given(a, t.field)
		}
		c.results(call, t.field)
	case traced && !boxed(t):
		c.mayCompare(call, target)
	case traced || !boxed(t):
		c.lost(t)
	}
}

// opaque reports whether a function is generic and cannot look into what it is given:
// no type parameter has methods.
func opaque(fn *types.Func) bool {
	sig := fn.Origin().Signature()
	n := 0
	for _, params := range []*types.TypeParamList{sig.TypeParams(), sig.RecvTypeParams()} {
		for tp := range params.TypeParams() {
			if n++; tp.Constraint().Underlying().(*types.Interface).NumMethods() > 0 {
				return false
			}
		}
	}
	return n > 0
}

// mayCompare follows what a function of another package returns that is given a
// struct with a time: that may be the time, or say whether it is past.
func (c *Comparison) mayCompare(call ssa.CallInstruction, target program.Target) {
	for result := range target.Obj.Signature().Results().Variables() {
		if t := result.Type(); mayHoldTime(t) {
			c.is(call.Value() == nil || kind.ClassOf(t) == value.NoClass)
			c.results(call, nil)
			return
		}
	}
}

// givenFunction reports whether what is called is a function that is given to the one
// in which the call stands, or to one around that.
func (c *Comparison) givenFunction(common *ssa.CallCommon) bool {
	return !common.IsInvoke() && c.ParamOf(common.Value) != nil
}

// Objects adds the objects that a call fills from a row which it is given, or reads:
// what it returns, what its arguments point to, and what it passes to the functions that
// it is given.
func (c *Comparison) Objects(call ssa.CallInstruction) *Comparison {
	c.filler = call
	for _, v := range resultsOf(call) {
		for _, f := range c.timesIn(v.Type()) {
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
			for _, f := range c.timesIn(a.Type()) {
				c.forward.kept(a, f)
			}
			continue
		}
		for _, fn := range c.functions(a, 3) {
			for _, param := range fn.Params {
				for _, f := range c.timesIn(param.Type()) {
					c.add(param, f)
				}
			}
		}
	}
	return c
}

// functions returns the functions that a value may be, as callers in view give them.
func (c *Comparison) functions(v ssa.Value, depth int) (out []*ssa.Function) {
	if fn := functionOf(c.Program, v); fn != nil {
		return []*ssa.Function{fn}
	}
	if param, ok := v.(*ssa.Parameter); ok && depth > 0 {
		for _, a := range c.arguments(param) {
			out = append(out, c.functions(a, depth-1)...)
		}
	}
	return out
}
