package control_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// Control passes a loop on its way to what stands behind it, not to what stands
// in it or before it.
func TestPassesLoop(t *testing.T) {
	code := layertest.Load(t, `
func a()
func b()
func behind(list []string) { for range list { a() }; b() }
func inside(list []string) { for range list { a(); b() } }
func before(list []string) { b(); for range list { a() } }
func none() { a(); b() }
func inner(list []string) { for range list { for range list { a() }; b() } }
`)
	for fn, want := range map[string]bool{"behind": true, "inside": false, "before": false, "none": false, "inner": true} {
		a, b := code.Call(fn, "a"), code.Call(fn, "b")
		if got := code.Prog.Graphs.PassesLoop([]ssa.Instruction{a.(ssa.Instruction)}, b.(ssa.Instruction)); got != want {
			t.Errorf("%s: passes a loop: %t", fn, got)
		}
	}
}
