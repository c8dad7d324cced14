package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxHandedCases bounds the combinations of what calls a function with what that
// does.
const maxHandedCases = 32

// A handed is a call that hands a function over to one that calls it: what the
// function does is done at the call, with what the other calls it with.
type handed struct {
	call   ssa.CallInstruction
	target program.Target
	effect *effect       // of the one that is called: a callback
	callee *ssa.Function // the same; nil of another package
	runs   program.Target
	of     []*value.Value // of each case of what is done: the object or function, as the callee sees it
	does   []summary.Case // what the function does, whoever calls it
}

// handedOver returns the events of what functions do that a call hands over to
// one that calls them; and e, the callback, as far as that call's own callers say
// what is called.
func (p *Tracer) handedOver(e *event.Event, call ssa.CallInstruction, t program.Target, effect *effect, callee *ssa.Function) []*event.Event {
	p.edited(e.Link.Open)
	p.edited(e.Cases)
	var out []*event.Event
	var seen []program.Target
	for _, c := range append(e.Link.Open[:len(e.Link.Open):len(e.Link.Open)], e.Cases...) {
		runs, ok := p.runBy(c.Args)
		if !ok || p.runsAnyway(effect.src, runs) || slices.ContainsFunc(seen, func(s program.Target) bool { return sameTarget(s, runs) }) {
			continue
		}
		seen = append(seen, runs)
		out = append(out, p.does(&handed{call: call, target: t, effect: effect, callee: callee, runs: runs})...)
	}
	if e = open(e); e != nil {
		out = append(out, e)
	}
	return out
}

// runsAnyway reports whether a callback of this package is known to run a function
// whoever calls: what that does is judged there.
func (p *Tracer) runsAnyway(callback *event.Event, runs program.Target) bool {
	for ; callback != nil; callback = callback.Source {
		if call, ok := callback.Instr.(ssa.CallInstruction); ok && callback.Source == nil {
			return slices.ContainsFunc(p.Eval.Targets(call), func(t program.Target) bool { return t.API == "" && t.Fn == runs.Fn && t.Obj == runs.Obj })
		}
	}
	return false
}

// does returns the events of what a function does that is handed over.
func (p *Tracer) does(h *handed) []*event.Event {
	var out []*event.Event
	switch {
	case h.runs.API != "":
		if does := clientDoes(h.runs.API, h.effect); does != nil {
			out = p.doneAt(h, does, nil)
		}
	case h.runs.Fn != nil:
		p.handed[h.runs.Fn] = append(p.handed[h.runs.Fn], h)
		for _, does := range slices.Clone(p.effects[h.runs.Fn]) {
			out = append(out, p.doneAt(h, does, h.runs.Fn)...)
		}
	case h.runs.Obj != nil:
		if s := p.Prog.Imported(h.runs.Obj); s != nil {
			for _, does := range s.Effects {
				if event.OfTimes(does.Op) {
					continue // wrong there, whoever asks for it, and not at this call
				}
				out = append(out, p.doneAt(h, &effect{Effect: does}, nil)...)
			}
		}
	}
	return out
}

// handedDoes returns the events of a new effect of a function at the calls that
// hand it over.
func (p *Tracer) handedDoes(fn *ssa.Function, does *effect) []*event.Event {
	var out []*event.Event
	for _, h := range slices.Clone(p.handed[fn]) {
		out = append(out, p.doneAt(h, does, fn)...)
	}
	return out
}

// doneAt returns the event of one thing that a function does which is handed over:
// at the call that does so. fn is the function, nil of another package.
func (p *Tracer) doneAt(h *handed, does *effect, fn *ssa.Function) []*event.Event {
	depth := h.effect.Depth + 1 + does.Depth
	uses := does.Uses
	uses.Returned = false // what becomes of those rows is known where it is called
	if does.OnlyTable || depth >= maxEffectDepth || uses.Outside() || len(uses.FamilyParams)+len(uses.Given) > 0 {
		return nil
	}
	if h.runs.API == "" && !takes(does, fn, h.runs) && !changes(does, h.runs) {
		return nil // wrong or right, it is the function's own, or its object's
	}
	if does.Uses.Returned {
		uses = uses.With(h.effect.Uses)
		uses.FamilyParams = h.effect.Uses.FamilyParams
	}
	done := *does
	done.Depth, done.Cases, done.Feeds, done.Uses = depth, nil, nil, uses
	if h.runs.API != "" {
		done.Depth = h.effect.Depth
	}
	done.viaField = does.viaField || h.effect.viaField
	done.Stores = does.Stores || h.effect.Stores
	at := &handed{call: h.call, target: h.target, effect: h.effect, callee: h.callee, runs: h.runs, does: does.Cases}
	for _, c := range h.effect.Cases {
		given, table := event.CalledWith(c)
		if name, _ := c.Args[0].IsStr(); name != "" || h.runs.Recv != nil {
			given = append([]*value.Value{receiverOf(c.Args[1], name)}, given...)
		}
		given = summary.Case{Args: given}.With(func(v *value.Value) *value.Value { return p.Prog.Sites.Resited(v, h.call, h.callee) }).Args
		if table != nil {
			table = p.Prog.Sites.Resited(table, h.call, h.callee)
		}
		bind := memory.Binder(given, fn)
		if fn != nil && p.Eval.IsClosure(fn) {
			own := bind
			bind = func(leaf *value.Value) *value.Value {
				if v := own(leaf); v != nil {
					return v
				}
				return eval.CapturedOf(c.Args[1], leaf, fn)
			}
		}
		for _, d := range does.Cases {
			given := d.With(func(a *value.Value) *value.Value { return p.Prog.Sites.Resited(a, h.call, fn).Subst(bind) })
			n := summary.Case{
				Args:   event.DoneTo(table, does.Op, d.Args, given.Args),
				Guards: slices.Concat(c.Guards, bound(d.Guards, bind)),
				When:   slices.Concat(c.When, bound(d.When, bind)),
			}
			done.Cases, at.of = append(done.Cases, n), append(at.of, c.Args[1])
		}
		for _, i := range does.Feeds {
			if i < len(given) && given[i].Base().Kind == value.Param {
				done.Feeds = append(done.Feeds, int(given[i].Base().Num))
			}
		}
	}
	if len(done.Cases) == 0 || len(done.Cases) > maxHandedCases {
		return nil
	}
	if h.runs.API != "" || h.effect.Stores || h.supplies(done.Cases, does) {
		done.Where = h.effect.Where
	}
	done.runs = at
	return p.derivedEvents(h.call, h.target, &done, h.callee)
}

