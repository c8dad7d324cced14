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

// A part is a field of a result of a function.
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
// where it is none.
func (p *Path) apart(fn *ssa.Function, i int, t program.Target, v *ssa.Call, args *memory.Arguments) *value.Value {
	of := structOf(fn, i)
	if of == nil {
		return nil
	}
	s := &value.Value{Kind: value.Struct, Name: kind.TypeKey(of), Keys: kind.StructKeys(of.Underlying().(*types.Struct))}
	s.Lazy = func(name string) *value.Value {
		f, _ := kind.FieldNamed(of, name)
		if f == nil {
			return nil
		}
		r := p.partly(partOf{v, part{fn, i, name}}, args)
		if r == nil {
			return kind.UnknownOf(f.Type(), TooMany)
		}
		return p.p.Clocks.Readings(r, t, args)
	}
	return s
}

// structOf returns the struct type of a result of a declared function, or of what it
// points to; nil of others.
func structOf(fn *ssa.Function, i int) types.Type {
	t := kind.Deref(fn.Signature.Results().At(i).Type())
	if fn.Parent() != nil || !kind.IsStruct(t) {
		return nil
	}
	return t
}

// partly chooses one of the values of a part for a call; nil where they are not known.
func (p *Path) partly(of partOf, args *memory.Arguments) *value.Value {
	bind := args.Binder(of.fn)
	binding := p.Reader.Binding(bind, of.call)
	open := slices.DeleteFunc(slices.Clone(p.p.valuesOf(of.part)), func(c summary.ResultCase) bool {
		_, ok := binding.Guards(c.Guards)
		return !ok
	})
	if len(open) == 0 {
		return nil
	}
	c := open[p.Way.Choose(of, len(open))]
	guards, _ := binding.Guards(c.Guards)
	p.Way.Guards = append(p.Way.Guards, guards...)
	for _, h := range c.Held() {
		p.Way.AssumeHeld(summary.Held{Key: chosenIn{of.call, h.Key}, Pick: h.Pick})
	}
	r := p.p.Prog.Sites.Resited(c.Values[0], of.call, of.fn).Subst(bind)
	return p.Settler.Settle(r, of.call)
}

// valuesOf returns the values of a part, each with what the function chooses for it; nil
// where there are too many.
func (p *Evaluator) valuesOf(of part) []summary.ResultCase {
	known, ok := p.parts[of]
	if ok {
		return known
	}
	p.parts[of] = nil // recursion adds nothing
	t := structOf(of.fn, of.result)
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
// returns a struct.
func isTooMany(fn *ssa.Function, c summary.ResultCase) bool {
	for i, v := range c.Values {
		if v.Kind == value.Unknown && v.Name == TooMany && structOf(fn, i) != nil {
			return true
		}
	}
	return false
}
