package callers

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Limits of what is handed on to callers.
const (
	maxEffects     = 512 // of one function
	maxEffectDepth = 10  // calls between a function and the client's call
	maxRounds      = 1   // of a recursion: what more of them make of values is no other write, read or policy
	// maxCallback bounds the steps for what one callback becomes at the calls of its
	// function, of the callers of that, and so on. The most that one took in thirty code
	// bases, but for one that had no end, was 70,000.
	maxCallback = 100_000
)

// derive hands the events of functions on to their callers, as far as they
// depend on what callers supply, and returns the events at those calls.
func (p *Tracer) derive(events []*event.Event) (all []*event.Event) {
	work := slices.Clone(events)
	// Calls of functions of other packages come first: their events are
	// handed on like the client's own.
	for abroad := range p.Client.Abroad {
		for i := range abroad.Does.Effects {
			work = append(work, p.derivedEvents(abroad.Call, abroad.Target, &effect{Effect: abroad.Does.Effects[i]}, nil)...)
		}
	}
	p.noteKnown(work)
	all = handOn(work, func(e *event.Event) []*event.Event { return p.atCalls(p.effectsOf(e)) })
	p.noteKnown(all)
	all = p.toldOnce(all)
	for _, e := range all {
		if e.Op == btapi.ReadRow || e.Op == btapi.ReadRows {
			at := p.Prog.Sites.Site(e.Instr)
			p.reads[at] = append(p.reads[at], e)
		}
	}
	handOn(all, func(e *event.Event) []*event.Event { return p.atCalls(p.onlyTableEffects(e)) })
	return slices.DeleteFunc(all, func(e *event.Event) bool { return e.Op == event.Callback })
}

// handOn returns events and all that they lead to.
func handOn(work []*event.Event, leadsTo func(*event.Event) []*event.Event) []*event.Event {
	work = slices.Clone(work)
	for i := 0; i < len(work); i++ {
		work = append(work, leadsTo(work[i])...)
	}
	return work
}

// atCalls returns the events that effects of functions, those that are new, become at
// the calls that run the functions, or hand them over.
func (p *Tracer) atCalls(effects []ownedEffect) (found []*event.Event) {
	for _, owned := range effects {
		if !p.addEffect(owned.fn, owned.effect) {
			continue
		}
		done := p.handedDoes(owned.fn, owned.effect)
		for _, call := range p.Prog.Callers[owned.fn] {
			if call.Common().IsInvoke() && p.nested(call, owned.fn) {
				continue
			}
			for _, t := range p.Eval.Targets(call) {
				if t.Fn == owned.fn {
					done = append(done, p.derivedEvents(call, t, owned.effect, owned.fn)...)
				}
			}
		}
		for _, call := range p.Prog.Invokes[owned.fn] {
			if p.derivable(call, owned) {
				t := program.Target{Fn: owned.fn, Args: append([]ssa.Value{call.Common().Value}, call.Common().Args...)}
				done = append(done, p.derivedEvents(call, t, owned.effect, owned.fn)...)
			}
		}
		for _, e := range done {
			if e.Source == owned.effect.src {
				owned.effect.calls = append(owned.effect.calls, e)
			}
		}
		found = append(found, done...)
	}
	return found
}

// effectsOf returns what the event means to callers: of its own function and
// of constructors whose arguments reach it by way of a field.
func (p *Tracer) effectsOf(e *event.Event) []ownedEffect {
	if e.Depth >= maxEffectDepth || e.Link.Open == nil || e.Op == event.Conf || e.OnlyTable {
		return nil
	}
	if p.judgedThere(e) {
		return nil
	}
	byOwner := map[*ssa.Function][]summary.Case{}
	viaField := map[*ssa.Function]bool{}
	var fns []*ssa.Function
	add := func(c summary.Case) {
		if !event.MayBeOfCell(e.Op, c.Args) {
			return
		}
		owner := p.ownerOf(e.Op, c, e.In)
		if owner == nil && !e.ViaField && event.GivenTable(e.Op, c) == e.In {
			owner = e.In // of constructors, see onlyTables
		}
		if owner == nil {
			return
		}
		if byOwner[owner] == nil {
			fns = append(fns, owner)
		}
		byOwner[owner] = append(byOwner[owner], c)
	}
	for _, c := range e.Link.Open {
		add(ofOneRun(e.Op, p.withoutUncalled(c), e.In))
		if f, mixed := owners(e.Op, c); !mixed && p.uncalled(f) {
			add(c) // of a literal, for those who hand it over
		}
	}
	supplied, beside := p.supplied(e)
	for _, c := range supplied {
		viaField[p.ownerOf(e.Op, c, e.In)] = true
		add(c)
	}
	for owner := range viaField {
		byOwner[owner] = append(byOwner[owner], beside...)
	}
	var out []ownedEffect
	for _, owner := range fns {
		uses, methods := e.Uses, []string(nil)
		if owner != e.In && owner == kind.Outermost(e.In) {
			uses = p.Client.Rows.Outwards(e.In, uses)
		} else if viaField[owner] {
			methods = p.methods(e, owner)
			// Those who call the method know, not those who make the object.
			if uses.Handed = uses.OfObject().Handed; len(uses.Handed)+len(uses.Kept) > 0 {
				uses = uses.With(e.Link.CallerUses).Inside()
			}
			uses = p.Client.Rows.ByMaker(owner, uses)
		}
		out = append(out, ownedEffect{owner, &effect{
			Effect:   summary.Effect{Op: e.Op, Cases: byOwner[owner], Where: p.where(e), Depth: e.Depth, Uses: uses, Feeds: p.feedsOf(e, owner), Stores: viaField[owner] || e.ViaField || e.Link.Effect != nil && e.Link.Effect.Stores, Helper: e.Helper, Methods: methods},
			src:      e,
			viaField: viaField[owner] || e.ViaField,
		}})
	}
	return out
}

