package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a function does with rows and cells hangs on what it is given, where it calls that:
// a callback, a checker, a decoder. The function says which it calls with what; each call
// of it says what those are.

// handed follows cells, or rows, into what a call gives the function that hands them on.
func (u *useFinder) handed(call ssa.CallInstruction, t program.Target, h summary.Handed) {
	if h.To == nil {
		c := u.p.Times.Comparison(nil)
		c.at.left = h.Left
		if h.Times {
			c.results(call, nil)
		} else {
			c.results(call, cellTime)
		}
		u.compared(c, h.Of...)
		return
	}
	found, open, known := u.gets(call, t, h)
	u.hand(h, found, open, known)
}

// hand follows what is handed on into the functions that get it, those that stay open aside.
func (u *useFinder) hand(h summary.Handed, found []callee, open []*value.Value, known bool) {
	for _, to := range open {
		u.uses.AddHanded(summary.Handed{To: to, Method: h.Method, Rows: h.Rows, Times: h.Times, Left: h.Left, Of: h.Of})
	}
	for _, f := range found {
		if h.Rows {
			u.row(f)
		} else {
			u.cellsInto(f, h)
		}
	}
	if !known && h.Rows {
		u.handedOn()
	}
}

// gets returns the functions that get what is handed on, by a call.
func (u *useFinder) gets(call ssa.CallInstruction, t program.Target, h summary.Handed) (found []callee, open []*value.Value, known bool) {
	if h.To.Kind == value.Param && (t.Fn == nil || h.To.Site == any(t.Fn)) && t.Recv == nil && int(h.To.Num) < len(t.Args) {
		return u.p.Times.callees(u.forward, t.Args[h.To.Num], h.Method, nil, u.fn)
	}
	return u.p.Times.runsOf(h.Method, u.fn, func(q *eval.Path) *value.Value {
		return q.Settler.Settle(h.To.Subst(q.Reader.Arguments(t, call).Binder(t.Fn)), call)
	})
}

// runs finds the functions that a value may be, or an object's method: as the package shows
// them, where those are all; otherwise in terms of the function, whose callers give the rest.
func (u *useFinder) runs(v ssa.Value, method string, in *frame) (found []callee, open []*value.Value, known bool) {
	if found, _, known = u.p.Times.callees(u.forward, v, method, in, nil); known {
		return found, nil, true
	}
	return u.p.Times.callees(u.forward, v, method, in, u.fn)
}

// invoked follows a row into the functions that callers give, or the methods of an object
// that they give; false of others.
func (u *useFinder) invoked(call ssa.CallInstruction, of thing) bool {
	common := call.Common()
	found, open, known := u.runs(common.Value, calledMethod(common), of.in)
	if !known || len(found)+len(open) == 0 {
		return false
	}
	for _, f := range found {
		u.into(call, f.given(common), of)
	}
	for _, to := range open {
		u.uses.AddHanded(summary.Handed{To: to, Method: calledMethod(common), Rows: true})
	}
	return true
}

// PutByMaker finds what is done with rows that a method hands to what its receiver holds, in
// terms of the function that makes the receiver: it says what it puts there. known reports
// whether that is all.
func (p *Rows) PutByMaker(maker *ssa.Function, handed []summary.Handed) (uses summary.Uses, known bool) {
	results := p.eval.ResultsOf(maker)
	known = len(results) > 0
	uses = p.usesIn(maker, func(u *useFinder) {
		for _, h := range handed {
			for _, c := range results {
				found, open, all := p.Times.runsOf(h.Method, maker, func(q *eval.Path) *value.Value {
					return q.Settler.Settle(h.To.Subst(func(leaf *value.Value) *value.Value {
						if leaf.Kind == value.Param && leaf.Num == 0 {
							return c.Values[0]
						}
						return nil
					}), nil)
				})
				u.hand(h, found, open, true)
				known = known && all && len(found)+len(open) > 0
			}
		}
	})
	return uses, known
}

