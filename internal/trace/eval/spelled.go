package eval

import (
	"maps"
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxSpelled bounds the conditions of which each combination is spelled out.
const maxSpelled = 4

// Spelled returns the cases of an event with what hangs on conditions of
// parameters, such as filters that flags append, as it is when these hold and when
// they do not, each with its guards. Of more conditions than are told apart, it is
// none of them, then all; the rest stays as it is, and is not known. That is of
// reads: of a chain by itself it is not known which combinations get there.
func Spelled(op string, cases []summary.Case) []summary.Case {
	if op != btapi.ReadRow && op != btapi.ReadRows && op != btapi.NewCondMutation {
		return cases
	}
	var out []summary.Case
	for _, c := range cases {
		out = append(out, spelled(c)...)
	}
	return out
}

func spelled(c summary.Case) []summary.Case {
	conds := map[string]*value.Value{}
	for _, a := range c.Args {
		a.Walk(func(v *value.Value) {
			cond, ok := hangsOn(v)
			if ok {
				conds[cond.String()] = cond
			}
		})
	}
	keys := slices.Sorted(maps.Keys(conds))
	n := len(keys)
	if n == 0 {
		return []summary.Case{c}
	}
	var out []summary.Case
	add := func(holds func(i int) bool) {
		set := map[string]bool{}
		for i, k := range keys {
			set[k] = holds(i)
		}
		if d, ok := with(c, conds, set); ok {
			out = append(out, d)
		}
	}
	if n > maxSpelled {
		add(func(int) bool { return false })
		add(func(int) bool { return true })
		return append(out, c)
	}
	for set := range 1 << n {
		add(func(i int) bool { return set>>i&1 == 1 })
	}
	if len(out) == 0 {
		return []summary.Case{c}
	}
	return out
}

// hangsOn returns the condition on which it hangs what a value is, or whether it
// is in a list.
func hangsOn(v *value.Value) (*value.Value, bool) {
	if v.Is(value.If) {
		return v.Args[0], true
	}
	one, cond, ok := value.Maybe(v)
	if !ok || one.Base().Kind != value.Call || btapi.Inert(one.Base().Name) || btapi.InertOption(one.Base().Name) {
		return nil, false
	}
	return cond, true
}

// with returns a case in which conditions hold or do not; false where its guards
// say otherwise.
func with(c summary.Case, conds map[string]*value.Value, set map[string]bool) (summary.Case, bool) {
	var decide func(v *value.Value) *value.Value
	decide = func(v *value.Value) *value.Value {
		if holds, ok := set[v.String()]; ok {
			return value.BoolOf(holds)
		}
		if v.Kind != value.List {
			return nil
		}
		list, changed := value.ListOf(), false
		for _, e := range v.Args {
			one, cond, ok := value.Maybe(e)
			if !ok {
				list.Args = append(list.Args, e)
				continue
			}
			holds, known := set[cond.String()]
			switch {
			case !known || btapi.Inert(one.Base().Name), btapi.InertOption(one.Base().Name):
				list.Args = append(list.Args, e)
				continue
			case holds:
				list.Args = append(list.Args, one)
			}
			changed = true
		}
		if !changed {
			return nil
		}
		list.Site, list.Expr = v.Site, v.Expr
		return list.Rewrite(decide)
	}
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.Rewrite(decide)
	}
	c.Args = args
	when, possible := settleHeld(c.When, decide)
	guards, ok := settleHeld(c.Guards, decide)
	if !possible || !ok {
		return c, false
	}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		guards = append(guards, summary.Guard{Cond: conds[k], Want: set[k]})
	}
	c.When, c.Guards = when, summary.UniqueGuards(guards)
	return c, true
}

// held returns the guards that are still open; false where one does not hold.
func settleHeld(guards []summary.Guard, decide func(*value.Value) *value.Value) (open []summary.Guard, possible bool) {
	for _, g := range guards {
		g.Cond = g.Cond.Rewrite(decide)
		holds, ok := instant.Decide(g.Cond)
		switch {
		case ok && holds != g.Want:
			return nil, false
		case !ok:
			open = append(open, g)
		}
	}
	return open, true
}