// where says in which file and line the client's call stands.
func (p *Tracer) where(e *event.Event) string {
	if e.Where != "" {
		return e.Where
	}
	pos := p.Prog.Pass.Fset.Position(e.Pos())
	return place.Of(pos)
}

// derivedEvents returns the events that an effect of the callee becomes at a
// call: none when the call rules it out or supplies nothing to it, and what a
// function does that the call hands over. callee is nil for a function of another
// package.
func (p *Tracer) derivedEvents(call ssa.CallInstruction, t program.Target, effect *effect, callee *ssa.Function) []*event.Event {
	if effect.rounds(call) >= maxRounds || len(effect.Methods) > 0 && p.objects.Spares(call, effect.Methods) {
		return nil
	}
	if effect.Op == event.Callback && effect.src != nil {
		first := effect.src.Root()
		if p.callbackSteps[first] > p.maxCallback {
			return nil
		}
		before := p.Eval.Steps()
		defer func() { p.callbackSteps[first] += p.Eval.Steps() - before }()
	}
	e := p.derivedEvent(call, t, effect, callee)
	switch {
	case e == nil:
		return nil
	case e.Op == event.Callback:
		return p.handedOver(e, call, t, effect, callee)
	}
	return []*event.Event{e}
}

func (p *Tracer) derivedEvent(call ssa.CallInstruction, t program.Target, effect *effect, callee *ssa.Function) *event.Event {
	fn := call.Parent()
	e := p.Client.NewEvent(effect.Op, fn, call)
	e.Call = p.Prog.Syntax.Calls[call.Common().Pos()]
	if e.Call == nil {
		return nil
	}
	e.Node, e.Target, e.Source = e.Call, t, effect.src
	e.Reached, e.Where, e.Depth = effect.Cases, effect.Where, effect.Depth+1
	e.ViaField, e.Link.Effect, e.Helper = effect.viaField, &effect.Effect, effect.Helper
	if e.OnlyTable = effect.OnlyTable; e.OnlyTable && (p.Prog.IsTest(call.Pos()) || callee == nil && effect.Method != "" && p.promoted(call)) {
		return nil // a test's table is one of several
	}
	e.Link.Dispatched = p.Dispatches(call)
	e.Link.GivesNothing = p.receivers.GivesNothing(call, t, callee, effect.Cases)
	for _, i := range effect.Feeds {
		if t.Recv == nil && i < len(t.Args) {
			e.Applied = append(e.Applied, t.Args[i])
		}
	}
	if effect.src != nil {
		e.Reached = effect.src.Cases
	} else if effect.runs != nil {
		e.Reached = effect.runs.does
	}
	e.Link.Handed = effect.runs != nil
	var supplied []map[int]ast.Expr
	for _, c := range effect.Cases {
		supplied = append(supplied, suppliedBy(c, e, callee))
	}
	resolved := false
	private := effect.Stores && callee == nil && p.opens(call)
	e.Injected = p.injects(call, callee) || p.Prog.IsTest(call.Pos()) && effect.src != nil && effect.src.Injected
	found := e.Find(func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(call.Block(), nil, &q.Way.When)
		args := q.Reader.Arguments(t, call)
		if p.receivers.RunsAnother(call, t, args) || p.runsAnotherFunction(q, call, t) {
			q.Way.Blocked = true
			return nil
		}
		if is := p.receivers.TypedAs(call, callee, args); is != nil {
			q.Way.When = append(q.Way.When, summary.Guard{Cond: is, Want: true})
		}
		if is := p.Eval.LookedUpAs(call, t); is != nil {
			q.Way.When = append(q.Way.When, summary.Guard{Cond: is, Want: true})
		}
		bind := q.BindCaptured(args.Binder(callee), call, callee)
		binding := q.Reader.Binding(bind, call)
		type bound struct {
			i            int
			guards, when []summary.Guard
		}
		var open []bound
		for i, c := range effect.Cases {
			if !effect.runs.by(p, q, i, bind, call) {
				continue
			}
			guards, ok := binding.Guards(c.Guards)
			when, ok2 := binding.Guards(c.When)
			if ok && ok2 {
				open = append(open, bound{i, guards, when})
			}
		}
		if len(open) == 0 {
			q.Way.Blocked = true
			return nil
		}
		b := open[q.Way.Choose(effect, len(open))]
		q.Way.Guards = append(q.Way.Guards, b.guards...)
		q.Way.When = append(q.Way.When, b.when...)
		q.Supplied, q.Reached = supplied[b.i], effect.Cases[b.i].Picks()
		knows, _ := binding.Tells(effect.Cases[b.i].Guards)
		e.Link.Tells = e.Link.Tells || knows
		q.MadeAt = p.receivers.Constructor(e, q, effect.Cases[b.i], args, callee)
		if effect.runs != nil {
			handedBy(e, q, effect.runs.of[b.i], bind)
		}
		e.Link.Elsewhere = !effect.viaField && effect.runsItself() && p.receivers.ToldElsewhere(t, &effect.Effect, effect.withRun(b.i), args) && (e.Link.Elsewhere || !resolved)
		resolved = true
		if binding.Uncertain(effect.Cases[b.i].Guards) {
			return eval.UnknownCase(len(effect.Cases[b.i].Args), "values that hang on an option of which it is not known what it sets").Args
		}
		var out []*value.Value
		for _, a := range effect.Cases[b.i].Args {
			if private {
				a = withoutLeftOut(a, args)
			}
			if effect.runs == nil {
				a = p.Prog.Sites.Resited(a, call, callee)
			}
			if e.Injected {
				a = q.WithoutTestClocks(a, bind, call)
			}
			v := q.Settler.Force(q.Settler.Settle(a.Subst(bind), call), 4)
			if v.OfNone() {
				q.Way.Blocked = true // a loop over a list that is empty has no turn
				return nil
			}
			if e.Injected {
				v = withoutInjected(effect.Op, v, a)
			}
			out = append(out, v)
		}
		if effect.runs == nil && !effect.viaField {
			out = p.Client.WithTable(q, effect.Op, effect.Cases[b.i].Args, out, call, t)
		}
		if effect.Op == event.Callback {
			return q.Settler.FromSender(out, call)
		}
		if p.Client.StandsIn(call.Pos(), effect.Op, args.All, out) {
			q.Way.Blocked = true
			return nil
		}
		if e.Injected && p.Client.GivesFakeTable(args.All()) {
			out = event.WithFake(effect.Op, effect.Cases[b.i].Args, out)
		}
		return p.Client.OrFakes(effect.Op, out)
	})
	if !found {
		if effect.src != nil && !effect.viaField && effect.runs == nil && !p.Prog.IsTest(call.Pos()) {
			effect.src.Link.Spared = true
		}
		return nil
	}
	e.Uses, e.ReachedUses = effect.Uses, effect.Uses
	if e.Uses.Outside() || len(e.Uses.FamilyParams)+len(e.Uses.Given) > 0 {
		e.Uses = p.Client.Rows.UsesAt(call, t, e.Uses)
		if e.Uses.Outside() {
			e.Link.CallerUses = p.Client.Rows.UsesByCallers(fn, e.Uses, 4)
		}
		p.purge(e, call, t, effect.Uses)
	}
	if (e.Op == btapi.ReadRow || e.Op == btapi.ReadRows) && !e.Uses.Checked && p.Client.Rows.ChecksObjects(call) {
		e.Uses.Checked, e.Uses.CheckedOf = true, nil
	}
	switch {
	case effect.src == nil:
	case e.OnlyTable:
		effect.src.Link.Givers = append(effect.src.Link.Givers, e)
	default:
		effect.src.Link.Derived = append(effect.src.Link.Derived, e)
	}
	return e
}

