package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A function may return an iterator over rows, in this package or in another:
// what is done with them is done in the bodies of the loops over what a call of
// it returns, in each by itself.

// yields reports whether a call passes a row, v, on to whoever ranges over the
// iterator that a declared function returns, and notes that.
func (u *useFinder) yields(call *ssa.CallCommon, v ssa.Value) bool {
	yield := u.p.ParamOf(call.Value)
	if yield == nil {
		return false
	}
	literal := yield.Parent()
	maker := literal.Parent()
	if maker == nil || maker.Parent() != nil || kind.Origin(maker) != u.fn || kind.Yielded(literal.Signature) == nil || !kind.Returns(maker, literal) {
		return false
	}
	for i, a := range call.Args {
		if a != v {
			continue
		}
		if u.uses.Yields != 0 && u.uses.Yields != i+1 {
			u.handedOn()
		}
		u.uses.Yields = i + 1
	}
	return true
}

// usesOfYielded finds what is done with the rows of the iterator that a call
// returns.
func (p *Rows) usesOfYielded(call ssa.CallInstruction, i int) summary.Uses {
	u := p.NewUseFinder(call.Parent())
	u.yielded(call, i)
	return u.Finish()
}

// yielded follows the rows that the iterator which a call returns passes on as
// its i-th argument.
func (u *useFinder) yielded(call ssa.CallInstruction, i int) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	if kind.Yielded(v.Type()) != nil {
		u.iterator(v, i)
		return
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && kind.Yielded(e.Type()) != nil {
			u.iterator(e, i)
		}
	}
}

// iterator follows the rows that an iterator passes on as its i-th argument.
func (u *useFinder) iterator(v ssa.Value, i int) {
	if u.seen[v] || v.Referrers() == nil {
		return
	}
	u.seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeType:
			u.iterator(r, i)
		case *ssa.Store:
			a, ok := r.Addr.(*ssa.Alloc)
			if !ok || r.Val != v {
				u.handedOn()
				continue
			}
			u.held(a, i)
		case *ssa.Return:
			if kind.Origin(r.Parent()) != u.fn || u.uses.Yields != 0 && u.uses.Yields != i+1 {
				u.handedOn()
				continue
			}
			u.uses.Yields = i + 1
		case ssa.CallInstruction:
			u.looped(r, v, i)
		default:
			u.handedOn()
		}
	}
}

// held follows an iterator that a local variable holds, in function literals
// too.
func (u *useFinder) held(a ssa.Value, i int) {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			u.iterator(r, i)
		case *ssa.MakeClosure:
			for j, b := range r.Bindings {
				if b == a {
					u.held(r.Fn.(*ssa.Function).FreeVars[j], i)
				}
			}
		}
	}
}

// looped follows an iterator into the loop over it, or into the function that it
// is given to.
func (u *useFinder) looped(call ssa.CallInstruction, v ssa.Value, i int) {
	common := call.Common()
	if common.Value == v && !common.IsInvoke() {
		if len(common.Args) != 1 || !u.body(common.Args[0], i) {
			u.handedOn()
		}
		return
	}
	t, ok := u.p.Target(common)
	if !ok || t.Fn == nil {
		u.handedOn()
		return
	}
	for j, a := range t.Args {
		if a == v && j < len(t.Fn.Params) {
			w := u.p.NewUseFinder(t.Fn)
			w.depth = u.depth + 1
			if w.depth > 8 {
				u.handedOn()
				return
			}
			w.iterator(t.Fn.Params[j], i)
			u.Bind(call, t, w.Finish())
		}
	}
}
