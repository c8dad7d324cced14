package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A way out of a loop: over the edge from one block to another.
type wayOut struct{ header, from, to *ssa.BasicBlock }

// leave records that control leaves a loop.
func (p *Path) leave(from, to *ssa.BasicBlock) {
	if h := p.p.Header(from, to); h != nil {
		w := wayOut{h, from, to}
		for _, o := range p.ways {
			if o == w {
				return
			}
		}
		p.ways = append(p.ways, w)
	}
}

// missed reports whether the choices of the run contradict the loops that it
// has left: to choose an element implies that no turn before left the loop, to
// leave it by its end that none did.
func (p *Path) missed() bool {
	upTo := map[*ssa.BasicBlock]int{}
	for key, k := range p.picked {
		if lk, ok := key.(loopKey); ok {
			if phi, ok := lk.loop.(*ssa.Phi); ok {
				upTo[phi.Block()] = max(upTo[phi.Block()], k)
			}
		}
	}
	for _, w := range p.ways {
		if w.from == w.header {
			if _, _, n := p.turnsFrozen(w.header); n > 0 {
				upTo[w.header] = n
			}
		}
	}
	for header, n := range upTo {
		if p.leftBefore(header, min(n, maxElements)) {
			return true
		}
	}
	return false
}

// leftBefore reports whether one of the first n turns of a loop certainly
// leaves it.
func (p *Path) leftBefore(header *ssa.BasicBlock, n int) bool {
	if n == 0 {
		return false
	}
	exits := p.p.Exits(header)
	if len(exits) == 0 {
		return false
	}
	_, key, known := p.turnsFrozen(header)
	if known < 0 {
		return false
	}
	if _, ok := key.(*ssa.Phi); !ok {
		return false // maps have no order
	}
	k := p.loopKey(key)
	picked, was := p.picked[k]
	memo := p.memo
	defer func() {
		if p.memo = memo; was {
			p.picked[k] = picked
		} else {
			delete(p.picked, k)
		}
	}()
	p.memo = map[ssa.Value]*value.Value{}
	for i := 0; i < n; i++ {
		p.picked[k] = i
		if p.leaves(header, exits) {
			return true
		}
	}
	return false
}

// searched returns values with the element of a list that is not known yet,
// at which a loop was left, as the first of which the loop's condition holds.
func (p *Path) searched(vs []*value.Value) []*value.Value {
	for _, w := range p.ways {
		list, _, n := p.turnsFrozen(w.header)
		if n >= 0 || list == nil || !list.HasParams() || list.Base().Kind == value.List || value.HasIt(list) {
			continue
		}
		exits := p.p.Exits(w.header)
		if len(exits) == 0 {
			continue
		}
		stop, ok := p.stops(w.header, exits, list)
		if !ok {
			continue
		}
		if w.from != w.header {
			for _, e := range exits {
				ok = ok && e[1] == w.to
			}
			if !ok {
				continue
			}
		}
		found := value.Apply(value.Where, list, stop, value.It)
		any := value.Apply(value.Gtr, value.Apply(value.Len, found), value.IntOf(0))
		p.Guards = append(p.Guards, summary.Guard{Cond: any, Want: w.from != w.header})
		if w.from == w.header {
			continue
		}
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
func (p *Path) stops(header *ssa.BasicBlock, exits [][2]*ssa.BasicBlock, list *value.Value) (*value.Value, bool) {
	memo, frozen, undecided := p.memo, p.frozen, p.undecided
	defer func() { p.memo, p.frozen, p.undecided = memo, frozen, undecided }()
	p.frozen, p.undecided = true, false
	p.memo = map[ssa.Value]*value.Value{}
	var stop *value.Value
	for _, e := range exits {
		c := p.all(program.Conditions(header, e[0], e[1]))
		if stop == nil {
			stop = c
		} else {
			stop = value.Apply(value.Or, stop, c)
		}
	}
	return value.Over(stop, list, value.It), !p.undecided
}

// turnsFrozen is like turns, without making choices.
func (p *Path) turnsFrozen(header *ssa.BasicBlock) (list *value.Value, key any, n int) {
	memo, frozen, undecided := p.memo, p.frozen, p.undecided
	defer func() { p.memo, p.frozen, p.undecided = memo, frozen, undecided }()
	p.frozen, p.undecided = true, false
	p.memo = map[ssa.Value]*value.Value{}
	for k, v := range memo {
		p.memo[k] = v
	}
	list, key, n = p.turns(header)
	if p.undecided {
		return nil, nil, -1
	}
	return list, key, n
}

// firstOf chooses the first element of a list of which it is open, for some,
// whether they are in it.
func (p *Path) firstOf(v *value.Value, call ssa.Instruction) *value.Value {
	list := v.Args[0].Base()
	if i, ok := v.Args[1].IsInt(); !ok || i != 0 || list.Kind != value.List {
		return v
	}
	var elements, conds []*value.Value
	for _, e := range list.Args {
		if !e.Is(value.Spread) {
			elements, conds = append(elements, e), append(conds, nil)
			break
		}
		element, cond, ok := value.Maybe(e)
		if !ok {
			return v
		}
		elements, conds = append(elements, element), append(conds, cond)
	}
	if len(elements) == 0 || p.frozen {
		return v
	}
	pick := p.Choose(elementOf{call, list.String()}, len(elements))
	for i, c := range conds[:pick+1] {
		if c != nil && c.HasParams() {
			p.Guards = append(p.Guards, summary.Guard{Cond: c, Want: i == pick})
		}
	}
	return elements[pick]
}

// ofCollected reports whether a condition hangs on a list of which it is not
// known, and no parameter says, which elements it has.
func ofCollected(cond *value.Value) bool {
	found := false
	cond.Walk(func(v *value.Value) { found = found || v.Is(value.Where) })
	return found && !cond.HasParams()
}
