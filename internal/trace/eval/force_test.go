package eval_test

import "testing"

// Of a value that has more fields than are resolved, some are known.
func TestTooLarge(t *testing.T) {
	check(t, `
type ten struct{ a, b, c, d, e, f, g, h, i, j int }
type hundred struct{ a, b, c, d, e, f, g, h, i, j ten }
type thousand struct{ a, b, c, d, e, f, g, h, i, j hundred }

func made() thousand {
	var t thousand
	t.a.a.a, t.j.j.j = 1, 2
	return t
}
func f() {
	t := made()
	show(t.a.a.a) // 1
	show(t.j.j.j) // ?a value too large to follow
}
`)
}
