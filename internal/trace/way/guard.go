package way

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// AssumeBlock records the branch conditions under which block is reached
// from the dominator stop (exclusive; nil for the function's entry, and of a function
// literal that is called where it stands those under which that is).
func (w *Way) AssumeBlock(block, stop *ssa.BasicBlock, guards *[]summary.Guard) {
	if stop == nil && w.place == nil {
		w.place = block
	}
	for b, n := block, 0; b != nil && b != stop && n < maxConditions; b, n = b.Idom(), n+1 {
		switch len(b.Preds) {
		case 0:
		case 1:
			w.assumeEdge(b.Preds[0], b, guards)
		default:
			w.assumeAny(b, guards)
		}
	}
	if mc := w.Prog.Closures[block.Parent()]; stop == nil && mc != nil {
		for _, r := range *mc.Referrers() {
			if call, ok := r.(*ssa.Call); ok && call.Call.Value == ssa.Value(mc) {
				w.AssumeBlock(call.Block(), nil, guards)
			}
		}
	}
}

// assumeAny records that one of the conditions holds under which control
// passes to a block, where each of its edges has one: case "a", "b".
func (w *Way) assumeAny(b *ssa.BasicBlock, guards *[]summary.Guard) {
	if w.frozen {
		return
	}
	var edges []control.Condition
	for _, from := range b.Preds {
		c, ok := control.Edge(from, b)
		if !ok || turns(c.Cond) || w.conds.ofFailure(c.Cond) || w.before != nil && w.before(c.Cond) {
			return
		}
		edges = append(edges, c)
	}
	var any *value.Value
	for _, c := range edges {
		v, decided := w.EvalFrozen(c.Cond)
		if !decided || varies(v) {
			// What it hangs on is chosen later.
			w.either[b] = true
			return
		}
		if !c.Want {
			v = value.Apply(value.Not, v)
		}
		if holds, ok := instant.Decide(v); ok {
			v = value.BoolOf(holds)
		}
		if any == nil {
			any = v
		} else {
			any = value.Apply(value.Or, any, v)
		}
	}
	if is, ok := instant.Decide(any); ok {
		w.Blocked = w.Blocked || !is
	} else if any.HasParams() {
		*guards = append(*guards, summary.Guard{Cond: any, Want: true})
	}
}

// noneHolds reports whether no edge into a block is taken, now that all
// choices are made.
func (w *Way) noneHolds(b *ssa.BasicBlock) bool {
	for _, from := range b.Preds {
		c, ok := control.Edge(from, b)
		if !ok {
			return false
		}
		v, decided := w.EvalFrozen(c.Cond)
		is, ok := instant.Decide(v)
		if !ok || !decided || is == c.Want {
			return false
		}
	}
	return true
}

// assumeEdge records the condition under which control passes from one block
// to another.
func (w *Way) assumeEdge(from, to *ssa.BasicBlock, guards *[]summary.Guard) {
	c, ok := control.Edge(from, to)
	if !ok {
		return
	}
	if !w.frozen {
		w.leave(from, to, guards != &w.When)
	}
	w.assume(c.Cond, c.Want, guards)
}

// AssumePhi records the conditions under which control reaches block by its
// i-th edge.
func (w *Way) AssumePhi(block *ssa.BasicBlock, i int) {
	pred := block.Preds[i]
	w.assumeEdge(pred, block, &w.Guards)
	w.AssumeBlock(pred, block.Idom(), &w.Guards)
}

// AssumeSkipped records the conditions under which control passes from one
// instruction (from the beginning, where it is nil) to another without
// running the others: if x == 0 { x = 1 } leaves an x that is not 0.
func (w *Way) AssumeSkipped(others []ssa.Instruction, from, to ssa.Instruction) {
	if to == nil {
		return
	}
	for _, o := range others {
		b := o.Block()
		if o.Parent() == to.Parent() {
			b = w.leads(b, to.Block())
		}
		w.skip(b, from, to)
		branch := b.Idom()
		if branch == nil || o.Parent() != to.Parent() || !branch.Dominates(to.Block()) || b.Dominates(to.Block()) || len(b.Preds) != 1 ||
			from != nil && (from.Parent() != o.Parent() || from.Block() == b || !w.Prog.Graphs.Precedes(from, o)) {
			continue
		}
		if w.Prog.Graphs.Reachable(b, branch) && !w.Prog.Graphs.Reachable(to.Block(), branch) {
			continue // a loop that is left in the end, whatever it has run
		}
		for _, s := range branch.Succs {
			if s != b {
				w.assumeEdge(branch, s, &w.Guards)
			}
		}
	}
}

// leads returns the first block of a branch from which all ways to another lead through
// b: what begins with a loop goes on after it.
func (w *Way) leads(b, to *ssa.BasicBlock) *ssa.BasicBlock {
	first := b
	for d := b.Idom(); d != nil && !d.Dominates(to); d = d.Idom() {
		if w.Prog.Graphs.ReachableWithout(b, d, to) {
			break
		}
		first = d
	}
	return first
}

