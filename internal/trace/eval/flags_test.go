package eval_test

import "testing"

// What many flags each change is the value and the conditions, no choice; a struct
// that is appended to a list is an element of it.
func TestFlags(t *testing.T) {
	check(t, `
func chained(a, b, c, d bool) bigtable.Filter {
	f := bigtable.PassAllFilter()
	if a {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(1))
	}
	if b {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(2))
	}
	if c {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(3))
	}
	if d || a {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(4))
	}
	return f
}
func one() {
	show(chained(false, false, true, false)) // bigtable.ChainFilters([bigtable.PassAllFilter(), bigtable.LatestNFilter(3)])
}
type cell struct{ family string }
func cells(more bool) {
	list := []cell{{"token"}}
	if more {
		list = append(list, cell{"profile"})
	}
	for _, c := range list {
		show(c.family) // "token" | "profile"
	}
}
`)
}

// Variables that a branch sets together belong together, also where a closure reads
// them, or where a field that nothing changes is asked twice.
func TestTogether(t *testing.T) {
	check(t, `
type store struct{ hot bool }
func newStore(hot bool) *store { return &store{hot} }
func (s *store) captured() {
	family, n := "profile", 1
	if s.hot {
		family, n = "token", 2
	}
	func() {
		show(fmt.Sprintf("%s%d", family, n)) // if !($0) "profile1" | if $0 "token2"
	}()
}
func (s *store) twice() {
	family := "profile"
	if s.hot {
		family = "token"
	}
	n := 1
	if s.hot {
		n = 2
	}
	show(fmt.Sprintf("%s%d", family, n)) // if !($0) "profile1" | if $0 "token2"
}
`)
}
