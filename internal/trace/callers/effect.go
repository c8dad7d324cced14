package callers

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

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
	effect effect
}

// addEffect records an effect of a function, once, and reports whether it is
// new.
func (p *Tracer) addEffect(fn *ssa.Function, e effect) bool {
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
	summary.Share(e.Cases)
	p.effectKeys[fn][key] = true
	p.effects[fn] = append(p.effects[fn], e)
	return true
}

// effectKey tells apart effects, wherever the client's call stands.
func effectKey(e effect) string {
	var key strings.Builder
	key.WriteString(e.Op)
	for _, c := range e.Cases {
		key.WriteString(summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(c.Args))
	}
	return key.String()
}
