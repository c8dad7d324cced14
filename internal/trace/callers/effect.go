package callers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// An effect is what a function does, with where that is known from in the
// package being analysed.
type effect struct {
	summary.Effect
	src      *event.Event // the event that it comes from; nil of a function of another package
	viaField bool         // the values come by way of a field that a constructor or setter stores
	ifBehind bool         // it happens only if decorators are known to pass the call on to the function
	runs     *handed      // of what a function does that the call hands over: which that is

	calls []*event.Event // what it becomes at the calls of the function
}

// rounds counts how often a call has handed the effect on already.
func (e *effect) rounds(call ssa.CallInstruction) (n int) {
	for at := e.src; at != nil; at = at.Source {
		if at.Instr == ssa.Instruction(call) {
			n++
		}
	}
	return n
}

// An ownedEffect is an effect with the function that has it.
type ownedEffect struct {
	fn     *ssa.Function
	effect *effect
}

// addEffect records an effect of a function, once, and reports whether it is
// new. A read that comes to the same as a known one, by another way, is not: its calls
// are the known one's.
func (p *Tracer) addEffect(fn *ssa.Function, e *effect) bool {
	key := effectKey(e)
	place := key + "@" + e.Where
	if e.src != nil {
		place += fmt.Sprint(":", e.src.Pos()) // two of one line
	}
	if p.effectKeys[fn] == nil {
		p.effectKeys[fn] = map[string]bool{}
	}
	if p.effectKeys[fn][place] || len(p.effects[fn]) >= maxEffects {
		return false
	}
	p.effectKeys[fn][place] = true
	p.effectKeys[fn][key] = true
	for _, known := range p.effects[fn] {
		if known.covers(e) {
			e.src.Link.Derived = append(e.src.Link.Derived, known.calls...)
			e.src.Link.Spared = e.src.Link.Spared || known.src.Link.Spared
			return false
		}
	}
	summary.Share(e.Cases)
	p.effects[fn] = append(p.effects[fn], e)
	return true
}

// covers reports whether callers learn nothing from another effect: it is the same read
// of the client, in the same function, and nothing arrives there that does not arrive
// here. Of writes it counts how often they happen.
func (e *effect) covers(other *effect) bool {
	if e.Op != other.Op || e.Where != other.Where || e.Op != btapi.ReadRow && e.Op != btapi.ReadRows || !e.plain() || !other.plain() ||
		e.Helper != other.Helper || !reflect.DeepEqual(e.Uses, other.Uses) {
		return false
	}
	for _, c := range other.Cases {
		if !slices.ContainsFunc(e.Cases, func(own summary.Case) bool { return own.Implies(c) }) {
			return false
		}
	}
	return true
}

// plain reports whether an effect comes from a call in its function, and gives what the
// callers of that do.
func (e *effect) plain() bool {
	return e.src != nil && !e.viaField && !e.Stores && !e.OnlyTable && e.runs == nil && len(e.Uses.Given)+len(e.Uses.Handed) == 0
}

// effectKey tells apart effects, wherever the client's call stands.
func effectKey(e *effect) string {
	var key strings.Builder
	key.WriteString(e.Op)
	for _, c := range e.Cases {
		key.WriteString(summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(c.Args))
	}
	return key.String()
}
