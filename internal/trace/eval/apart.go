package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A function may return a struct in more ways than are followed: each of a dozen options
// is given, or has its default. The fields of such a struct are resolved apart, each when
// it is asked for. What the function has chosen for one of them holds for the others too.

// A part is a field of a result of a function; fn is nil for one of another package.
type part struct {
	fn     *ssa.Function
	result int
	field  string
}

// A partOf is the key of the choice of a part, for a call of its function.
type partOf struct {
	call *ssa.Call
	part
}

// A chosenIn is the key of a choice of a function, for a call of it.
type chosenIn struct {
	call *ssa.Call
	key  any
}

// apart returns a result of a function as a struct whose fields are resolved apart; nil
// where it is none. The case c stands for all that the function returns.
func (p *Path) apart(of part, c summary.ResultCase, t program.Target, v *ssa.Call, args *memory.Arguments) *value.Value {
	typ := structOf(t, of.result)
	if typ == nil {
		return nil
	}
	s := &value.Value{Kind: value.Struct, Name: kind.TypeKey(typ), Keys: kind.StructKeys(typ.Underlying().(*types.Struct))}
	s.Lazy = func(name string) *value.Value {
		f, _ := kind.FieldNamed(typ, name)
		if f == nil {
			return nil
		}
		r := p.partly(partOf{v, part{of.fn, of.result, name}}, c, args)
		if r == nil {
			return kind.UnknownOf(f.Type(), TooMany)
		}
		return p.p.Clocks.Readings(r, t, args)
	}
	return s
}

// structOf returns the struct type of a result of a declared function, or of what it
// points to; nil of others.
func structOf(t program.Target, i int) types.Type {
	var sig *types.Signature
	switch {
	case t.Fn == nil:
		sig = t.Obj.Signature()
	case t.Fn.Parent() != nil:
		return nil
	default:
		sig = t.Fn.Signature
	}
	if typ := kind.Deref(sig.Results().At(i).Type()); kind.IsStruct(typ) {
		return typ
	}
	return nil
}

// partly chooses one of the values of a part for a call; nil where they are not known.
func (p *Path) partly(of partOf, c summary.ResultCase, args *memory.Arguments) *value.Value {
	if p.parting[of] { // of a call in a loop that is given what it returned before
		return nil
	}
	p.parting[of] = true
	defer delete(p.parting, of)
	bind := args.Binder(of.fn)
	binding := p.Reader.Binding(bind, of.call)
	var open []summary.ResultCase
	values := partAbroad(c, of.part)
	if of.fn != nil {
		values = p.p.valuesOf(of.part)
	}
	for _, c := range values {
		if _, ok := binding.Guards(c.Guards); ok {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	chosen := open[p.Way.Choose(of, len(open))]
	guards, _ := binding.Guards(chosen.Guards)
	p.Way.Guards = append(p.Way.Guards, guards...)
	for _, h := range chosen.Held() {
		p.Way.AssumeHeld(summary.Held{Key: chosenIn{of.call, h.Key}, Pick: h.Pick})
	}
	r := p.p.Prog.Sites.Resited(chosen.Values[0], of.call, of.fn).Subst(bind)
	return p.Settler.Settle(r, of.call)
}

// partAbroad returns the values of a part as the fact of a function has them.
func partAbroad(c summary.ResultCase, of part) (cases []summary.ResultCase) {
	for _, known := range c.Parts {
		if known.Result != of.result || known.Field != of.field {
			continue
		}
		for _, c := range known.Cases {
			var held []summary.Held
			for _, chosen := range c.Chosen {
				held = append(held, summary.Held{Key: chosen.Key, Pick: chosen.Pick})
			}
			cases = append(cases, summary.ResultCase{Guards: c.Guards, Values: []*value.Value{c.Value}}.WithHeld(held))
		}
	}
	return cases
}

// Parts returns the fields of the structs that a function returns, where it returns them in
// more ways than are followed, as far as their types tell callers anything.
func (p *Evaluator) Parts(fn *ssa.Function, tells func(types.Type) bool) (out []Part) {
	cases := p.ResultsOf(fn)
	target := program.Target{Fn: fn}
	if len(cases) == 0 || !isTooMany(target, cases[len(cases)-1]) {
		return nil
	}
	for i := range fn.Signature.Results().Len() {
		t := structOf(target, i)
		if t == nil {
			continue
		}
		for f := range t.Underlying().(*types.Struct).Fields() {
			if tells(f.Type()) {
				out = append(out, Part{i, f.Name(), p.valuesOf(part{fn, i, f.Name()})})
			}
		}
	}
	return out
}

// A Part is what a function of the package returns in a field of a struct: a case has one
// value, and what the function chooses for it.
type Part struct {
	Result int
	Field  string
	Cases  []summary.ResultCase
}

// valuesOf returns the values of a part, each with what the function chooses for it; nil
// where there are too many.
func (p *Evaluator) valuesOf(of part) []summary.ResultCase {
	known, ok := p.parts[of]
	if ok {
		return known
	}
	p.parts[of] = nil // recursion adds nothing
	t := structOf(program.Target{Fn: of.fn}, of.result)
	f, _ := kind.FieldNamed(t, of.field)
	rets := exits(of.fn, false)
	var cases []summary.ResultCase
	met := map[string]int{}
	complete := len(rets) > 0 && p.Explore(false, MaxRuns, func(q *Path) []*value.Value {
		ret := rets[q.Way.Choose(of.fn, len(rets))]
		q.Way.AssumeBlock(ret.Block(), nil, &q.Way.Guards)
		q.succeeds(ret)
		return []*value.Value{q.Settler.Force(q.Reader.Field(q.Reader.Now(ret.Results[of.result], ret), f, t), 4)}
	}, func(q *Path, vs []*value.Value) {
		c := summary.ResultCase{Guards: summary.UniqueGuards(q.Way.Guards), Values: vs}
		text := summary.GuardString(c.Guards) + summary.ArgString(vs)
		chosen := way.Picked(q.Way)
		i, again := met[text]
		if !again {
			met[text] = len(cases)
			cases = append(cases, c.WithHeld(chosen))
			return
		}
		// With whatever it has been chosen, it is the same.
		cases[i] = cases[i].WithHeld(slices.DeleteFunc(slices.Clone(cases[i].Held()), func(h summary.Held) bool { return !slices.Contains(chosen, h) }))
	})
	if complete && len(cases) <= MaxResults {
		p.parts[of] = cases
	}
	return p.parts[of]
}

// succeeds blocks the way if a function returns an error that is known: return fail(err).
func (p *Path) succeeds(ret *ssa.Return) {
	n := len(ret.Results)
	if n < 2 || !kind.IsError(ret.Results[n-1].Type()) {
		return
	}
	fails, known := instant.Decide(value.Apply("!=", p.Settler.Force(p.Way.Eval(ret.Results[n-1], ret), 4), value.NilValue()))
	p.Way.Blocked = p.Way.Blocked || known && fails
}

// isTooMany reports whether a case stands for more than are followed, of a function that
// returns a struct. Of one of another package its fact has the fields.
func isTooMany(t program.Target, c summary.ResultCase) bool {
	if t.Fn == nil && len(c.Parts) == 0 {
		return false
	}
	for i, v := range c.Values {
		if v.Kind == value.Unknown && v.Name == TooMany && structOf(t, i) != nil {
			return true
		}
	}
	return false
}
