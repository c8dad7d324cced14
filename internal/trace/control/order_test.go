package control_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

const ordered = `
func a()
func b()
func straight() { a(); b() }
func branches(x bool) { if x { a() } else { b() } }
func loop() {
	for {
		a()
		b()
	}
}
func after() {
	for {
		a()
		break
	}
	b()
}
func twice(x bool) { if x { a() }; if !x { b() } }
func either(s string) { switch s { case "a": a(); case "b": b() } }
func perhaps(x bool) { if x { a() }; b() }
`

// Precedes: control can pass from one to the other in one turn of the loops
// that hold both.
func TestPrecedes(t *testing.T) {
	code := layertest.Load(t, ordered)
	for _, test := range []struct {
		fn     string
		ab, ba bool
	}{
		{"straight", true, false},
		{"branches", false, false},
		{"loop", true, false},
		{"after", true, false},
		{"perhaps", true, false},
		{"twice", true, false}, // what Exclusive is for
	} {
		a, b := code.Call(test.fn, "a"), code.Call(test.fn, "b")
		if ab, ba := code.Prog.Graphs.Precedes(a, b), code.Prog.Graphs.Precedes(b, a); ab != test.ab || ba != test.ba {
			t.Errorf("%s: a before b %t, b before a %t", test.fn, ab, ba)
		}
	}
}

// Exclusive: two places are never reached in one run.
func TestExclusive(t *testing.T) {
	code := layertest.Load(t, ordered)
	for fn, want := range map[string]bool{
		"straight": false, "branches": true, "perhaps": false, "loop": false, "twice": true, "either": true,
	} {
		if got := code.Prog.Graphs.Exclusive(code.Call(fn, "a").Block(), code.Call(fn, "b").Block()); got != want {
			t.Errorf("%s: exclusive %t", fn, got)
		}
	}
}

// Reachable crosses turns of loops.
func TestReachable(t *testing.T) {
	code := layertest.Load(t, ordered)
	for fn, want := range map[string]bool{"branches": false, "loop": true, "after": false, "perhaps": false} {
		a, b := code.Call(fn, "a"), code.Call(fn, "b")
		if got := code.Prog.Graphs.Reachable(b.Block(), a.Block()); got != want {
			t.Errorf("%s: from b to a %t", fn, got)
		}
	}
}
