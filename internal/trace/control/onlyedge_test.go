package control_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// OnlyEdge is the edge by which a filter gets anywhere that others replace.
func TestOnlyEdge(t *testing.T) {
	code := layertest.Load(t, `
func use(f bigtable.Filter)
func replaced(list []bigtable.Filter) {
	f := bigtable.ChainFilters(bigtable.InterleaveFilters(list...), bigtable.PassAllFilter())
	if len(list) == 0 { f = bigtable.PassAllFilter() }
	use(f)
}
func kept(list []bigtable.Filter) {
	f := bigtable.ChainFilters(bigtable.InterleaveFilters(list...), bigtable.PassAllFilter())
	if len(list) == 0 { use(f) }
	use(f)
}
`)
	groups := func(call *ssa.Call) bool {
		callee := call.Call.StaticCallee()
		return callee != nil && callee.Name() == "ChainFilters"
	}
	for fn, want := range map[string]bool{"replaced": true, "kept": false} {
		made := code.Call(fn, "InterleaveFilters").Value()
		from, to := control.OnlyEdge(made, groups)
		if (from != nil) != want || want && (from != code.Func(fn).Blocks[0] || to != code.Call(fn, "use").Block()) {
			t.Errorf("%s: %v to %v", fn, from, to)
		}
	}
}
