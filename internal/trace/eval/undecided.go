package eval

import (
	"go/types"

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
	cases := make([]summary.ResultCase, len(open))
	for i, c := range open {
		if len(c.Held()) > 0 {
			return nil
		}
		cases[i].Guards, _ = binding.Guards(c.Guards)
		for _, raw := range c.Values {
			cases[i].Values = append(cases[i].Values, p.Settle(raw.Subst(bind), v))
		}
	}
	var out []*value.Value
	for i := range cases[0].Values {
		r := byConditions(cases, i)
		out = append(out, r)
	}
	r := &value.Value{Kind: value.Tuple, Args: out}
	switch {
	case !r.HasParams() || r.TooLarge():
		return nil
	case len(out) == 1:
		return out[0]
	}
	return r
}

// byConditions returns the i-th result of the cases of a function as what their
// conditions make of it. Where several are left under the same conditions, which
// differ, it is not known.
func byConditions(cases []summary.ResultCase, i int) *value.Value {
	var by *summary.Guard
	for _, c := range cases {
		if len(c.Guards) > 0 {
			by = &c.Guards[0]
			break
		}
	}
	if by == nil {
		for _, c := range cases[1:] {
			if c.Values[i].String() != cases[0].Values[i].String() {
				return value.UnknownFor("one of several results")
			}
		}
		return cases[0].Values[i]
	}
	holds, fails := where(cases, by.Cond, true), where(cases, by.Cond, false)
	switch {
	case len(holds) == 0:
		return byConditions(fails, i)
	case len(fails) == 0:
		return byConditions(holds, i)
	}
	return value.Apply(value.If, by.Cond, byConditions(holds, i), byConditions(fails, i))
}

// where returns the cases that are left where a condition has a truth.
func where(cases []summary.ResultCase, cond *value.Value, truth bool) (left []summary.ResultCase) {
	text := cond.String()
	for _, c := range cases {
		n := summary.ResultCase{Values: c.Values}
		possible := true
		for _, g := range c.Guards {
			switch {
			case g.Cond.String() != text:
				n.Guards = append(n.Guards, g)
			case g.Want != truth:
				possible = false
			}
		}
		if possible {
			left = append(left, n)
		}
	}
	return left
}
