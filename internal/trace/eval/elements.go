package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An elementOf is the key of the choice of an element of a list.
type elementOf struct {
	call ssa.Instruction
	list string
}

func (p *Settler) anyElement(v *value.Value, call ssa.Instruction) *value.Value {
	list := v.Args[0].Base()
	if list.Kind != value.List || len(list.Args) == 0 {
		return v
	}
	known, open := way.Members(list)
	n := len(known)
	if n == 0 {
		return v
	}
	if open {
		n++
	}
	if i := p.Way.Choose(elementOf{call, list.String()}, n); i < len(known) {
		return known[i]
	}
	return value.UnknownFor(way.UnknownElement)
}

// either resolves a value that hangs on a condition: both are chosen where the
// condition is none of parameters, which callers know.
func (p *Settler) either(v *value.Value, call ssa.Instruction) *value.Value {
	holds, ok := instant.Decide(v.Args[0])
	if !ok {
		if v.Args[0].HasParams() || p.Way.Frozen() {
			return v
		}
		holds = p.Way.Choose(elementOf{call, v.Args[0].String()}, 2) == 1
	}
	if holds {
		return v.Args[1]
	}
	return v.Args[2]
}

// firstOf chooses the first element of a list of which it is open, for some,
// whether they are in it.
func (p *Settler) firstOf(v *value.Value, call ssa.Instruction) *value.Value {
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
	if len(elements) == 0 || p.Way.Frozen() {
		return v
	}
	pick := p.Way.Choose(elementOf{call, list.String()}, len(elements))
	for i, c := range conds[:pick+1] {
		if c != nil && c.HasParams() {
			p.Way.Guards = append(p.Way.Guards, summary.Guard{Cond: c, Want: i == pick})
		}
	}
	return elements[pick]
}
