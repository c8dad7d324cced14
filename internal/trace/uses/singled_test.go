package uses_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// Conditions of which few turns are expected to meet one single these out: a flag that
// holds, a function that answers yes, a value that equals. Their opposites, whether a map
// has a key do not.
func TestSinglesOut(t *testing.T) {
	code := layertest.Load(t, `
type item struct { key string; last bool }
func chosen(key string) bool
func f(items []item, byName map[string]int, want string) {
	for i, it := range items {
		if it.last {
			show("flag") // single
		}
		if !it.last {
			show("no flag") //
		}
		if chosen(it.key) {
			show("answer") // single
		} else {
			show("no answer") //
		}
		if it.key == want {
			show("equal") // single
		}
		if it.key != want {
			show("not equal") //
		}
		if _, ok := byName[it.key]; ok {
			show("key") //
		}
		if i%2 == 0 {
			show("second") // single
		}
		if len(it.key) == 3 {
			show("length") // single
		}
	}
}
`)
	repeats := uses.NewRepeats(eval.New(code.Prog))
	code.Check(func(s layertest.Shown) string {
		if repeats.SinglesOut(s.Call.(ssa.Instruction)) {
			return "single"
		}
		return ""
	})
}
