package way

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// alternatives are the n among which a choice is made: the same loop over a list of which
// another number is known makes another.
type alternatives struct {
	key any
	n   int
}

// Picks returns what a run has chosen that is the same wherever it is asked: elements of
// loops, and edges that lead to what is behind branches.
func Picks(w *Way) summary.Picks {
	var picks summary.Picks
	for _, c := range w.choices[:w.next] {
		switch key := c.key.(type) {
		case loopKey:
		case *ssa.BasicBlock:
			if slices.ContainsFunc(key.Preds, key.Dominates) {
				continue // the head of a loop: in each turn another
			}
		default:
			continue
		}
		if picks == nil {
			picks = summary.Picks{}
		}
		picks[alternatives{c.key, c.n}] = []int{c.pick}
	}
	return picks
}
