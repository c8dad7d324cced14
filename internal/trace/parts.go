package trace

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// parts returns what callers in other packages may know of the fields of structs which a
// function returns in more ways than are followed.
func (p *returns) parts(fn *ssa.Function) (out []summary.Part) {
	found := p.eval.Parts(fn, meaningful)
	numbers := shared(found)
	for _, part := range found {
		to := summary.Part{Result: part.Result, Field: part.Field}
		for _, c := range part.Cases {
			n := summary.PartCase{Value: portable(p.eval.UniquelyClosed(c.Values[0]), fn)}
			for _, g := range c.Guards {
				n.Guards = append(n.Guards, p.portableGuard(g, fn))
			}
			for _, h := range c.Held() {
				if key, ok := numbers[h.Key]; ok {
					n.Chosen = append(n.Chosen, summary.Choice{Key: key, Pick: h.Pick})
				}
			}
			slices.SortFunc(n.Chosen, func(a, b summary.Choice) int { return a.Key - b.Key })
			n.Chosen = slices.Compact(n.Chosen)
			to.Cases = append(to.Cases, n)
		}
		if len(to.Cases) > 0 {
			out = append(out, to)
		}
	}
	return out
}

// shared numbers the choices that decide more than one part. Those that are always made
// alike are one.
func shared(parts []eval.Part) map[any]int {
	made, first, both := map[any]string{}, map[any]int{}, map[any]bool{}
	for i, part := range parts {
		for j, c := range part.Cases {
			for _, h := range c.Held() {
				if at, ok := first[h.Key]; ok && at != i {
					both[h.Key] = true
				}
				first[h.Key] = i
				made[h.Key] += fmt.Sprint(i, j, h.Pick, ";")
			}
		}
	}
	var order []string
	for key := range both {
		order = append(order, made[key])
	}
	slices.Sort(order)
	order = slices.Compact(order)
	numbers := map[any]int{}
	for key := range both {
		numbers[key], _ = slices.BinarySearch(order, made[key])
	}
	return numbers
}
