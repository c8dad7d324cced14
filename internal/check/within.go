package check

import (
	"cmp"
	"go/ast"
	"slices"
	"sort"
)

// withoutOuter drops the findings that another says more exactly: in the same
// words, at an argument of the call.
func withoutOuter(findings []Finding) []Finding {
	type words struct{ category, family, message, where string }
	of := func(f Finding) words { return words{f.Category, f.Family, f.Message, f.where} }
	same := map[words][]ast.Node{} // where they stand, in the order of the source
	for _, f := range findings {
		same[of(f)] = append(same[of(f)], f.At)
	}
	for _, nodes := range same {
		slices.SortStableFunc(nodes, func(a, b ast.Node) int { return cmp.Compare(a.Pos(), b.Pos()) })
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		call, ok := f.At.(*ast.CallExpr)
		if !ok {
			return false
		}
		nodes := same[of(f)]
		return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			first := sort.Search(len(nodes), func(i int) bool { return nodes[i].Pos() >= arg.Pos() })
			for _, n := range nodes[first:] {
				if n.Pos() > arg.End() {
					return false
				}
				if n.End() <= arg.End() {
					return true
				}
			}
			return false
		})
	})
}
