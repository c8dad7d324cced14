package kind_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// What a loop's variable begins with is a zero, or a constant with which the loop
// compares.
func TestIsBeginning(t *testing.T) {
	code := layertest.Load(t, `
func last(list []int64) (x int64) { for _, v := range list { x = v }; return x }
func least(list []int64) int64 { x := int64(1<<62); for _, v := range list { x = min(x, v) }; return x }
func first(list []int64) int64 { x := int64(-1); for _, v := range list { if v < x { x = v } }; return x }
func fixed(list []int64) int64 { x := int64(7); for _, v := range list { x = v }; return x }
func text(list []string) (x string) { for _, v := range list { x = v }; return x }
`)
	for fn, want := range map[string]bool{"last": true, "least": true, "first": true, "fixed": false, "text": false} {
		got := false
		for _, b := range code.Func(fn).Blocks {
			for _, instr := range b.Instrs {
				phi, ok := instr.(*ssa.Phi)
				if _, counts := phiStep(phi, ok); !ok || counts {
					continue
				}
				for i := range phi.Edges {
					got = got || kind.IsBeginning(phi, i)
				}
			}
		}
		if got != want {
			t.Errorf("%s: begins with nothing: %t", fn, got)
		}
	}
}

// phiStep reports whether a phi counts the turns of a loop.
func phiStep(phi *ssa.Phi, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return kind.CounterStep(phi)
}