// row follows a row into a function that gets it.
func (u *useFinder) row(f callee) {
	if f.API == "bigtable.Row.Key" {
		u.uses.Keys = true
		return
	}
	if f.maker != nil {
		u.handedOn()
		return
	}
	uses, known := summary.Uses{}, false
	for i := range f.Signature().Params().Len() {
		if !kind.CarriesRow(f.Signature().Params().At(i).Type()) {
			continue
		}
		if f.Signature().Recv() != nil {
			i++
		}
		uses, known = u.does(f.Target, i, nil)
	}
	handed := uses.Handed
	if uses.Handed = nil; uses.Outside() || len(uses.FamilyParams)+len(uses.Given) > 0 {
		known = false // what its other arguments are, is out of view
	}
	uses = uses.Inside()
	for _, h := range handed {
		if f.of == nil || h.To == nil {
			continue
		}
		found, open, known := u.p.Times.runsOf(h.Method, u.fn, func(q *eval.Path) *value.Value {
			return q.Settler.Settle(h.To.Subst(memory.Binder([]*value.Value{f.of}, f.Fn)), nil)
		})
		u.hand(h, found, open, known)
	}
	uses.Returned = u.uses.Returned
	u.uses = u.uses.With(uses)
	if !known {
		u.handedOn()
	}
}

// cellsInto follows cells into a function that gets them.
func (u *useFinder) cellsInto(f callee, h summary.Handed) {
	c := u.p.Times.Comparison(nil)
	c.at.left = h.Left
	t := thing{field: cellTime}
	if h.Times {
		t.field = nil
	}
	c.enters(f, t)
	u.compared(c, h.Of...)
}

// usesByAny finds what is done with what a function hands on or leaves, where nobody in view
// calls it: what the package's types do whose methods may be meant.
func (p *Rows) usesByAny(fn *ssa.Function, uses summary.Uses) summary.Uses {
	u := p.newUseFinder(fn)
	for _, h := range uses.Handed {
		if h.To == nil {
			continue
		}
		found, _, _ := p.Times.runsOf(h.Method, nil, func(q *eval.Path) *value.Value { return q.Settler.Settle(h.To, nil) })
		u.hand(h, found, nil, true)
		if len(found) == 0 {
			u.uses.All = u.uses.All || h.Rows
		}
	}
	for _, k := range uses.Kept {
		u.inAny(k.Field)
	}
	return u.finish()
}

// A function may return the one that rows are given to: firstOf("token") is a
// parser. What that does hangs on what the outer function is given.

// ReturnsParser reports whether the only result of a function is a function
// that takes a row first.
func ReturnsParser(fn *ssa.Function) bool {
	res := fn.Signature.Results()
	if res.Len() != 1 {
		return false
	}
	sig, ok := res.At(0).Type().Underlying().(*types.Signature)
	return ok && sig.Params().Len() > 0 && kind.CarriesRow(sig.Params().At(0).Type())
}

// UsesOfReturned finds what the function that fn returns does with a row that
// it is given, in the terms of fn.
func (p *Rows) UsesOfReturned(fn *ssa.Function) summary.Uses {
	key := paramOf{fn: fn, index: summary.ByReturned}
	if u, ok := p.paramUses[key]; ok {
		return u
	}
	p.paramUses[key] = summary.Uses{All: true}
	uses := p.usesIn(fn, func(u *useFinder) {
		for _, ret := range kind.ReturnsOf(fn) {
			u.callback(kind.Stripped(ret.Results[0]))
		}
	})
	if uses.Outside() { // to one of fn's own parameters, to whoever supplied the row
		uses = uses.Inside()
		uses.All = true
	}
	p.paramUses[key] = uses
	return uses
}

// made follows a row into the function that a call returns; false where
// nothing is known of that.
func (u *useFinder) made(call *ssa.Call) bool {
	t, ok := u.p.prog.Target(&call.Call)
	switch {
	case !ok:
	case t.Fn != nil && ReturnsParser(t.Fn):
		u.bind(call, t, u.p.UsesOfReturned(t.Fn))
		return true
	case t.Obj != nil:
		if uses, ok := u.imported(t.Obj, summary.ByReturned, nil); ok {
			u.bind(call, t, uses)
			return true
		}
	}
	return false
}
