package way

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/value"
)

// loopKey is the key of the choice of an element in a loop.
type loopKey struct {
	loop any
	turn int
}

// keysKnown reports whether all keys of a map are known.
func keysKnown(m *value.Value) bool {
	for i := 0; i < len(m.Args); i += 2 {
		if !m.Args[i].Known() {
			return false
		}
	}
	return true
}

func (w *Way) LoopKey(loop any) any { return loopKey{loop, 0} }

// Turns returns what the loop with that header runs over, the key of its
// element, and how often it runs when the list or map is known; −1 otherwise.
func (w *Way) Turns(header *ssa.BasicBlock) (list *value.Value, key any, n int) {
	over, by, at := control.Elements(header)
	if over == nil {
		return nil, nil, -1
	}
	list = w.Eval(over, at)
	switch l := list.Base(); l.Kind {
	case value.Nil:
		return list, by, 0
	case value.Map:
		if l.Num != value.Uncounted || keysKnown(l) {
			return list, by, len(l.Args) / 2
		}
	case value.List:
		if n := value.Apply(value.Len, l); n.Kind == value.Int {
			return list, by, int(n.Num)
		}
	}
	return list, by, -1
}

// All resolves conditions all of which hold.
func (w *Way) All(conds []control.Condition) *value.Value {
	out := value.BoolOf(true)
	for _, c := range conds {
		out = and(out, w.condition(c))
	}
	return out
}

func and(a, b *value.Value) *value.Value {
	x, okX := instant.Decide(a)
	y, okY := instant.Decide(b)
	switch {
	case okX && x:
		return b
	case okY && y:
		return a
	case okX || okY:
		return value.BoolOf(false)
	}
	return value.Apply(value.Not, value.Apply(value.Or, not(a), not(b)))
}

func not(v *value.Value) *value.Value {
	if v.Is(value.Not) {
		return v.Args[0]
	}
	return value.Apply(value.Not, v)
}

// condition resolves a condition.
func (w *Way) condition(c control.Condition) *value.Value {
	if len(c.Or) > 0 {
		out := value.BoolOf(false)
		for _, o := range c.Or {
			if v := w.condition(o); out.Kind == value.Bool && out.Num == 0 {
				out = v
			} else {
				out = value.Apply(value.Or, out, v)
			}
		}
		return out
	}
	if w.conds.ofFailure(c.Cond) || turns(c.Cond) {
		return value.UnknownFor("whether a call fails")
	}
	v := w.Eval(c.Cond, nil)
	if holds, ok := instant.Decide(v); ok {
		return value.BoolOf(holds == c.Want)
	}
	if !c.Want {
		return not(v)
	}
	return v
}

// leaving returns the condition under which the loop is left over an edge in the turn
// that the way is in, and reports whether it hangs on no choice.
func (w *Way) leaving(header *ssa.BasicBlock, over [2]*ssa.BasicBlock) (stop *value.Value, decided bool) {
	decided = w.freeze(func() { stop = w.All(control.Conditions(header, over[0], over[1])) })
	return stop, decided
}

// leaves reports whether it is certain that the loop is left in the turn that
// the way is in.
func (w *Way) leaves(header *ssa.BasicBlock, exits [][2]*ssa.BasicBlock) bool {
	for _, e := range exits {
		stop, decided := w.leaving(header, e)
		if is, ok := instant.Decide(stop); ok && is && decided {
			return true
		}
	}
	return false
}

// Turn returns the turn of a loop that the way is in, where it has chosen one.
func (w *Way) Turn(loop any) (n int, ok bool) {
	n, ok = w.picked[w.LoopKey(loop)]
	return n, ok
}

// Unroll returns what n turns of a loop whose elements have that key make of
// its variable v, which is r before: turn is called in each turn, up to the one
// that leaves the loop. It returns nil where turn does.
func (w *Way) Unroll(v *ssa.Phi, key any, n int, r *value.Value, turn func(before *value.Value) *value.Value) *value.Value {
	exits := w.Prog.Graphs.Exits(v.Block())
	left := false
	for i := 0; i < n && r != nil && !left; i++ {
		r = w.InTurn(key, i, func() *value.Value {
			w.memo.set(v, r)
			if left = w.leaves(v.Block(), exits); left {
				return r
			}
			return turn(r)
		})
	}
	return r
}

// InTurn calls f in one turn of a loop whose elements have that key, of which the way
// has chosen none.
func (w *Way) InTurn(key any, turn int, f func() *value.Value) *value.Value {
	known, picked, assumed, alike := w.memo, w.picked, w.conds.assumed, w.conds.alike
	defer func() { w.memo, w.picked, w.conds.assumed, w.conds.alike = known, picked, assumed, alike }()
	w.memo, w.picked = newMemo(), maps.Clone(picked)
	w.picked[w.LoopKey(key)] = turn
	w.conds.assumeOnly(w.conds.lasting())
	return f()
}
