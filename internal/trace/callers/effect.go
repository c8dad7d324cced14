package callers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An effect is what a function does, with where that is known from in the
// package being analysed.
type effect struct {
	summary.Effect
	src      *event.Event // the event that it comes from; nil of a function of another package
	viaField bool         // the values come by way of a field that a constructor or setter stores
	runs     *handed      // of what a function does that the call hands over: which that is

	calls []*event.Event // what it becomes at the calls of the function
}

// withRun returns a case of an effect, and with it what the call hands over that does it.
func (e *effect) withRun(i int) summary.Case {
	c := e.Cases[i]
	if e.runs != nil {
		c.Args = append(slices.Clip(c.Args), e.runs.of[i])
	}
	return c
}

// runsItself reports whether what is handed over is called by the function that is given it:
// what one calls of another package's supplies, that package does not know.
func (e *effect) runsItself() bool { return e.runs == nil || e.runs.effect.Depth == 0 }

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
		if known.covers(e) || known.leadsTo(e) {
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

// leadsTo reports whether another effect of what an object is given is the same, of a method
// that comes to it by this one's.
func (e *effect) leadsTo(other *effect) bool {
	return len(e.Methods) > 0 && len(other.Methods) > 0 && other.src.Source == e.src &&
		slices.EqualFunc(e.Cases, other.Cases, func(a, b summary.Case) bool {
			return given(e.Op, a) == given(e.Op, b) && summary.GuardString(a.Conditions()) == summary.GuardString(b.Conditions())
		})
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

// What an edit does is known at the call that makes it, and to what at the call that
// hands it to a function which runs it.

// editOnly reports whether a case hangs on nothing that an edit is given but its
// mutation, and it is the call that makes the edit, and no call of it in view, that
// says what the case is: nobody calls it, or the function that makes it returns it.
func (p *Tracer) editOnly(c summary.Case, edit *ssa.Function, mutation int64) bool {
	other := func(w *value.Value) bool { return w.Kind == value.Param && w.Site == any(edit) && w.Num != mutation }
	return !c.Has(other) && !slices.ContainsFunc(c.When, func(g summary.Guard) bool { return g.Cond.Has(other) }) && (len(p.Prog.Callers[edit]) == 0 || p.isReturned(edit, p.Prog.Sites.Site(edit)))
}

// ofMutation reports whether an operation is done to a mutation.
func ofMutation(op string) bool { return strings.HasPrefix(op, "bigtable.Mutation.") }

// changes reports whether a function changes the mutation with which it is called and
// it is the call that hands it over at which that is judged: not where an edit is
// made, nor where an object is filled or its constructor called.
func changes(does *effect, runs program.Target) bool {
	if !ofMutation(does.Op) || runs.Fn != nil && runs.Fn.Parent() != nil {
		return false
	}
	method := runs.Recv == nil && (runs.Fn != nil && runs.Fn.Signature.Recv() != nil || runs.Obj != nil && runs.Obj.Signature().Recv() != nil)
	return slices.ContainsFunc(does.Cases, func(c summary.Case) bool {
		return c.Args[0].Base().Kind == value.Param && !(method && slices.ContainsFunc(c.Args[1:], ofObject))
	})
}

// ofObject reports whether a value of a method hangs on its receiver.
func ofObject(v *value.Value) bool {
	return v.Has(func(w *value.Value) bool { return w.Kind == value.Param && w.Num == 0 })
}

// edited notes the mutations that an edit is given where it is called, or handed to a
// function that calls it.
func (p *Tracer) edited(cases []summary.Case) {
	for _, c := range cases {
		if len(c.Args) < 3 {
			continue
		}
		id := eval.Edited(c.Args[1])
		for _, a := range c.Args[2:] {
			if mut := kind.Root(a); id != "" && mut != "" && !slices.Contains(p.Edits[id], mut) {
				p.Edits[id] = append(p.Edits[id], mut)
			}
		}
	}
}
