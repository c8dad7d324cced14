package eval_test

import "testing"

// A deferred literal sets what its function returns, the one that is deferred last
// first; where it is not known whether it does, nothing is.
func TestDeferred(t *testing.T) {
	check(t, `
func always() (s string) {
	defer func() { s = "deferred" }()
	return "returned"
}
func filled(given string) (s string) {
	defer func() {
		if s == "" {
			s = "default"
		}
	}()
	return given
}
func twice() (s string) {
	defer func() { s += "b" }()
	defer func() { s += "a" }()
	return "_"
}
func early(skip bool) (s string) {
	if skip {
		return "early"
	}
	defer func() { s = "late" }()
	return "returned"
}
func recovered() (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = "panicked"
		}
	}()
	return "returned"
}
func open() (s string) {
	defer func() {
		if os.Getenv("LOUD") != "" {
			s = "loud"
		}
	}()
	return "returned"
}
func captured(given string) (s string) {
	other := given
	defer func() { s = other }()
	other += "!"
	return "returned"
}
func f() {
	show(always()) // "deferred"
	show(filled("x")) // "x"
	show(filled("")) // "default"
	show(twice()) // "_ab"
	show(early(true)) // "early"
	show(early(false)) // "late"
	show(recovered()) // "returned"
	show(open()) // ?what a deferred function sets via example.com/p.open
	show(captured("x")) // "x!"
}
`)
}