// supplies reports whether what a method does which is called has nothing from those who
// hand its object over: what is wrong is given to it where it is called.
func (h *handed) supplies(done []summary.Case, does *effect) bool {
	name, _ := h.effect.Cases[0].Args[0].IsStr()
	return name != "" && !event.OfTimes(does.Op) && !changes(does, h.runs) && !slices.ContainsFunc(done, func(c summary.Case) bool {
		return slices.ContainsFunc(withoutObjects(does.Op, c).Args, (*value.Value).HasParams)
	})
}

// bound returns conditions with what a call gives.
func bound(guards []summary.Guard, bind func(*value.Value) *value.Value) (out []summary.Guard) {
	for _, g := range guards {
		out = append(out, summary.Guard{Cond: g.Cond.Subst(bind), Want: g.Want})
	}
	return out
}

// takes reports whether what a function does, to whichever mutation, hangs on what
// it is called with beside that and, of a method, its object: a read on its filter. What
// is done with cells hangs on those alone, and on cells nothing else.
func takes(does *effect, fn *ssa.Function, runs program.Target) bool {
	if sig := runs.Signature(); !event.OfTimes(does.Op) && !kind.TakesCommands(sig) && !kind.TakesFilters(sig) {
		return false
	}
	first := int64(0)
	if fn != nil && fn.Signature.Recv() != nil || runs.Obj != nil && runs.Obj.Signature().Recv() != nil {
		first = 1
	}
	given := func(v *value.Value) bool {
		return v.Has(func(w *value.Value) bool {
			return w.Kind == value.Param && w.Num >= first && (fn == nil && w.Site == nil || fn != nil && w.Site == any(fn))
		})
	}
	return slices.ContainsFunc(does.Cases, func(c summary.Case) bool {
		args := event.OwnArgs(does.Op, c.Args)
		switch {
		case len(args) == 0 || event.OfTimes(does.Op):
		case does.Op == btapi.ReadRow || does.Op == btapi.ReadRows:
			args = args[len(args)-1:] // the filter
		default:
			args = args[1:]
		}
		return slices.ContainsFunc(args, given)
	})
}

// receiverOf returns what a method is called on: the object, or that of a method
// value, which is known at the call only.
func receiverOf(of *value.Value, method string) *value.Value {
	if method != "" {
		return of
	}
	return value.Apply(value.Receiver, of)
}

// clientDoes returns what a function of the client's does that is called with the
// arguments of a callback: a write or a deletion.
func clientDoes(api string, callback *effect) *effect {
	if _, relevant := btapi.Relevant(api); !relevant || !event.IsWrite(api) || len(callback.Cases) == 0 {
		return nil
	}
	c := summary.Case{}
	with, _ := event.CalledWith(callback.Cases[0])
	for i := range len(with) + 1 {
		c.Args = append(c.Args, &value.Value{Kind: value.Param, Num: int64(i)})
	}
	return &effect{Effect: summary.Effect{Op: api, Cases: []summary.Case{c}}}
}

// by reports whether what is called in one case, on one way, is the function that
// is meant.
func (h *handed) by(p *Tracer, q *eval.Path, i int, bind func(*value.Value) *value.Value, call ssa.Instruction) bool {
	if h == nil {
		return true
	}
	name, _ := h.effect.Cases[0].Args[0].IsStr()
	runs, ok := p.runBy([]*value.Value{value.StrOf(name), q.Settler.Force(q.Settler.Settle(h.of[i].Subst(bind), call), 4)})
	return ok && sameTarget(runs, h.runs)
}

// runBy finds what a callback of those arguments runs.
func (p *Tracer) runBy(args []*value.Value) (program.Target, bool) {
	if len(args) < 2 {
		return program.Target{}, false
	}
	of := args[1].Base()
	name, _ := args[0].IsStr()
	t, ok := p.Eval.Callee(of, name)
	if recv := t.Recv; recv != nil && t.Obj != nil && types.IsInterface(t.Obj.Signature().Recv().Type()) {
		t, ok = p.Eval.Callee(recv, t.Obj.Name())
		t.Recv = recv
	}
	if of = of.Function(); !ok && name == "" && of.Kind == value.Func { // of another package, where its name is all there is
		t.Obj = p.Prog.Names.FuncNamed(of.Name)
	}
	return t, t.API != "" || t.Fn != nil || t.Obj != nil
}

// sameTarget reports whether two calls run the same function.
func sameTarget(a, b program.Target) bool {
	return a.API == b.API && a.Fn == b.Fn && a.Obj == b.Obj && (a.Recv != nil) == (b.Recv != nil)
}
