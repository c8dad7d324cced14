package eval

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Conditions ask what functions return whose arguments are not known yet:
//
//	if a := ageFor(family); a > 0
//
// What such a call returns is written as it hangs on the arguments, so that whoever
// supplies those decides the condition.

// undecided returns what a call returns as a choice by the conditions on the arguments
// ([value.If]); nil where it hangs on nothing that callers know.
func (p *Path) undecided(open []summary.ResultCase, binding *memory.Binding, v *ssa.Call, bind func(*value.Value) *value.Value) *value.Value {
	if types.IsInterface(v.Type()) && btapi.Type(v.Type()) != "" {
		return nil // a filter, which is chosen as a whole
	}
	tree := decisions{left: maxDecisions}
	params := false
	for _, c := range open {
		if len(c.Held()) > 0 {
			return nil
		}
		guards, _ := binding.Guards(c.Guards)
		d := decided{}
		for _, g := range guards {
			a := asked{g, g.Cond.String()}
			if !slices.ContainsFunc(d.guards, func(b asked) bool { return b.text == a.text && b.Want == a.Want }) {
				d.guards = append(d.guards, a)
			}
			params = params || g.Cond.HasParams()
		}
		for _, raw := range c.Values {
			r := p.Settler.Settle(raw.Subst(bind), v)
			d.values = append(d.values, r)
			params = params || r.HasParams()
		}
		tree.cases = append(tree.cases, d)
	}
	if !params {
		return nil
	}
	var out []*value.Value
	for i := range tree.cases[0].values {
		out = append(out, tree.result(tree.cases, i))
	}
	r := &value.Value{Kind: value.Tuple, Args: out}
	switch {
	case tree.left < 0, !r.HasParams(), r.TooLarge():
		return nil
	case len(out) == 1:
		return out[0]
	}
	return r
}

// maxDecisions bounds the conditions of a decision tree: a case that a condition does not
// mention is left on both of its sides.
const maxDecisions = 64

// decisions are the cases of a call's results that conditions on its arguments decide.
type decisions struct {
	cases []decided
	left  int // conditions that may still be asked
}

// A decided is one case: its results, under conditions.
type decided struct {
	guards []asked
	values []*value.Value
}

// An asked is a condition with its text, by which it is known again.
type asked struct {
	summary.Guard
	text string
}

// result returns the i-th result of the cases as what their conditions make of it. Where
// several are left under the same conditions, which differ, it is not known.
func (t *decisions) result(cases []decided, i int) *value.Value {
	var by *asked
	for _, c := range cases {
		if len(c.guards) > 0 {
			by = &c.guards[0]
			break
		}
	}
	first := cases[0].values[i]
	if by == nil {
		for _, c := range cases[1:] {
			if c.values[i] != first && c.values[i].String() != first.String() {
				return value.UnknownFor("one of several results")
			}
		}
		return first
	}
	if t.left--; t.left < 0 {
		return first // the whole is given up
	}
	holds, fails := where(cases, by.text, true), where(cases, by.text, false)
	switch {
	case len(holds) == 0:
		return t.result(fails, i)
	case len(fails) == 0:
		return t.result(holds, i)
	}
	return value.Apply(value.If, by.Cond, t.result(holds, i), t.result(fails, i))
}

// where returns the cases that are left where a condition has a truth.
func where(cases []decided, text string, truth bool) (left []decided) {
	for _, c := range cases {
		i := slices.IndexFunc(c.guards, func(g asked) bool { return g.text == text })
		switch {
		case i < 0:
		case c.guards[i].Want != truth:
			continue
		case i == 0:
			c.guards = c.guards[1:]
		default:
			c.guards = append(slices.Clone(c.guards[:i]), c.guards[i+1:]...)
		}
		left = append(left, c)
	}
	return left
}
