package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A way out of a loop: over the edge from one block to another.
type wayOut struct {
	header, from, to *ssa.BasicBlock
	chooses          bool // a value among others, rather than whether the event happens
}

// leave records that control leaves a loop.
func (w *Way) leave(from, to *ssa.BasicBlock, chooses bool) {
	if h := w.Prog.Graphs.Header(from, to); h != nil {
		for i, o := range w.exits {
			if o.header == h && o.from == from && o.to == to {
				w.exits[i].chooses = o.chooses || chooses
				return
			}
		}
		w.exits = append(w.exits, wayOut{h, from, to, chooses})
	}
}

// missed reports whether the choices of the run contradict the loops that it
// has left: to choose an element implies that no turn before left the loop, to
// leave it by its end that none did.
func (w *Way) missed() bool {
	upTo := map[*ssa.BasicBlock]int{}
	for key, k := range w.picked {
		if lk, ok := key.(loopKey); ok {
			if phi, ok := lk.loop.(*ssa.Phi); ok {
				upTo[phi.Block()] = max(upTo[phi.Block()], k)
			}
		}
	}
	for _, left := range w.exits {
		if left.from == left.header {
			if _, _, n := w.turnsFrozen(left.header); n > 0 {
				upTo[left.header] = n
			}
		}
	}
	for header, n := range upTo {
		for _, stop := range w.stopsBefore(header, min(n, MaxElements)) {
			if is, ok := instant.Decide(stop); ok && is {
				return true
			}
		}
	}
	for _, left := range w.exits {
		if left.from != left.header {
			continue
		}
		// What a parameter decides is its caller's to tell.
		for _, stop := range w.stopsBefore(left.header, min(upTo[left.header], MaxElements)) {
			switch {
			case !stop.HasParams() || varies(stop):
			case left.chooses:
				w.Guards = append(w.Guards, summary.Guard{Cond: stop})
			default:
				w.When = append(w.When, summary.Guard{Cond: stop})
			}
		}
	}
	return false
}

// stopsBefore returns the conditions under which the first n turns of a loop leave it,
// as far as they are known.
func (w *Way) stopsBefore(header *ssa.BasicBlock, n int) (stops []*value.Value) {
	exits := w.Prog.Graphs.Exits(header)
	if n == 0 || len(exits) == 0 {
		return nil
	}
	_, key, known := w.turnsFrozen(header)
	if known < 0 {
		return nil
	}
	if _, ok := key.(*ssa.Phi); !ok {
		return nil // maps have no order
	}
	for i := range n {
		w.InTurn(key, i, func() *value.Value {
			for _, e := range exits {
				if stop, decided := w.leaving(header, e); decided {
					stops = append(stops, stop)
				}
			}
			return nil
		})
	}
	return stops
}

// searched returns values with the element of a list that is not known yet,
// at which a loop was left, as the first of which the loop's condition holds.
func (w *Way) searched(vs []*value.Value) []*value.Value {
	for _, left := range w.exits {
		list, _, n := w.turnsFrozen(left.header)
		if n >= 0 || list == nil || !list.HasParams() || list.Base().Kind == value.List || value.HasIt(list) {
			continue
		}
		exits := w.Prog.Graphs.Exits(left.header)
		if len(exits) == 0 {
			continue
		}
		stop, ok := w.stops(left.header, exits, list)
		if !ok {
			continue
		}
		if left.from != left.header {
			for _, e := range exits {
				ok = ok && e[1] == left.to
			}
			if !ok {
				continue
			}
		}
		found := value.Apply(value.Where, list, stop, value.It)
		any := value.Apply(value.Gtr, value.Apply(value.Len, found), value.IntOf(0))
		guard := summary.Guard{Cond: any, Want: left.from != left.header}
		if left.from == left.header {
			if !left.chooses {
				w.When = append(w.When, guard)
			} else if value.HasIt(stop) {
				w.Guards = append(w.Guards, guard)
			}
			continue
		}
		w.Guards = append(w.Guards, guard)
		first := value.Apply(value.Index, found, value.IntOf(0))
		out := make([]*value.Value, len(vs))
		for i, v := range vs {
			out[i] = value.Over(v, list, first)
		}
		vs = out
	}
	return vs
}

// stops returns the condition over [value.It] under which a turn leaves a
// loop over a list.
func (w *Way) stops(header *ssa.BasicBlock, exits [][2]*ssa.BasicBlock, list *value.Value) (*value.Value, bool) {
	aside := w.memo
	defer func() { w.memo = aside }()
	w.memo = newMemo()
	var stop *value.Value
	all := true
	for _, e := range exits {
		c, decided := w.leaving(header, e)
		if all = all && decided; stop == nil {
			stop = c
		} else {
			stop = value.Apply(value.Or, stop, c)
		}
	}
	return value.Over(stop, list, value.It), all
}

// turnsFrozen is like Turns, without making choices.
func (w *Way) turnsFrozen(header *ssa.BasicBlock) (list *value.Value, key any, n int) {
	if !w.freeze(func() { list, key, n = w.Turns(header) }) {
		return nil, nil, -1
	}
	return list, key, n
}
