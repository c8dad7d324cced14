package check

import (
	"go/ast"
	"slices"
)

// withoutOuter drops the findings that another says more exactly: in the same
// words, at an argument of the call.
func withoutOuter(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		call, ok := f.At.(*ast.CallExpr)
		return ok && slices.ContainsFunc(findings, func(g Finding) bool {
			return f.Category == g.Category && f.Family == g.Family && f.Message == g.Message && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
				return arg.Pos() <= g.At.Pos() && g.At.End() <= arg.End()
			})
		})
	})
}
