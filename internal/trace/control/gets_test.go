package control_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// Gets are the places at which a filter gets anywhere: what other ways replace, by
// an edge, also into the next turn of a loop; what is used behind branches, in their blocks.
func TestGets(t *testing.T) {
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
func looped(list []bigtable.Filter) bigtable.Filter {
	f := bigtable.PassAllFilter()
	for _, one := range list {
		both := bigtable.InterleaveFilters(one, one)
		if one != nil { f = both }
	}
	return f
}
func behind(list []bigtable.Filter) bigtable.Filter {
	f := bigtable.InterleaveFilters(list...)
	if len(list) > 1 { use(bigtable.ChainFilters(f, bigtable.PassAllFilter())) }
	if len(list) > 2 { return f }
	return nil
}
`)
	groups := func(call *ssa.Call) bool {
		callee := call.Call.StaticCallee()
		return callee != nil && callee.Name() == "ChainFilters"
	}
	for fn, want := range map[string]string{"replaced": "0 to 2", "kept": "1, 2", "looped": "4 to 1", "behind": "1, 3"} {
		var got []string
		for _, g := range control.Gets(code.Call(fn, "InterleaveFilters").Value(), groups) {
			s := fmt.Sprint(g.From.Index)
			if g.To != nil {
				s += fmt.Sprint(" to ", g.To.Index)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %q, want %q", fn, s, want)
		}
	}
}
