package memory

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Returned returns what a call returns that returns what it was given, with
// the fields that the callee sets on the way: a method of a builder. raw is
// the result as the callee has it, bound the same with the arguments of the
// call in it.
func (p *Reader) Returned(raw, bound *value.Value, sets []summary.FieldSet, call ssa.Instruction, fn *ssa.Function, bind func(*value.Value) *value.Value) *value.Value {
	param := raw.Base()
	if param.Kind != value.Param {
		return bound
	}
	for _, s := range sets {
		if s.Param == int(param.Num) {
			bound = p.withSet(bound, s, call, fn, bind)
		}
	}
	return bound
}

// A setChoice is the choice of whether a call sets a field, or, of no field, has set what it
// sets before.
type setChoice struct {
	at    ssa.Instruction
	field string
}

// withSet returns an object after a call has set a field of it. fn is the
// callee, nil for a function of another package.
func (p *Reader) withSet(obj *value.Value, s summary.FieldSet, call ssa.Instruction, fn *ssa.Function, bind func(*value.Value) *value.Value) *value.Value {
	switch {
	case s.Field == whole:
		return p.left(call, s.Param)
	case s.Value == nil:
		return value.With(obj, s.Field, value.UnknownFor("a field that a call sets"))
	}
	v := p.p.Prog.Sites.Resited(s.Value, call, fn).Subst(bind)
	if len(s.Guards) == 0 {
		return value.With(obj, s.Field, v)
	}
	guards, holds := p.BindGuards(s.Guards, bind, call)
	switch {
	case !holds:
		return obj
	case len(guards) == 0 && Decided(s.Guards, bind):
		return value.With(obj, s.Field, v)
	case len(guards) != 1:
		return value.With(obj, s.Field, value.UnknownFor("a field that a call may set"))
	}
	if p.Way.Choose(setChoice{call, s.Field}, 2) == 0 {
		p.Way.Guards = append(p.Way.Guards, guards...)
		return value.With(obj, s.Field, v)
	}
	p.Way.Guards = append(p.Way.Guards, summary.Guard{Cond: guards[0].Cond, Want: !guards[0].Want})
	return obj
}

// Decided reports whether guards are known to hold.
func Decided(guards []summary.Guard, bind func(*value.Value) *value.Value) bool {
	for _, g := range guards {
		if _, ok := instant.Decide(g.Cond.Subst(bind)); !ok {
			return false
		}
	}
	return true
}

// modified returns what v, a pointer to a struct that this function did not
// make itself, points to when the instruction at uses it: obj with the fields
// that were set since, or, of the part at path, the one in which that lies.
func (p *Reader) modified(v ssa.Value, obj *value.Value, path kind.PathTo, at ssa.Instruction) *value.Value {
	if b := obj.Base(); b.Kind == value.Unknown && b.Name == perhapsBefore {
		return obj // which object that is is not known: others may have been written to
	}
	if at != nil && types.IsInterface(v.Type()) {
		if hooked := p.hooked(v, obj, at); hooked != obj {
			return hooked
		}
	}
	if now := p.asNow(v, obj, at); now != obj {
		return now
	}
	if at != nil && types.IsInterface(v.Type()) {
		return obj
	}
	if at == nil || !kind.IsPointer(v.Type()) {
		return obj
	}
	_, given := v.(*ssa.Parameter)
	client := btapi.IsRootType(v.Type())
	if !given && (client || !hasFields(v.Type())) {
		return obj
	}
	if a, own := v.(*ssa.Alloc); own && p.p.Objects.TakesOptions(a) {
		return obj // its fields are loaded with what the options set
	}
	var before, again []Touch
	for _, t := range p.p.Objects.Touches(v) {
		if !hasFields(v.Type()) {
			t.Field = whole
		}
		if client && t.Field != whole {
			continue // they are what is done with them
		}
		precedes := p.p.Prog.Graphs.Precedes
		if t.Field == whole {
			precedes = p.p.Prog.Graphs.MayPrecede
		}
		if t.At != at && (t.At.Parent() != at.Parent() || precedes(t.At, at)) {
			before = append(before, t)
		} else if t.At == at && changesMore(t) && p.p.again(v, at) {
			again = append(again, Touch{Field: t.Field, At: at})
		}
	}
	if len(again) > 0 && p.Way.Choose(setChoice{at: at}, 2) == 1 { // not the first time
		before = append(before, again...)
	}
	if a, own := v.(*ssa.Alloc); own {
		before = p.p.sinceStored(a, before, at)
	}
	byField := ByField(before)
	if len(byField) > 1 && len(byField[value.AnyField])+len(byField[whole]) > 0 {
		return value.With(obj, value.AnyField, value.UnknownFor("a field of a struct that was given away"))
	}
	only := ""
	if len(path) > 0 {
		only = fieldPath(kind.Deref(v.Type()), path[:1])
	}
	made := p.madeHere(v, obj)
	for _, field := range slices.Sorted(maps.Keys(byField)) {
		if outer, _, _ := strings.Cut(field, "."); (field == whole || only == "" || outer == only) && !(made && storedAndSet(byField[field])) {
			obj = p.touchedField(obj, field, byField[field], at)
		}
	}
	return obj
}

