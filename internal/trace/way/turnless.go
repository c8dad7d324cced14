package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
)

// A run that takes what a variable held before a loop has taken no turn of it:
// the counters of the loop are where they start, and what it runs over is
// empty, unless the run is at a place in the loop.

// Turnless returns the edge by which a run reaches the loop of a phi from
// before it, when that is what the run has chosen.
func (w *Way) Turnless(header *ssa.BasicBlock) (edge int, ok bool) {
	edge, ok = w.picked[header]
	if !ok || edge >= len(header.Preds) || header.Dominates(header.Preds[edge]) || !control.IsHeader(header) {
		return 0, false
	}
	return edge, true
}

// empties lists what the run has shown to be empty: what the loops run over of
// which it has taken no turn.
func (w *Way) empties() map[ssa.Value]bool {
	out := map[ssa.Value]bool{}
	for key := range w.picked {
		header, ok := key.(*ssa.BasicBlock)
		if !ok || w.place == nil || header.Parent() != w.place.Parent() || w.Prog.Graphs.InLoop(w.place, header) {
			continue
		}
		if _, ok := w.Turnless(header); !ok {
			continue
		}
		if over := control.RunsOver(header); over != nil {
			out[over] = true
		}
	}
	return out
}

// Past reports whether the run's event stands behind the loop with that header
// rather than in it.
func (w *Way) Past(header *ssa.BasicBlock) bool {
	return w.place == nil || w.place.Parent() != header.Parent() || !w.Prog.Graphs.InLoop(w.place, header)
}

// In returns the function in which the run's event stands, nil where that is not
// known.
func (w *Way) In() *ssa.Function {
	if w.place == nil {
		return nil
	}
	return w.place.Parent()
}
