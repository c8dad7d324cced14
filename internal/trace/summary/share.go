package summary

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/value"
)

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
