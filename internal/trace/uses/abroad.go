package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// foreign says what a function does that is out of view with its i-th argument.
func (c *Comparison) foreign(t thing, call ssa.CallInstruction, target program.Target, i int) {
	traced := target.Obj != nil && c.prog.Analysed(target.Obj)
	for _, check := range c.times.checksParam(target.Obj, i) {
		switch {
		case check.Field != "":
			c.holds(call, check, t.left)
		case check.Returned:
			for _, v := range resultsOf(call) {
				if c.carries(v.Type(), nil) {
					c.becomes(v, t.left || check.Left)
				}
			}
		case check.With == 0:
			c.is(true)
		case check.With <= len(target.Args) && target.Args[check.With-1] != nil:
			c.against(t, target.Args[check.With-1])
		}
	}
	switch {
	case t.field == nil && traced:
	case t.field == nil:
		v := call.Value()
		c.is(target.Obj != nil && v != nil && kind.IsBool(v.Type())) // expired(t)
	case t.field == cellTime || traced && opaque(target.Obj):
		// slices.DeleteFunc hands the cells on, and returns some.
		for _, a := range target.Args {
			c.handOn(t, a)
		}
		c.results(call, t.field)
	case traced == boxed(t): // of what is traced and not printed, its facts tell
		c.lost(t)
	}
}

// holds follows the fields of what a call returns in which it holds a time.
func (c *Comparison) holds(call ssa.CallInstruction, check summary.Check, left bool) {
	defer func(was bool) { c.at.left = was }(c.at.left)
	c.at.left = left || check.Left
	for _, v := range resultsOf(call) {
		for _, f := range fieldsIn(v.Type(), 4, func(f *types.Var, _ types.Type) bool { return f.Name() == check.Field && kind.MayBeTime(f.Type()) }) {
			c.add(v, f)
		}
	}
}

// handOn follows cells into a function, or the methods of an object, that is given
// beside them.
func (c *Comparison) handOn(t thing, a ssa.Value) {
	switch u := a.Type().Underlying().(type) {
	case *types.Signature:
		c.handTo(t, a, "") // slices.ContainsFunc(items, alive(now))
	case *types.Interface:
		for m := range u.Methods() {
			if slices.ContainsFunc(slices.Collect(m.Signature().Params().Variables()), func(v *types.Var) bool { return c.carries(v.Type(), t.field) }) {
				c.handTo(t, a, m.Name())
			}
		}
	}
}

// handTo follows what is followed into the functions that a value may be, or the method of
// an object.
func (c *Comparison) handTo(t thing, v ssa.Value, method string) {
	found, _, _ := c.times.callees(c.forward, v, method, t.in.of(v), c.terms)
	for _, f := range found {
		c.enters(f, t)
	}
}

// enters follows what is followed into a function that gets it.
func (c *Comparison) enters(f callee, t thing) {
	if f.Fn != nil {
		c.within(f.made, func() { c.into(f.Fn, t.field) })
	}
	if f.maker != nil && t.field == cellTime {
		c.is(len(c.times.checksParam(f.maker, summary.ByReturned)) > 0)
	}
	if f.Obj == nil || t.field != cellTime {
		return
	}
	for i := range f.Signature().Params().Len() + 1 {
		for _, check := range c.times.checksParam(f.Obj, i) {
			c.is(!check.Returned)
		}
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

// through follows a row, or one in a field of an object, through a function of another
// package that cannot look into it: into the functions that it is given beside that, and to
// what it returns. False where it may come out elsewhere.
func (u *useFinder) through(call ssa.CallInstruction, t program.Target, of thing) bool {
	if !opaque(t.Obj) || !u.p.prog.Analysed(t.Obj) {
		return false
	}
	out := false
	for _, v := range resultsOf(call) {
		held := RowsIn(v.Type())
		if u.carries(v.Type(), nil) {
			u.add(v, nil)
			out = true
		} else if len(held) == 0 && kind.Interesting(v.Type(), 4) {
			return false // a map of lists of rows
		}
		for _, f := range held {
			u.add(v, f)
			out = true
		}
	}
	for _, a := range t.Args {
		sig, ok := a.Type().Underlying().(*types.Signature)
		if !ok || kind.Yielded(sig) != nil {
			if a != of.v && kind.IsPointer(a.Type()) && len(RowsIn(a.Type())) > 0 {
				return false // which may keep it
			}
			continue
		}
		for param := range sig.Params().Variables() {
			if u.carries(param.Type(), nil) {
				u.callback(a)
				out = true
			}
			for _, f := range RowsIn(param.Type()) {
				if !u.given(a, f) {
					return false
				}
				out = true
			}
		}
	}
	u.gone = u.gone || out && of.field != nil // what a literal returns of its cells
	return out
}

// sorted follows rows that the standard library sorts or filters into the
// function literals that it is given, and out again; false of other calls.
func (u *useFinder) sorted(call ssa.CallInstruction) bool {
	fn := kind.CalledFunc(call.Common())
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sort" && fn.Pkg().Path() != "slices" {
		return false
	}
	for _, a := range call.Common().Args {
		if _, ok := kind.Stripped(a).Type().Underlying().(*types.Signature); ok && !u.given(a, nil) {
			u.handedOn()
		}
	}
	u.results(call, nil)
	return true
}
