package summary

import (
	"maps"
	"slices"
)

// Picks are, in the package being analysed, the choices by which a case arrives: which
// element of a loop, which branch; several of one choice where they make the same of it.
// What is found apart, as a write and the table that its mutation is applied to, does not
// belong together where the picks differ: it is of two rows of a table of structs, say.
type Picks map[any][]int

// Agree reports whether two cases may arrive by the same choices.
func (p Picks) Agree(other Picks) bool {
	for key, picks := range p {
		if others, ok := other[key]; ok && !overlap(picks, others) {
			return false
		}
	}
	return true
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(i int) bool { return slices.Contains(b, i) })
}

// And returns the picks of a case that is made of two that agree.
func (p Picks) And(other Picks) Picks {
	if len(p) == 0 {
		return other
	}
	both := maps.Clone(p)
	for key, picks := range other {
		if has, ok := both[key]; ok {
			picks = slices.DeleteFunc(slices.Clone(picks), func(i int) bool { return !slices.Contains(has, i) })
		}
		both[key] = picks
	}
	return both
}

// Or returns the picks of a case that is the same as two.
func (p Picks) Or(other Picks) Picks {
	either := Picks{}
	for key, picks := range p {
		if others, ok := other[key]; ok {
			all := slices.Concat(picks, others)
			slices.Sort(all)
			either[key] = slices.Compact(all)
		}
	}
	return either
}

// Picks returns the choices by which a case arrives, as far as they are known.
func (c Case) Picks() Picks { return c.picks }

// WithPicks returns the case with the choices by which it arrives.
func (c Case) WithPicks(picks Picks) Case {
	c.picks = picks
	return c
}
