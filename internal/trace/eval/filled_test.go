package eval_test

import "testing"

// A map that a helper is given holds what the helper puts there, unless it is given the
// map somewhere else as well.
func TestFilledMaps(t *testing.T) {
	check(t, `
func put(m map[string]int, k string, n int) {
	if n > 0 {
		m[k] = n
	}
}
func again(m map[string]int) { put(m, "z", 1) }
func f() {
	m := map[string]int{"x": 1}
	put(m, "y", 2)
	put(m, "n", 0)
	for k := range m {
		show(k) // "y" | "x"
	}
	o := map[string]int{}
	put(o, "y", 2)
	again(o)
	show(len(o)) // len(~map[?a map that is filled elsewhere, ?a map that is filled elsewhere])
}
`)
}
