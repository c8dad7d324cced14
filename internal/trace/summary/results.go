package summary

import (
	"slices"
	"sync"

	"github.com/ttlvet/ttlvet/internal/value"
)

// Results are what a function returns: the combinations that it can return together. In
// the process that analysed the function they are found when somebody asks for them first:
// most functions are asked for what they do, and few for what they return. Nil is none.
type Results struct {
	Known []ResultCase

	once sync.Once
	find func() []ResultCase // nil where they are known
}

// Returning returns results that are known; nil for none.
func Returning(cases ...ResultCase) *Results {
	if len(cases) == 0 {
		return nil
	}
	shareResults(cases)
	return &Results{Known: cases}
}

// Asked returns results that are found when they are asked for, by whatever goroutine
// asks.
func Asked(find func() []ResultCase) *Results { return &Results{find: find} }

// Cases returns the results of calls that do not fail.
func (r *Results) Cases() []ResultCase {
	all := r.All()
	return all[:len(all)-len(r.Failures())]
}

// Failures returns under which conditions the function fails, where those are all that
// decides it: what it returns beside the error nobody uses.
func (r *Results) Failures() []ResultCase {
	all := r.All()
	if n := slices.IndexFunc(all, func(c ResultCase) bool { return c.Fails }); n >= 0 {
		return all[n:]
	}
	return nil
}

// All returns the results of calls that do not fail, and behind them of those that do.
func (r *Results) All() []ResultCase {
	if r == nil {
		return nil
	}
	r.once.Do(func() {
		if r.find != nil {
			r.Known, r.find = r.find(), nil
			shareResults(r.Known)
		}
	})
	return r.Known
}

// One returns the only value that a function with one result can return; nil where it is
// not known to be one.
func (s *Summary) One() *value.Value {
	if s == nil {
		return nil
	}
	if cases := s.Results.Cases(); len(cases) == 1 && len(cases[0].Values) == 1 {
		return cases[0].Values[0]
	}
	return nil
}

// Share makes conditions that cases have in common one value, so that who judges
// them for a call can tell. Cases are the ways through a function: of thousands of
// conditions a dozen are different.
func Share(cases []Case) {
	shared := map[string][]*value.Value{}
	for _, c := range cases {
		share(c.Guards, shared)
		share(c.When, shared)
	}
}

// Share is [Share] for each effect of a function.
func (s *Summary) Share() {
	for _, e := range s.Effects {
		Share(e.Cases)
	}
}

// shareResults is [Share] for results.
func shareResults(cases []ResultCase) {
	shared := map[string][]*value.Value{}
	for _, c := range cases {
		share(c.Guards, shared)
	}
}

func share(guards []Guard, shared map[string][]*value.Value) {
	for i, g := range guards {
		key := g.Cond.String()
		at := slices.IndexFunc(shared[key], func(v *value.Value) bool { return same(v, g.Cond) })
		if at < 0 {
			shared[key] = append(shared[key], g.Cond)
		} else {
			guards[i].Cond = shared[key][at]
		}
	}
}

// same reports whether values are equal, the places where they were made among
// them.
func same(a, b *value.Value) bool {
	if a == b {
		return true
	}
	return a.Lazy == nil && b.Lazy == nil && a.Kind == b.Kind && a.Name == b.Name && a.Num == b.Num && a.Class == b.Class && a.Dynamic == b.Dynamic && a.Site == b.Site && a.Expr == b.Expr &&
		slices.Equal(a.Keys, b.Keys) && slices.EqualFunc(a.Args, b.Args, same)
}
