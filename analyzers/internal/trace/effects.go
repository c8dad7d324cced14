package trace

import (
	"go/ast"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Limits of what is handed on to callers.
const (
	maxEffects     = 64 // of one function
	maxEffectDepth = 10 // calls between a function and the client's call
)

// An argument is what a call supplies to an event of its callee.
type argument struct {
	expr ast.Expr
}

// derive hands the events of functions on to their callers, as far as they
// depend on what callers supply, and returns the events at those calls.
func (p *program) derive(events []*Event) []*Event {
	var all []*Event
	work := append([]*Event(nil), events...)
	// Calls of functions of other packages come first: their events are
	// handed on like the client's own.
	for _, fn := range p.funcs {
		for _, call := range p.calls[fn] {
			for _, t := range p.targets(call) {
				if t.obj == nil {
					continue
				}
				if s := p.imported(t.obj); s != nil {
					for i := range s.Effects {
						work = append(work, p.derivedEvents(call, t, &s.Effects[i], nil)...)
					}
				}
			}
		}
	}
	for len(work) > 0 {
		e := work[0]
		work = work[1:]
		all = append(all, e)
		for _, owned := range p.effectsOf(e) {
			if !p.addEffect(owned.fn, owned.effect) {
				continue
			}
			for _, call := range p.callers[owned.fn] {
				for _, t := range p.targets(call) {
					if t.fn == owned.fn {
						work = append(work, p.derivedEvents(call, t, &owned.effect, owned.fn)...)
					}
				}
			}
			for _, call := range p.invokes[owned.fn] {
				if p.agree(p.implementations(call.Common()), owned.effect) {
					t := target{fn: owned.fn, args: append([]ssa.Value{call.Common().Value}, call.Common().Args...)}
					work = append(work, p.derivedEvents(call, t, &owned.effect, owned.fn)...)
				}
			}
		}
	}
	return all
}

// An ownedEffect is an effect with the function that has it.
type ownedEffect struct {
	fn     *ssa.Function
	effect Effect
}

// effectsOf returns what the event means to callers: of its own function and
// of constructors whose arguments reach it by way of a field.
func (p *program) effectsOf(e *Event) []ownedEffect {
	if e.Depth >= maxEffectDepth || e.open == nil {
		return nil
	}
	byOwner := map[*ssa.Function][]Case{}
	viaField := map[*ssa.Function]bool{}
	var owners []*ssa.Function
	add := func(c Case) {
		owner := p.ownerOf(e.Op, c, e.fn)
		if owner == nil {
			return
		}
		if byOwner[owner] == nil {
			owners = append(owners, owner)
		}
		byOwner[owner] = append(byOwner[owner], c)
	}
	for _, c := range e.open {
		add(p.withoutUncalled(c))
	}
	for _, c := range e.Cases {
		c = p.withoutOwn(c, e.fn)
		if applies(e.Op) && c.Args[0].Kind == value.Unknown {
			continue // to a table that only the method's callers know
		}
		if owner := p.ownerOf(e.Op, c, e.fn); owner != nil && outermost(owner) != outermost(e.fn) {
			viaField[owner] = true
			add(c)
		}
	}
	var out []ownedEffect
	for _, owner := range owners {
		out = append(out, ownedEffect{owner, Effect{
			Op: e.Op, Cases: byOwner[owner], Where: p.where(e), Depth: e.Depth, Uses: e.Uses, Feeds: p.feedsOf(e, owner), src: e,
			viaField: viaField[owner] || e.ViaField,
		}})
	}
	return out
}

// where says in which file and line the client's call stands.
func (p *program) where(e *Event) string {
	if e.Where != "" {
		return e.Where
	}
	pos := p.pass.Fset.Position(e.Pos())
	return filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)
}

// addEffect records an effect of a function, once, and reports whether it is
// new.
func (p *program) addEffect(fn *ssa.Function, e Effect) bool {
	key := effectKey(e, true)
	if p.effectKeys[fn] == nil {
		p.effectKeys[fn] = map[string]bool{}
	}
	if p.effectKeys[fn][key] || len(p.effects[fn]) >= maxEffects {
		return false
	}
	p.effectKeys[fn][key] = true
	p.effectKeys[fn][effectKey(e, false)] = true
	p.effects[fn] = append(p.effects[fn], e)
	return true
}

// effectKey tells apart effects, with or without the place of the client's
// call.
func effectKey(e Effect, place bool) string {
	key := e.Op
	if place {
		key += "@" + e.Where
	}
	for _, c := range e.Cases {
		key += guardString(c.When) + guardString(c.Guards) + argString(c.Args)
	}
	return key
}

