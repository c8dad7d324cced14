package eval_test

import "testing"

// What a function leaves where its parameters point to goes with what it returns: by its
// arguments, on the way on which it does not fail.
func TestLeft(t *testing.T) {
	check(t, `
func open(name string, out *string) error {
	if name == "" {
		return errors.New("no name")
	}
	*out = name + "s"
	return nil
}
func find(name string, out *string) bool {
	if name == "token" {
		*out = "found"
		return true
	}
	return false
}
func through(name string, out *string) { open(name, out) }
func env(out *string) { if v := os.Getenv("FAMILY"); v != "" { *out = v } }
func grows(n int, out *string) { for range n { *out += "s" } }
type store struct{ family, other string }
func (s *store) init() { open("token", &s.family) }
func (s *store) read() { show(s.family) } // "tokens"
func f(name string) {
	var opened, thrice, given, looped string
	open("token", &opened)
	show(opened) // "tokens"
	through("token", &thrice)
	show(thrice) // "tokens"
	given = "before"
	if find(name, &given) {
		show(given) // if outcome(example.com/p.find(), $0, "before") if ==($0, "token") "found"
	}
	show(given) // if ==($0, "token") "found" | if !(==($0, "token")) "before"
	env(&opened)
	show(opened) // ?what a call stores
	grows(3, &looped)
	show(looped) // ?what a call stores
}
`)
}