// suppliedBy finds which arguments of an event are arguments of its call as
// they stand.
func suppliedBy(c summary.Case, e *event.Event, callee *ssa.Function) map[int]ast.Expr {
	m := map[int]ast.Expr{}
	for i, a := range c.Args {
		b := a.Base()
		if b.Kind != value.Param || callee != nil && b.Site != any(callee) {
			continue
		}
		if expr := e.Target.ArgumentExpr(e.Call, e.Instr, int(b.Num)); expr != nil {
			m[i] = expr
		}
	}
	return m
}

// Effects returns what a function of the package does, as far as it depends
// on its callers, or befalls a mutation that it returns.
func (p *Tracer) Effects(fn *ssa.Function) []summary.Effect {
	var out []summary.Effect
	for _, e := range p.effects[fn] {
		if e.src != nil && p.judgedThere(e.src) {
			continue
		}
		does := e.Effect
		if e.src != nil {
			does.Again = e.src.Again
			if e.Op != event.Callback { // it is judged by nobody
				does.Told, does.ToldUses = p.told(e)
			}
		}
		out = append(out, does)
	}
	return out
}

// feedsOf returns the parameters of a function that hold what an application
// in it applies.
func (p *Tracer) feedsOf(e *event.Event, owner *ssa.Function) []int {
	var out []int
	for _, v := range e.Applied {
		for _, i := range p.Client.Flows.ContentsOf(v).Of(owner) {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}
