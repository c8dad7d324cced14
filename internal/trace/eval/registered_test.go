package eval_test

import "testing"

// What a type's methods register in the only object of it is what their calls give.
func TestRegistered(t *testing.T) {
	check(t, `
type bus struct { handlers map[string]func() string }
func a() string { return "a" }
func b() string { return "b" }
func newBus() *bus { return &bus{handlers: map[string]func() string{"own": a}} }
func (s *bus) on(name string, h func() string) { s.handlers[name] = h }
func setup() {
	s := newBus()
	s.on("a", a)
	s.on("b", b)
	s.run("a")
}
func (s *bus) run(name string) { show(s.handlers[name]()) } // "a" | "b"
`)
}
