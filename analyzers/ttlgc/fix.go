package ttlgc

import (
	"go/ast"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/fix"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/analyzers/internal/registry"
)

// supplied returns the argument of a wrapper's call that is the policy at
// fault, or part of it.
func (g *given) supplied() ast.Expr {
	if g.e.Depth == 0 || g.use.Expr == nil || g.use.Expr.Expr == nil {
		return nil
	}
	if e := g.use.Expr.Expr; g.e.Node.Pos() <= e.Pos() && e.End() <= g.e.Node.End() {
		return e
	}
	return nil
}

// fix puts the policy that the family needs in the place of the wrong one.
func (g *given) fix(category string, at *gcpolicy.Policy) *analysis.SuggestedFix {
	if g.policy == nil || at == nil || g.policy.Value == nil {
		return nil
	}
	target := at
	if category != "age-mismatch" {
		target = g.policy // the whole: what remains of a union is the right policy
	}
	if target.Value == nil || target.Value.Expr == nil {
		return nil
	}
	expr := target.Value.Expr
	if !g.p.Literal(g.e, expr) && g.supplied() == nil || !g.isPolicy(expr) {
		return nil
	}
	b := fix.New(g.p.Pass, expr)
	if b == nil {
		return nil
	}
	f := g.target.Family
	var text string
	switch f.Strategy {
	case registry.OneSecond, registry.Default:
		text = b.Ref(fix.Bigtable, "MaxAgePolicy", expr.Pos()) + "(" + b.Duration(f.MaxAge, expr.Pos()) + ")"
	default:
		text = b.Ref(fix.Bigtable, "MaxVersionsPolicy", expr.Pos()) + "(" + strconv.Itoa(max(f.Versions, 1)) + ")"
	}
	return b.Replace(expr, text).Done("Set the policy that the strategy needs")
}

// isPolicy reports whether an expression is a policy of the client's, made
// by a constructor or a conversion, that another constructor can replace.
func (g *given) isPolicy(expr ast.Expr) bool {
	t := g.p.TypesInfo.TypeOf(expr)
	if t == nil || !strings.HasSuffix(btapi.Type(t), "Policy") {
		return false
	}
	_, isCall := expr.(*ast.CallExpr)
	_, isLit := expr.(*ast.CompositeLit)
	return isCall || isLit
}