// derivedEvents returns the event that an effect of the callee becomes at a
// call: none when the call rules it out or supplies nothing to it. callee is
// nil for a function of another package.
func (p *program) derivedEvents(call ssa.CallInstruction, t target, effect *Effect, callee *ssa.Function) []*Event {
	fn := call.Parent()
	e := p.newEvent(effect.Op, fn, call)
	e.Call = p.syntax.calls[call.Common().Pos()]
	if e.Call == nil {
		return nil
	}
	e.Node, e.target, e.Source = e.Call, t, effect.src
	e.Reached, e.Where, e.Depth = effect.Cases, effect.Where, effect.Depth+1
	e.ViaField = effect.viaField
	for _, i := range effect.Feeds {
		if t.recv == nil && i < len(t.args) {
			e.applied = append(e.applied, t.args[i])
		}
	}
	if effect.src != nil {
		e.Reached = effect.src.Cases
	}
	var supplied []map[int]argument
	for _, c := range effect.Cases {
		supplied = append(supplied, p.suppliedBy(c, e.Call, t, callee))
	}
	e.eval = func(q *path) []*value.Value {
		q.assumeBlock(call.Block(), nil, &q.when)
		args := q.args(t, call)
		bind := binder(args, callee)
		type bound struct {
			i            int
			guards, when []Guard
		}
		var open []bound
		for i, c := range effect.Cases {
			guards, ok := q.bindGuards(c.Guards, bind, call)
			when, ok2 := q.bindGuards(c.When, bind, call)
			if ok && ok2 {
				open = append(open, bound{i, guards, when})
			}
		}
		if len(open) == 0 {
			q.blocked = true
			return nil
		}
		b := open[q.choose(effect, len(open))]
		q.guards = append(q.guards, b.guards...)
		q.when = append(q.when, b.when...)
		q.supplied = supplied[b.i]
		q.madeAt = p.constructor(effect.Op, effect.Cases[b.i], args, e.Call)
		var out []*value.Value
		for _, a := range effect.Cases[b.i].Args {
			out = append(out, q.force(q.settle(p.resited(a, call, callee).Subst(bind), call), 4))
		}
		return out
	}
	e.Cases = p.cases(true, e.eval)
	e.open = p.cases(false, e.eval)
	if len(e.Cases) == 0 {
		return nil
	}
	e.Uses, e.ReachedUses = effect.Uses, effect.Uses
	if e.Uses.Returned || e.Uses.Callback != 0 || len(e.Uses.FamilyParams) > 0 {
		u := p.newUseFinder(fn)
		u.bind(call, t, e.Uses)
		e.Uses = u.finish()
		if e.Uses.Returned || e.Uses.Callback != 0 {
			e.callerUses = p.usesByCallers(fn, e.Uses, 4)
		}
	}
	if effect.src != nil {
		effect.src.derived = append(effect.src.derived, e)
	}
	return []*Event{e}
}

// constructor returns the call that made the object out of which the callee
// of a derived event takes its timestamp: that is where the value is
// supplied.
func (p *program) constructor(op string, c Case, args []*value.Value, call *ast.CallExpr) ast.Node {
	if len(c.Args) < 4 || !strings.HasPrefix(op, "bigtable.Mutation.") {
		return nil
	}
	object := int64(-1)
	if !fieldsOfOne(c.Args[3], false, &object) || object < 0 || int(object) >= len(args) {
		return nil
	}
	if made, ok := args[object].Expr.(*ast.CallExpr); ok && made != call {
		return made
	}
	return nil
}

// fieldsOfOne reports whether all parameters in a value stand there for
// their fields, and are one and the same.
func fieldsOfOne(v *value.Value, inField bool, object *int64) bool {
	if v.Kind == value.Param {
		same := *object < 0 || *object == v.Num
		*object = v.Num
		return inField && same
	}
	for _, a := range v.Args {
		if !fieldsOfOne(a, v.Kind == value.Field || inField && v.Kind == value.Via, object) {
			return false
		}
	}
	return true
}

// suppliedBy finds which arguments of an event are arguments of the call as
// they stand.
func (p *program) suppliedBy(c Case, call *ast.CallExpr, t target, callee *ssa.Function) map[int]argument {
	m := map[int]argument{}
	for i, a := range c.Args {
		b := a.Base()
		if b.Kind != value.Param || callee != nil && b.Site != any(callee) {
			continue
		}
		if expr := argumentExpr(call, t, int(b.Num)); expr != nil {
			m[i] = argument{expr}
		}
	}
	return m
}

// argumentExpr returns the expression of the i-th argument of a call,
// receiver first, or nil where it is not written.
func argumentExpr(call *ast.CallExpr, t target, i int) ast.Expr {
	if call == nil {
		return nil
	}
	n := len(t.args)
	if t.recv != nil {
		n++
	}
	if n == len(call.Args)+1 || n > len(call.Args) && i == 0 {
		if i == 0 {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				return sel.X
			}
			return nil
		}
		i--
	}
	if i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// Arg returns the expression in the event's node that supplies the i-th
// argument of its operation, or nil.
func (e *Event) Arg(c Case, i int) ast.Expr {
	if c.supplied != nil || e.Depth > 0 {
		return c.supplied[i].expr
	}
	return argumentExpr(e.Call, e.target, i)
}
