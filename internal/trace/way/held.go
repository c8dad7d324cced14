package way

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// AssumeHeld records what the result of a call that the way has taken hangs on: a
// condition that the call is given, or what a function literal takes from the functions
// around it.
func (w *Way) AssumeHeld(h summary.Held) {
	if h.Cond != nil {
		w.assume(h.Cond, h.Want, &w.Guards)
		return
	}
	if pick, ok := w.picked[h.Key]; ok {
		w.Blocked = w.Blocked || pick != h.Pick
	} else if !w.frozen {
		w.picked[h.Key] = h.Pick
	}
}

// Held returns what a way through a function literal takes from the functions around it,
// which holds for whoever calls it: conditions, and the turns of their loops.
func (w *Way) Held(literal *ssa.Function) (out []summary.Held) {
	for cond, want := range w.conds.assumed {
		if !w.conds.varying[cond] && (program.Captured(w.Prog, cond) || w.around(literal, cond)) {
			out = append(out, summary.Held{Cond: cond, Want: want})
		}
	}
	slices.SortFunc(out, func(a, b summary.Held) int { return cmp.Compare(a.Cond.Pos(), b.Cond.Pos()) })
	var turns []summary.Held
	for key, pick := range w.picked {
		if k, ok := key.(loopKey); ok && k.turn == 0 {
			if loop, ok := k.loop.(ssa.Value); ok && kind.Within(literal, loop.Parent()) {
				turns = append(turns, summary.Held{Key: key, Pick: pick})
			}
		}
	}
	slices.SortFunc(turns, func(a, b summary.Held) int { return cmp.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
	return append(out, turns...)
}

// around reports whether a condition is of a function around a literal, where it has one
// truth: what the literal reads was set under it.
func (w *Way) around(literal *ssa.Function, cond ssa.Value) bool {
	instr, ok := cond.(ssa.Instruction)
	return ok && instr.Parent() != literal && kind.Within(literal, instr.Parent()) && (!w.Prog.Graphs.Repeats(instr.Block()) || program.Steady(w.Prog, cond))
}