// madeHere reports whether an object is a local variable of which each field is loaded by
// itself, as it is by then: see [Reader.Alloc].
func (p *Reader) madeHere(v ssa.Value, obj *value.Value) bool {
	a, own := v.(*ssa.Alloc)
	return own && obj.Kind == value.Struct && obj.Lazy != nil && obj.Site == p.p.site(a, nil)
}

// storedAndSet reports whether a field is stored to, and then set by calls.
func storedAndSet(ts []Touch) bool {
	stored := func(t Touch) bool { return t.Store != nil }
	return slices.ContainsFunc(ts, stored) && slices.ContainsFunc(ts, func(t Touch) bool { return !stored(t) })
}

// changesMore reports whether a call that sets a field leaves another value there each time
// it is run: a list that grows.
func changesMore(t Touch) bool {
	return t.Set != nil && (t.Set.Value == nil || t.Set.Value.Has(func(v *value.Value) bool {
		return v.Kind == value.Field && strings.HasSuffix(v.Name, "."+t.Field) && v.Args[0].Base().Kind == value.Param
	}))
}

// again reports whether an instruction may have run before with the object that v points
// to: one that is made outside of a loop, or of the function literal.
func (p *Memory) again(v ssa.Value, at ssa.Instruction) bool {
	made, _ := v.(ssa.Instruction)
	if load, ok := v.(*ssa.UnOp); ok {
		root, path := p.Prog.Address(load.X)
		stores := p.Prog.Stores[root]
		if len(path) > 0 || len(stores) != 1 {
			return false
		}
		made = stores[0].At
	}
	switch {
	case made == nil:
		return false
	case made.Parent() != at.Parent():
		return true
	}
	return slices.ContainsFunc(at.Block().Succs, func(b *ssa.BasicBlock) bool {
		return b != made.Block() && p.Prog.Graphs.ReachableWithout(made.Block(), b, at.Block())
	})
}

// hooked returns an object of which only an interface is known after the methods
// that were called for what they do.
func (p *Reader) hooked(v ssa.Value, obj *value.Value, at ssa.Instruction) *value.Value {
	if b := obj.Base(); b.Kind == value.Unknown || b.Kind == value.Nil {
		return obj
	}
	hooks := p.p.Objects.HooksBefore(v, at)
	if a := p.pointsTo(v, obj, at); a != nil && len(hooks) > 0 {
		calls := map[ssa.Instruction]bool{}
		for _, h := range hooks {
			calls[h.Call] = true
		}
		if p.p.writtenBut(a.Alloc, calls) {
			return obj
		}
	}
	for _, h := range hooks {
		after := value.Apply(value.After, value.StrOf(h.Method), obj, value.BoolOf(h.Certain))
		for _, a := range h.Args {
			after.Args = append(after.Args, p.Argument(a, h.Call))
		}
		obj = p.settle.Settle(after, h.Call)
	}
	return obj
}

// sinceStored leaves out of the touches of a local struct before the instruction
// at the one store of it as a whole that reaches there, which says what it is, and
// what that replaces. Of several stores nothing is left out, unless there is
// nothing else.
func (p *Memory) sinceStored(a *ssa.Alloc, touches []Touch, at ssa.Instruction) []Touch {
	defs, entry := p.Prog.Reaching(p.Prog.Stores[a], nil, at, nil)
	var whole []program.Store
	for _, d := range defs {
		if len(d.Path) == 0 {
			whole = append(whole, d)
		}
	}
	if entry || len(whole) == 0 || at.Parent() != a.Parent() {
		return touches
	}
	var since []Touch
	for _, t := range touches {
		if s, ok := t.At.(*ssa.Store); ok && s.Addr == ssa.Value(a) {
			continue
		}
		if len(whole) > 1 {
			return touches
		}
		if t.At.Parent() != a.Parent() || !p.Prog.Graphs.Precedes(t.At, whole[0].At) {
			since = append(since, t)
		}
	}
	return since
}

