package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

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
		for ret := range kind.ReturnsOf(fn) {
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
