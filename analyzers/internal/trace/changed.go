package trace

import (
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// returned returns what a call returns that returns what it was given, with
// the fields that the callee sets on the way: a method of a builder. raw is
// the result as the callee has it, bound the same with the arguments of the
// call in it.
func (p *path) returned(raw, bound *value.Value, sets []FieldSet, call ssa.Instruction, fn *ssa.Function, bind func(*value.Value) *value.Value) *value.Value {
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

// A setChoice is the choice of whether a call sets a field.
type setChoice struct {
	at    ssa.Instruction
	field string
}

// withSet returns an object after a call has set a field of it. fn is the
// callee, nil for a function of another package.
func (p *path) withSet(obj *value.Value, s FieldSet, call ssa.Instruction, fn *ssa.Function, bind func(*value.Value) *value.Value) *value.Value {
	if s.Value == nil {
		return value.With(obj, s.Field, unknown("a field that a call sets"))
	}
	v := p.p.resited(s.Value, call, fn).Subst(bind)
	if len(s.Guards) == 0 {
		return value.With(obj, s.Field, v)
	}
	guards, holds := p.bindGuards(s.Guards, bind, call)
	switch {
	case !holds:
		return obj
	case len(guards) == 0 && decided(s.Guards, bind):
		return value.With(obj, s.Field, v)
	case len(guards) != 1:
		return value.With(obj, s.Field, unknown("a field that a call may set"))
	}
	if p.choose(setChoice{call, s.Field}, 2) == 0 {
		p.guards = append(p.guards, guards...)
		return value.With(obj, s.Field, v)
	}
	p.guards = append(p.guards, Guard{guards[0].Cond, !guards[0].Want})
	return obj
}

// decided reports whether guards are known to hold.
func decided(guards []Guard, bind func(*value.Value) *value.Value) bool {
	for _, g := range guards {
		if _, ok := decide(g.Cond.Subst(bind)); !ok {
			return false
		}
	}
	return true
}

// modified returns what v, a pointer to a struct that this function did not
// make itself, points to when the instruction at uses it: obj with the fields
// that were set since.
func (p *path) modified(v ssa.Value, obj *value.Value, at ssa.Instruction) *value.Value {
	if at == nil || !isPointer(v.Type()) || structName(v.Type()) == nil || btapi.IsRootType(v.Type()) {
		return obj
	}
	byField := map[string][]touch{}
	for _, t := range p.p.touches(v) {
		if t.at == at || t.at.Parent() == at.Parent() && !p.p.precedes(t.at, at) {
			continue
		}
		byField[t.field] = append(byField[t.field], t)
	}
	if len(byField[value.AnyField]) > 0 {
		return value.With(obj, value.AnyField, unknown("a field of a struct that was given away"))
	}
	for _, field := range sortedNames(byField) {
		obj = p.touchedField(obj, field, byField[field], at)
	}
	return obj
}

// touchedField returns an object after the touches of one of its fields.
func (p *path) touchedField(obj *value.Value, field string, ts []touch, at ssa.Instruction) *value.Value {
	changed := value.With(obj, field, unknown("a field that is set later"))
	var defs []store
	for _, t := range ts {
		if t.at.Parent() != at.Parent() {
			return changed
		}
		if t.store != nil {
			defs = append(defs, *t.store)
		}
	}
	switch {
	case len(defs) == len(ts):
		reach, entry := reaching(defs, defs[0].path, at, nil)
		n := len(reach)
		if entry {
			n++
		}
		if n == 0 {
			return changed
		}
		i := p.choose(setChoice{at, field}, n)
		var others []ssa.Instruction
		for j, d := range reach {
			if j != i {
				others = append(others, d.at)
			}
		}
		if i == len(reach) {
			p.assumeSkipped(others, nil, at)
			return obj
		}
		d := reach[i]
		if n > 1 {
			p.assumeBlock(d.at.Block(), d.at.Block().Idom(), &p.guards)
		}
		p.assumeSkipped(others, d.at, at)
		return value.With(obj, field, p.eval(d.val, d.at))
	case len(ts) == 1 && ts[0].set != nil && ts[0].at.Block().Dominates(at.Block()):
		return p.withSet(obj, *ts[0].set, ts[0].at, ts[0].fn, p.binder(ts[0]))
	}
	return changed
}

func sortedNames[V any](m map[string]V) []string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}
