package eval_test

import "testing"

// What a method sets that was found by an interface is known where the object is: of
// one that has no such method, or one that sets nothing, everything stays.
func TestAfterHooks(t *testing.T) {
	check(t, `
type entity interface{ Name() string }
type preparer interface{ Prepare(to string) error }
type doc struct{ name, first string }
func (d *doc) Name() string { return d.name }
func (d *doc) Prepare(to string) error {
	if d.name == "" {
		d.name = to
	}
	return nil
}
type bare struct{ name string }
func (b *bare) Name() string { return b.name }
type counted struct{ bare; n int }
func (c *counted) Prepare(string) error { c.n++; return nil }
func prepared[T entity](e T) string {
	if p, ok := any(e).(preparer); ok {
		if err := p.Prepare("b"); err != nil {
			panic(err)
		}
	}
	return e.Name()
}
func always[T interface{ entity; preparer }](e T) string {
	e.Prepare("c")
	return e.Name()
}
func sometimes[T entity](e T, really bool) string {
	if really {
		any(e).(preparer).Prepare("d")
	}
	return e.Name()
}
func helped[T entity](e T) string {
	prepare(e)
	return e.Name()
}
func prepare(e any) {
	if p, ok := e.(preparer); ok {
		p.Prepare("e")
	}
}
func late[T entity](e T) string {
	defer any(e).(preparer).Prepare("f")
	name := e.Name()
	any(e).(preparer).Prepare("f")
	return name
}
func twice[T interface{ entity; preparer }](e T) string {
	e.Prepare("g")
	e.Prepare("h")
	return e.Name()
}
func f() {
	show(prepared(&doc{first: "x"})) // "b"
	show(prepared(&doc{name: "a"})) // "a"
	show(prepared(&bare{name: "a"})) // "a"
	show(prepared(&counted{bare: bare{name: "a"}})) // "a"
	show(always(&doc{first: "x"})) // "c"
	show(sometimes(&doc{name: "a"}, true)) // ?what a method may set via example.com/p.sometimes
	show(sometimes(&bare{name: "a"}, true)) // "a"
	show(helped(&doc{first: "x"})) // ?an argument of a method via example.com/p.helped
	show(late(&doc{name: "a"})) // "a"
	show(twice(&doc{first: "x"})) // "g"
}
`)
}