// touchedField returns an object after the touches of one of its fields.
func (p *Reader) touchedField(obj *value.Value, field string, ts []Touch, at ssa.Instruction) *value.Value {
	changed := value.With(obj, field, value.UnknownFor("a field that is set later"))
	if field == whole {
		changed = value.UnknownFor(perhapsBefore) // what such objects hold elsewhere says nothing of it
	}
	var defs []program.Store
	if once := p.setOnce(obj, field, ts, at); once != nil {
		return once
	}
	if mc := p.p.setAround(ts, at); mc != nil {
		at = mc
	}
	by := map[ssa.Instruction]Touch{}
	for _, t := range ts {
		if t.At.Parent() != at.Parent() {
			return changed
		}
		by[t.At] = t
		if t.Store != nil {
			defs = append(defs, *t.Store)
		} else if t.Set != nil && t.Set.Field == whole {
			defs = append(defs, program.Store{Path: pathOf(ts), At: t.At})
		}
	}
	switch {
	case len(defs) == len(ts):
		reach, entry := p.p.Prog.Reaching(defs, defs[0].Path, at, nil)
		n := len(reach)
		if entry {
			n++
		}
		if n == 0 {
			return changed
		}
		i := p.Way.Choose(setChoice{at, field}, n)
		var others []ssa.Instruction
		for j, d := range reach {
			if j != i {
				others = append(others, d.At)
			}
		}
		if field == whole && p.inLoop(reach, i, others, at) {
			return changed
		}
		if i == len(reach) {
			p.Way.AssumeSkipped(others, nil, at)
			return obj
		}
		d := reach[i]
		if n > 1 {
			p.Way.AssumeBlock(d.At.Block(), d.At.Block().Idom(), &p.Way.Guards)
		}
		p.Way.AssumeSkipped(others, d.At, at)
		if d.Val == nil {
			return value.With(obj, field, p.left(d.At, by[d.At].Set.Param))
		}
		return value.With(obj, field, p.Way.Eval(d.Val, d.At))
	case len(ts) <= way.MaxElements && !slices.ContainsFunc(ts, func(t Touch) bool { return t.Set == nil || !t.At.Block().Dominates(at.Block()) }):
		return p.setInTurn(obj, ts)
	case len(ts) == 1 && RunsOptions(ts[0]) && OptionLoop(ts[0].At).Block().Dominates(at.Block()):
		return value.With(obj, value.AnyField, p.Options(ts[0].At.(ssa.CallInstruction)))
	}
	return changed
}

// setInTurn returns an object after calls that each set a field of it, one after the other.
func (p *Reader) setInTurn(obj *value.Value, ts []Touch) *value.Value {
	slices.SortFunc(ts, func(a, b Touch) int {
		if p.p.Prog.Graphs.Precedes(a.At, b.At) {
			return -1
		}
		return 1
	})
	for i, t := range ts {
		given := p.SetBinder(t)
		bind := given
		if before := obj; i > 0 {
			bind = func(leaf *value.Value) *value.Value {
				if binds(leaf, t.Fn) && int(leaf.Num) == t.Set.Param {
					return before
				}
				return given(leaf)
			}
		}
		obj = p.withSet(obj, *t.Set, t.At, t.Fn, bind)
	}
	return obj
}

// inLoop reports whether what a load finds hangs on the turns of a loop: whether one of the
// stores that reach it has run in one, or which turn's is the last. i is the one that the way
// has chosen, past the end what was there before.
func (p *Reader) inLoop(reach []program.Store, i int, others []ssa.Instruction, at ssa.Instruction) bool {
	graphs := p.p.Prog.Graphs
	if i == len(reach) {
		return slices.ContainsFunc(others, func(o ssa.Instruction) bool { return graphs.Repeats(o.Block()) || graphs.MayPrecede(at, o) })
	}
	return len(others) > 0 && graphs.MayPrecede(at, reach[i].At)
}

// pathOf returns the path to a field at which there are touches; nil where none is a store.
func pathOf(ts []Touch) kind.PathTo {
	for _, t := range ts {
		if t.Store != nil {
			return t.Store.Path
		}
	}
	return nil
}

// setAround returns where a function literal that reads a field is made, where the
// function around it sets the field, at one place before that and never again.
func (p *Memory) setAround(ts []Touch, at ssa.Instruction) ssa.Instruction {
	mc := p.Prog.LiteralIn(ts[0].At.Parent(), at)
	if mc == nil || len(ts) != 1 || p.Prog.Graphs.Precedes(mc, ts[0].At) {
		return nil
	}
	if set := ts[0].At.Block(); set != mc.Block() && !set.Dominates(mc.Block()) {
		return nil // or what was there before
	}
	return mc
}

// SetBinder puts the arguments of a call in the place of its callee's
// parameters.
func (p *Reader) SetBinder(t Touch) func(*value.Value) *value.Value {
	return p.Arguments(program.Target{Fn: t.Fn, Args: t.Args}, t.At).Binder(t.Fn)
}

// BoundSet returns what a call sets, in terms of its caller.
func (p *Reader) BoundSet(t Touch) *value.Value {
	return p.p.Prog.Sites.Resited(t.Set.Value, t.At, t.Fn).Subst(p.SetBinder(t))
}
