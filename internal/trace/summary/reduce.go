package summary

// Reduced returns cases without the conditions that do not matter: where the same values
// come whether a condition holds or not, neither says what it is; and without those
// that another implies. alike returns one text for cases of the same values.
func Reduced(cases []Case, alike func(Case) string) []Case {
	if len(cases) < 2 {
		return cases
	}
	groups := map[string][]*terms{}
	all := make([]*terms, len(cases))
	for i, c := range cases {
		all[i] = termsOf(c)
		key := alike(c)
		groups[key] = append(groups[key], all[i])
	}
	for _, g := range groups {
		for reduced := true; reduced; {
			reduced = false
			for _, a := range g {
				for _, b := range g {
					reduced = a != b && a.reduces(b) || reduced
				}
			}
		}
	}
	var out []Case
	for i, c := range cases {
		if t := all[i]; !t.implied {
			c.Guards, c.When = t.left(c.Guards, true), t.left(c.When, false)
			out = append(out, c.WithPicks(t.picks))
		}
	}
	return out
}

// A term is a condition of a case, by its text.
type term struct {
	cond    string
	want    bool
	chooses bool // the values, rather than whether the event happens
}

func (t term) not() term { return term{t.cond, !t.want, t.chooses} }

// terms are the conditions of a case.
type terms struct {
	of      map[term]bool
	implied bool // by another case
	picks   Picks
}

func termsOf(c Case) *terms {
	t := &terms{of: map[term]bool{}, picks: c.picks}
	for _, g := range c.Guards {
		t.of[term{g.Cond.String(), g.Want, true}] = true
	}
	for _, g := range c.When {
		t.of[term{g.Cond.String(), g.Want, false}] = true
	}
	return t
}

// reduces drops from other what does not matter beside t, and reports whether it did.
func (t *terms) reduces(other *terms) bool {
	if t.implied || other.implied || len(t.of) > len(other.of) {
		return false
	}
	var against []term
	for has := range t.of {
		if !other.of[has] {
			if !other.of[has.not()] || len(against) > 0 {
				return false
			}
			against = append(against, has.not())
		}
	}
	if len(against) == 0 {
		other.implied = true
		t.picks = t.picks.Or(other.picks)
	} else {
		delete(other.of, against[0])
		other.picks = other.picks.Or(t.picks)
	}
	return true
}

// left returns the conditions of one kind that still matter.
func (t *terms) left(guards []Guard, chooses bool) (left []Guard) {
	for _, g := range guards {
		if t.of[term{g.Cond.String(), g.Want, chooses}] {
			left = append(left, g)
		}
	}
	return left
}

// Implies reports whether the same values arrive at least where those of another case do.
func (c Case) Implies(other Case) bool {
	if ArgString(c.Args) != ArgString(other.Args) {
		return false
	}
	have := termsOf(other).of
	for t := range termsOf(c).of {
		if !have[t] {
			return false
		}
	}
	return true
}