// assume records that cond has that truth. It blocks the path when that
// contradicts what is known, and leaves a guard when parameters decide it.
func (w *Way) assume(cond ssa.Value, want bool, guards *[]summary.Guard) {
	if w.frozen {
		return // an alternative that was not chosen says nothing
	}
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		w.assume(not.X, !want, guards)
		return
	}
	if load, ok := cond.(*ssa.UnOp); ok && load.Op == token.MUL {
		if g, ok := load.X.(*ssa.Global); ok && g.Name() == "init$guard" {
			return
		}
	}
	if turns(cond) || w.before != nil && w.before(cond) {
		return
	}
	v, decided := value.UnknownFor("whether a call fails"), false
	if !w.conds.ofFailure(cond) {
		v, decided = w.EvalFrozen(cond)
	}
	if was, ok := w.conds.assumed[cond]; ok && was != want {
		_, constant := instant.Decide(v)
		if instr, ok := cond.(ssa.Instruction); ok && !(decided && constant) && w.Prog.Graphs.Repeats(instr.Block()) && !program.Steady(w.Prog, cond) {
			w.conds.varying[cond] = true // true in one turn, false in another
			return
		}
		w.Blocked = true
	}
	if w.conds.denied(cond, want) {
		w.Blocked = true
	}
	w.conds.note(cond, want)
	if !decided {
		w.open = append(w.open, openCondition{cond, guards})
		return
	}
	if is, ok := instant.Decide(v); ok {
		w.Blocked = w.Blocked || is != want
	} else if v.HasParams() {
		switch {
		case !varies(v) || replaced(cond):
			*guards = append(*guards, summary.Guard{Cond: v, Want: want})
		case !holds(v, value.Count):
			// Whoever supplies the list says what its elements are.
			*guards = append(*guards, summary.Guard{Cond: value.Apply(value.Turn, v), Want: want})
		}
	}
}

// EvalFrozen evaluates v without making choices, and reports whether none
// were needed.
func (w *Way) EvalFrozen(v ssa.Value) (r *value.Value, decided bool) {
	decided = w.freeze(func() { r = w.Eval(v, nil) })
	return r, decided
}

// decide makes the choices on which conditions hang that the way has left
// open: of switch len(list) the case 0 is taken with a list that was chosen
// to be empty only.
func (w *Way) decide() {
	for _, open := range w.open {
		cmp, ok := open.cond.(*ssa.BinOp)
		if !ok || len(w.choices) > maxDecided || !kind.IsConst(cmp.Y) {
			w.remember(open)
			continue
		}
		x := grownFrom(cmp.X)
		if call, ok := x.(*ssa.Call); ok && x == cmp.X && btapi.Type(call.Type()) == "bigtable.Filter" {
			w.Eval(x, nil) // if f := filter(); f != nil
			w.remember(open)
			continue
		}
		if _, ok := x.(*ssa.Phi); ok {
			w.Eval(x, nil)
			if x != cmp.X {
				w.remember(open)
			}
		}
	}
}

// grownFrom returns the list of which a value is the length, without what is
// appended to it last; the value itself where it is none.
func grownFrom(x ssa.Value) ssa.Value {
	for {
		call := kind.Builtin(x, "len", "append")
		if call == nil {
			return x
		}
		x = call.Call.Args[0]
	}
}

// An openCondition is a branch condition that could not be told when the way
// came by.
type openCondition struct {
	cond   ssa.Value
	guards *[]summary.Guard
}

// remember records a condition that was open, now that what it hangs on is
// chosen.
func (w *Way) remember(open openCondition) {
	v, decided := w.EvalFrozen(open.cond)
	if _, constant := instant.Decide(v); decided && !constant && v.HasParams() && !varies(v) {
		*open.guards = append(*open.guards, summary.Guard{Cond: v, Want: w.conds.assumed[open.cond]})
	}
}

// contradicted reports whether the choices of the run decide one of the
// conditions on the way otherwise than the way needs: len(list) == 1 where
// the list was chosen to have two elements.
func (w *Way) contradicted() bool {
	w.empty = w.empties()
	defer func() { w.empty = nil }()
	if len(w.picked) > 0 { // what no choice decides was decided when it was assumed
		for cond, want := range w.conds.assumed {
			if w.conds.varying[cond] || w.conds.ofFailure(cond) {
				continue
			}
			v, decided := w.EvalFrozen(cond)
			if is, ok := instant.Decide(v); ok && decided && is != want {
				return true
			}
		}
	}
	for b := range w.either {
		if w.noneHolds(b) {
			return true
		}
	}
	return w.torn() || w.idle() || w.opposed()
}

// opposed reports whether the way needs a condition on what the function is given both
// to hold and not to.
func (w *Way) opposed() bool {
	wanted := map[string]bool{}
	for _, guards := range [][]summary.Guard{w.When, w.Guards} {
		for _, g := range guards {
			if !g.Cond.Lasting() {
				continue
			}
			cond := g.Cond.String()
			if want, ok := wanted[cond]; ok && want != g.Want {
				return true
			}
			wanted[cond] = g.Want
		}
	}
	return false
}
